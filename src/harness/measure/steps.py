"""Ranks that SLURM starts: below the daemons of job steps, which are nobody's children."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic

_DAEMON = "slurmstepd"
_AGAIN_S = 1.0
"""Steps are looked for so often; ranks of known steps as often as any other's."""


def step_daemons() -> set[int]:
    """Processes of this host that run steps of jobs."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if Path("/proc", entry, "comm").read_bytes().strip() == _DAEMON.encode():
                    found.add(int(entry))
            except OSError:
                continue
    return found


class NewSteps:
    """Daemons of steps that begin after this object is made."""

    def __init__(self) -> None:
        self._before = step_daemons()
        self._found: set[int] = set()
        self._due = 0.0

    def __call__(self) -> list[int]:
        """Their process ids, as of a moment ago."""
        now = monotonic()
        if now >= self._due:
            self._found = step_daemons() - self._before
            self._due = now + _AGAIN_S if self._found else now
        return sorted(self._found)
