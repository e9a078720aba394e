"""Write a table of the files in the output directory of cells."""

from pathlib import Path

import polars as pl
import typer

from harness.cells.outputs import outputs
from harness.core.cli import main
from harness.plan.planner import choose
from harness.results.tables import LISTED, write_csv


def list_outputs(
    study: str,
    folder: Path,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the files of STUDY's report below FOLDER, of its cells and of their graphs to OUTPUT."""
    rows = list(outputs(folder, study, choose(choices).plan(study).cells.values()))
    write_csv(pl.DataFrame(rows, LISTED, infer_schema_length=None), output)


if __name__ == "__main__":
    main(list_outputs)
