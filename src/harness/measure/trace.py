"""Reads and writes traces of runs and of hosts (CSV), by whole tables or by samples as they come."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

Row = dict[str, str]

HOST_COLUMNS = ("t_s", "host", "domain", "metric", "value", "unit", "source")
"""Of the trace of a cell's hosts."""
COLUMNS = (HOST_COLUMNS[0], "half_width_s", *HOST_COLUMNS[1:])
"""Of the trace of a run; `half_width_s` is how far a time may be wrong, as reading a counter takes time."""
_BLOCK = 64 * 1024


class Trace:
    """Appends samples to `<path>.part`; `finish` renames it, `abandon` removes it."""

    def __init__(self, path: Path, host: str) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._host = host
        self._fd = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._rows = [",".join(COLUMNS) + "\n"]
        self._size = 0

    def add(
        self, t: float, half_width: float, domain: str, metric: str, value: float, unit: str, source: str
    ) -> None:
        """Appends one row; `t` and `half_width` in s since the job's start."""
        row = f"{t:.6f},{half_width:.7f},{self._host},{domain},{metric},{value:.6g},{unit},{source}\n"
        self._rows.append(row)
        self._size += len(row)
        if self._size >= _BLOCK:
            self._write()

    def _write(self) -> None:
        data = memoryview("".join(self._rows).encode())
        while data:
            data = data[os.write(self._fd, data) :]
        self._rows.clear()
        self._size = 0

    def finish(self) -> None:
        """Writes the rest and gives the file its name; OSError (full disk) leaves no file of that name."""
        self._write()
        os.close(self._fd)
        self._fd = -1
        os.replace(self._part, self._path)

    def abandon(self) -> None:
        """Removes the unfinished file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._part.unlink(missing_ok=True)


def read_rows(path: Path) -> list[Row]:
    """Reads all rows of a trace, by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a whole trace. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(rows)
