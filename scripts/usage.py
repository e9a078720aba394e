"""Join the samples of the first good run of each benchmark of a cell."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.plan.planner import choose
from harness.results.tables import usage_table, write_csv


def usage(
    cell: str,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the samples of CELL to OUTPUT."""
    runs = choose(choices).cell(cell).runs
    places = [(run.identity.point, run.identity.rep, Path(run.folder)) for run in runs]
    write_csv(usage_table(cell, places), output)


if __name__ == "__main__":
    main(usage)
