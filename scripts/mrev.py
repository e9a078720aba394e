"""Write what MREv leaves behind: summary report, statistics of every benchmark, one event log of a study's cells."""

from pathlib import Path

import polars as pl
import typer

from harness.cells.summary import STATISTICS, statistics, summary
from harness.core.cli import main
from harness.core.files import write_text
from harness.plan.planner import choose
from harness.results.records import read
from harness.results.tables import write_csv


def write_outputs(
    study: str,
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write summary.md, statistics.csv and events.log of STUDY's cells into FOLDER."""
    planner = choose(choices)
    cells = list(planner.plan(study).cells.values())
    records = {run.folder: read(Path(run.folder) / "run.json") for cell in cells for run in cell.runs}
    frame = pl.DataFrame(statistics(cells, records), list(STATISTICS), infer_schema_length=None)
    write_csv(frame, folder / "statistics.csv")
    top = planner.config.top
    title = f"Study {study}: MapReduce frameworks at scale {top.scale} on site {top.site}"
    write_text(summary(cells, records, title), folder / "summary.md")
    lines = [
        f"{line[:20]} {cell.cell:<12} {line[20:]}"
        for cell in cells
        for line in Path(cell.folder, "events.log").read_text(encoding="utf-8").splitlines()
    ]
    write_text(
        "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line[:20])), folder / "events.log"
    )


if __name__ == "__main__":
    main(write_outputs)
