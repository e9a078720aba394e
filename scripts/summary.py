"""After a run: the verdicts, or PASS and FAIL of a trial; what failed, and where everything lies."""

import sys
from pathlib import Path

import typer
from rich.console import Console

from harness.claims.agreement import Agreement, agreements
from harness.claims.model import EVIDENCE
from harness.claims.screen import screen
from harness.claims.terminal import show
from harness.claims.verdicts import Row, counts, read_csv
from harness.config import Config
from harness.config.archive import PROVENANCE
from harness.config.scale import TRIALS
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.images.apptainer import refusal
from harness.plan.planner import Planner, choose
from harness.report.trial import Line, judge
from harness.results.archive import VERDICTS
from harness.results.layout import records, verdicts_of

REFERENCE = Path("reference")
"""Archives of our own runs."""


def show_trial(planner: Planner, broken: bool) -> None:
    """Print PASS, FAIL or LEFT OUT for each component and paper, and what claims say that hold at any size."""
    parts, papers = judge(planner, broken)
    without = refusal()
    parts.append(
        Line("images", "LEFT OUT" if without else "PASS", without or "Apptainer starts programs in them")
    )
    for title, lines in (("component", parts), ("paper", papers)):
        print()
        width = max(len(line.name) for line in lines)
        for line in lines:
            print(f"{line.state:<8} {title} {line.name:<{width}}  {line.words}")
    print()
    for study in planner.config.studies:
        path = Path(verdicts_of(planner.config, study))
        if path.is_file() and (
            any_size := [row for row in read_csv(path) if row.basis not in (None, *EVIDENCE)]
        ):
            found = ", ".join(f"{number} {word}" for word, number in counts(any_size).items())
            print(f"{study}: {len(any_size)} claims hold or fail at any size of data: {found}")
    print("No other verdict is given: the data are tiny. `make reproduce` gives all.")
    failed = [line.name for line in (*parts, *papers) if line.state == "FAIL"]
    print(
        "FAIL: " + (", ".join(failed) or "the workflow; its messages are above")
        if failed or broken
        else "PASS"
    )


def show_verdicts(config: Config, every: bool) -> None:
    """Print the verdicts on one screen, held against the reference's where there is one, or every claim in a line."""
    console = Console()
    found = {study: Path(verdicts_of(config, study)) for study in config.studies}
    rows = {study: read_csv(path, study) for study, path in found.items() if path.is_file()}
    if none := [study for study in found if study not in rows]:
        print(f"no verdicts yet: {', '.join(none)}")
    if every:
        for own in rows.values():
            show(own, console)
        return
    if not rows:
        return
    compared = against(rows, REFERENCE / config.top.scale)
    print("\n".join(["", *screen(rows, compared, console.width)]))


def against(rows: dict[str, list[Row]], archive: Path) -> dict[str, list[Agreement]]:
    """Hold verdicts against those of an archive, where it has the study; none if there is no archive."""
    if not (archive / PROVENANCE).is_file():
        return {}
    theirs = {study: archive / VERDICTS / f"{study}.csv" for study in rows}
    return {
        study: list(agreements(rows[study], read_csv(path, study)))
        for study, path in theirs.items()
        if path.is_file()
    }


def summary(
    choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME"),
    broken: bool = typer.Option(False, "--broken", help="the workflow failed"),
    every: bool = typer.Option(False, "--all", help="a line for each claim"),
) -> None:
    """Print what came out at the configured scale and site."""
    planner = choose(choices or [])
    config = planner.config
    results = Path(config.results)
    if config.top.scale in TRIALS and not every:
        show_trial(planner, broken)
    else:
        show_verdicts(config, every)
    runs = list(records(planner.tables))
    failed = [record for record in runs if record.outcome.status != "ok"]
    print(f"runs:    {len(runs)}, of which {len(failed)} failed or timed out")
    for record in failed:
        who, outcome = record.identity, record.outcome
        why = outcome.reason.partition("\n")[0]
        print(
            f"  {who.study}/{who.experiment}/{who.point}/{who.rep}: {outcome.status}: {why}", file=sys.stderr
        )
    for name, place in {"report": "report.html", "figures": "figures", "tables": "tables"}.items():
        there = results / place
        print(f"{name + ':':<8} {there if there.exists() else 'none yet'}")
    if (home := results / "site/index.html").is_file():
        print(f"site:    {home}")
    if failed:
        raise KvasirError(
            f"{len(failed)} runs failed and have no numbers; `make retry reproduce` runs them again"
        )


if __name__ == "__main__":
    main(summary)
