"""The trace file of one run: CSV rows, written in blocks, under its final name only when complete."""

from __future__ import annotations

import os
from pathlib import Path

HEADER = "t_s,half_width_s,host,domain,metric,value,unit,source"
_BLOCK = 64 * 1024


class Trace:
    """Appends samples to `<path>.part`; `finish` renames it, `abandon` removes it."""

    def __init__(self, path: Path, host: str) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._host = host
        self._fd = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._rows = [HEADER + "\n"]
        self._size = 0

    def add(
        self, t: float, half_width: float, domain: str, metric: str, value: float, unit: str, source: str
    ) -> None:
        """One row; `t` and `half_width` in s since the job's start."""
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
        """Write the rest and give the file its name; OSError (full disk) leaves no file of that name."""
        self._write()
        os.close(self._fd)
        self._fd = -1
        os.replace(self._part, self._path)

    def abandon(self) -> None:
        """Remove what was written."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._part.unlink(missing_ok=True)
