"""Which tables there are: CSV files below a folder, and the names a check calls them by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.core.errors import KvasirError

Kind = Literal["runs", "trace", "other"]
RUNS_SUFFIX = "_runs"


@dataclass(frozen=True)
class Table:
    """One CSV file. `name` is its name in SQL; a table of kind `runs` also has a wide form, `wide`."""

    name: str
    path: Path
    kind: Kind

    @property
    def wide(self) -> str:
        """Name of the form with one row a run and one column a metric."""
        return self.name + RUNS_SUFFIX


def table_of(path: Path) -> Table:
    """`mimir/stages.csv` is mimir_stages, `mimir/stages.trace.csv` mimir_stages_trace, and so on."""
    experiment, _, rest = path.name.removesuffix(".csv").partition(".")
    parts = [path.parent.name, experiment, *([rest] if rest else [])]
    kind: Kind = "trace" if rest == "trace" else "other" if rest else "runs"
    return Table("_".join(parts).replace(".", "_").replace("-", "_"), path, kind)


def discover(folder: Path) -> dict[str, Table]:
    """Tables in `folder/<study>/*.csv` by every name a check can use. Raises KvasirError if there is no folder."""
    if not folder.is_dir():
        raise KvasirError(f"{folder}: no such folder; expected tables as {folder}/<study>/<experiment>.csv")
    named: dict[str, Table] = {}
    for path in sorted(folder.glob("*/*.csv")):
        table = table_of(path)
        for name in (table.name, table.wide) if table.kind == "runs" else (table.name,):
            if name in named:
                raise KvasirError(f"{path} and {named[name].path}: both would be table {name}; rename one")
            named[name] = table
    return named
