"""A cell's event log, as MREv keeps one: what happened when, a line each, for people."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from harness.core.errors import KvasirError


class EventLog:
    """Appends to a file and tells the workflow's log the same."""

    def __init__(self, path: Path) -> None:
        """Opens a new chapter of the file `path`."""
        self._path = path
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the log was opened."""
        return time.monotonic() - self._began

    def say(self, what: str) -> None:
        """One event: time of day (UTC), seconds since the start, what. Raises KvasirError when the disk is full."""
        line = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {self.seconds:8.1f} s  {' '.join(what.split())}"
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise KvasirError(f"{self._path}: cannot be written: {error.strerror}") from None
        print(line, flush=True)
