"""Hold the verdicts of one's own run against those of reference runs."""

from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.claims.agreement import Agreement, agreements, summary
from harness.claims.verdicts import read_csv
from harness.config.archive import read_provenance
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.results.archive import VERDICTS, check_sums
from harness.results.layout import verdicts_of


def show(found: list[Agreement], console: Console) -> None:
    if not console.is_terminal:
        for one in found:
            print(one.id, one.outcome, one.here, one.reference, one.words, sep="\t")
        return
    table = Table("claim", "outcome", "here", "reference", "why", expand=True)
    for one in found:
        colour = "red" if one.outcome == "unexpected" else ""
        cells = [one.id, one.outcome, one.here, one.reference, one.words]
        table.add_row(*map(escape, cells), style=colour)
    console.print(table)


def agreement(
    archives: Path = typer.Argument(..., help="folder of archives, such as reference"),
    choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME, studies=A,B"),
    every: bool = typer.Option(False, "--all", help="claims that agree as well"),
) -> None:
    """Say, claim by claim, how the results of the chosen scale differ from the reference's in ARCHIVES."""
    config = choose(choices or []).config
    origin = read_provenance(archives, config.top.scale)
    check_sums(archives / config.top.scale)
    console, compared = Console(), 0
    for study in config.studies:
        own = Path(verdicts_of(config, study))
        theirs = archives / config.top.scale / VERDICTS / f"{study}.csv"
        if not own.is_file() or not theirs.is_file():
            print(f"{study}: not compared: no {own if not own.is_file() else theirs}")
            continue
        compared += 1
        found = list(agreements(read_csv(own, study), read_csv(theirs, study)))
        if shown := [one for one in found if every or one.outcome != "agrees"]:
            show(shown, console)
        print(f"{study}: {len(found)} claims: {summary(found)}")
    if not compared:
        raise KvasirError(f"{config.results}: expected verdicts, found none: `make reproduce` makes them")
    print(f"the reference: scale {origin.scale}, {origin.began[:10]}, {'; '.join(origin.machines)}")


if __name__ == "__main__":
    main(agreement)
