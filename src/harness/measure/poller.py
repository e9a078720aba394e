"""A slow source read in its own thread, so that a BMC that takes seconds does not stall the CPU-use trace."""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic

from harness.measure.model import Reader, Reading


class Poller:
    """Reads `reader` at absolute ticks of `period_s`; the readings wait in a queue for the sampling loop."""

    def __init__(self, reader: Reader, period_s: float) -> None:
        self._reader = reader
        self._period = period_s
        self._queue: deque[list[Reading]] = deque()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="power-poller", daemon=True)
        self.missed = 0

    def start(self) -> None:
        """Begin polling."""
        self._thread.start()

    def take(self) -> list[list[Reading]]:
        """All readings since the last call, oldest first."""
        taken = []
        while self._queue:
            taken.append(self._queue.popleft())
        return taken

    def stop(self, patience_s: float) -> None:
        """Stop polling; a request in flight gets `patience_s` to finish."""
        self._stop.set()
        self._thread.join(patience_s)

    def _run(self) -> None:
        tick = monotonic()
        while not self._stop.is_set():
            self._queue.append(self._reader.read())
            tick += self._period
            late = monotonic() - tick
            if late > 0:
                skipped = int(late // self._period) + 1
                self.missed += skipped
                tick += skipped * self._period
            self._stop.wait(max(0.0, tick - monotonic()))
