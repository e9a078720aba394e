"""After a run: the verdicts, what failed, and where everything lies."""

import sys
from pathlib import Path

import typer
from rich.console import Console

from harness.claims.terminal import show
from harness.claims.verdicts import read_csv
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.results.layout import records


def summary(choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME")) -> None:
    """Print what came out at the configured scale and site."""
    planner = choose(choices or [])
    config = planner.config
    results = Path(config.results)
    claims = {study: results / "claims" / f"{study}.csv" for study in config.studies}
    console = Console()
    for path in claims.values():
        if path.is_file():
            show(read_csv(path), console)
    if none := [study for study, path in claims.items() if not path.is_file()]:
        print(f"no verdicts yet: {', '.join(none)}")
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
    if failed:
        raise KvasirError(
            f"{len(failed)} runs failed and have no numbers; `make retry reproduce` runs them again"
        )


if __name__ == "__main__":
    main(summary)
