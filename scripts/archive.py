"""Pack the results of a scale, for `make replay` and `make compare` elsewhere."""

from pathlib import Path

import typer

from harness.config.archive import RECORDS
from harness.core.cli import main
from harness.plan.planner import choose
from harness.report.provenance import origin_of
from harness.results.archive import contents, pack


def archive(
    target: Path = typer.Argument(..., help="folder of archives, such as reference"),
    choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME, studies=A,B"),
) -> None:
    """Pack the results of the chosen scale into TARGET/<scale>."""
    planner = choose(choices or [])
    config = planner.config
    results, folder = Path(config.results), target / config.top.scale
    cells = [cell.folder for study in config.studies for cell in planner.plan(study).cells.values()]
    made = pack(contents(results, planner.tables, cells), results, folder, origin_of(planner))
    size = (folder / RECORDS).stat().st_size
    outcomes = ", ".join(f"{count} {status}" for status, count in made.runs.items())
    print(f"{folder}: {outcomes}; {size / 1e6:.1f} MB; replay it with `make replay REPLAY={target}`")


if __name__ == "__main__":
    main(archive)
