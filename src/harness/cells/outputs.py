"""Lists the output directory of cells: reports, files of each execution and graphs, for claims about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.plan.spec import CellSpec

SOURCE = "measured:directory"
Row = dict[str, Any]


def _row(part: str, path: Path, **of: Any) -> Row:
    """Returns the row of a file; `columns` are those of a CSV file, with a space between two."""
    with path.open(encoding="utf-8", errors="replace") as file:
        columns = file.readline().strip().replace(",", " ") if path.suffix == ".csv" else ""
    size = path.stat().st_size
    return {"part": part, "file": path.name, "bytes": size, "columns": columns, "source": SOURCE, **of}


def outputs(folder: Path, study: str, cells: Iterable[CellSpec]) -> Iterator[Row]:
    """Yields a row for each file of a study's report below `folder` and of `cells`. Raises OSError.

    `part` is `report` (of all cells), `execution` (of one run of a benchmark) or `graph` (of a benchmark).
    """
    for path in sorted((folder / study).iterdir()):
        if path.is_file() and not path.name.startswith("."):
            yield _row("report", path)
    for cell in cells:
        points = {}
        for run in cell.runs:
            of = {"cell": cell.cell, "framework": run.framework, "benchmark": run.benchmark}
            points[run.identity.point] = of
            for path in sorted(Path(run.folder).iterdir()):
                yield _row("execution", path, **of, rep=run.identity.rep)
        for point, of in points.items():
            for path in sorted((folder / "resources" / cell.cell).glob(f"{point}.*")):
                yield _row("graph", path, **of)
