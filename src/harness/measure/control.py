"""Reads a driver's commands to a helper process: lines on a pipe, whose end means that the driver has ended."""

from __future__ import annotations

import os
import select

from harness.kernel.linux import wake_on_end

NOW = "now"
"""Instead of time 0 on the driver's clock, where the driver is on another host."""
NOBODY = "-"
"""Instead of a process to watch, where the ranks are below SLURM's steps alone."""


class Abandoned(Exception):
    """Signals that the driver ended without `stop` or ended us by signal: the run is incomplete, no file is kept."""


class Control:
    """Reads commands of one line each, split into words. End of file, SIGTERM and SIGHUP raise Abandoned.

    Signals only wake `wait`: an exception out of a handler could strike while limits are restored or files
    removed, all the more as a driver's death brings both a signal and the end of file. SIGINT is ignored, as
    the terminal sends it to driver and helper alike and the driver decides.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._text = b""
        self._wake = wake_on_end(lambda number: None)

    def wait(self, seconds: float) -> list[list[str]]:
        """Waits at most `seconds` for commands and returns them; raises Abandoned."""
        ready = select.select([self._fd, self._wake], [], [], max(0.0, seconds))[0]
        if self._wake in ready:
            raise Abandoned
        if not ready:
            return []
        data = os.read(self._fd, 4096)
        if not data:
            raise Abandoned
        *lines, self._text = (self._text + data).split(b"\n")
        return [line.decode().split() for line in lines if line.strip()]
