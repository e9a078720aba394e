"""Samples ranks and power in step with a clock, for one run.

A slow source is polled in its own thread, so that a BMC that takes seconds does not stall the CPU-use trace. Ranks that
SLURM starts are found below the daemons of job steps, as they are not our descendants.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from harness.measure.control import NOBODY, NOW, Control
from harness.measure.frequency import CoreFrequency
from harness.measure.model import Reader, Reading, timed
from harness.measure.procs import CacheMisses, RankClock
from harness.measure.series import Series
from harness.measure.trace import Trace


@dataclass(kw_only=True)
class Run:
    """Holds the state of one run, and afterwards its result, from which the summary is made."""

    reader: Reader
    source_name: str
    period_s: float
    trace: Trace
    origin: float | None = None
    end: float | None = None
    ranks: RankClock | None = None
    steps: NewSteps | None = None
    misses: CacheMisses = field(default_factory=CacheMisses)
    frequency: CoreFrequency = field(default_factory=CoreFrequency)
    idle: dict[str, Series] = field(default_factory=dict)
    cpu: Series = field(init=False)
    power: dict[str, Series] = field(init=False)
    ticks: int = 0
    missed: int = 0

    def __post_init__(self) -> None:
        self.cpu = Series(kind="counter", period_s=self.period_s)
        slow = max(self.period_s, self.reader.min_period_s)
        self.power = {
            domain: Series(kind=kind, period_s=slow, must_move=kind == "counter")
            for domain, kind in self.reader.kinds.items()
        }

    def rest(self, seconds: float) -> None:
        """Measures the machine at rest, before the job: every domain over at least `seconds`."""
        span = max(seconds, self.reader.min_period_s)
        self.idle = {
            domain: Series(kind=kind, period_s=span, must_move=kind == "counter")
            for domain, kind in self.reader.kinds.items()
        }
        for reading in self.reader.read():
            self.idle[reading.domain].begin(reading)
        sleep(span)
        for reading in self.reader.read():
            self.idle[reading.domain].end(reading)

    def start(self, origin: float) -> None:
        """Sets time 0 of the trace: reads every energy counter once, as the value to count from."""
        self.origin = origin
        if self.reader.min_period_s == 0:
            for reading in self.reader.read():
                self.power[reading.domain].begin(reading)

    def watch(self, pid: int | None) -> None:
        """Follows the ranks below `pid`, and below SLURM's steps if those are looked for."""
        if self.origin is None:
            self.start(monotonic())
        self.ranks = RankClock(pid, self.misses, self.steps or list)
        self.ranks.refresh(monotonic())
        self.cpu.begin(timed("ranks", self.ranks))
        if pid is not None:
            self.reader.watch(pid)

    def first_tick(self) -> float:
        """Returns the next whole period since the job's start, so that runs can be laid over each other."""
        origin = monotonic() if self.origin is None else self.origin
        return origin + (int((monotonic() - origin) // self.period_s) + 1) * self.period_s

    def overdue(self, now: float, tick: float) -> int:
        """Returns the number of ticks from `tick` on that have come by `now`."""
        return int((now - tick) // self.period_s) + 1 if now >= tick else 0

    def tick(self, now: float) -> None:
        """Takes one sample of everything that is read in step with the clock."""
        if self.origin is None:
            return
        self.ticks += 1
        if self.ranks is not None:
            self._keep(self.cpu, timed("ranks", self.ranks), "cpu", "cores", self.ranks.source)
            self.ranks.refresh(now)
            self.frequency.sample(now)
        if self.reader.min_period_s == 0:
            self.take(self.reader.read())

    def take(self, readings: list[Reading]) -> None:
        """Adds readings of the power source to their series and to the trace."""
        if self.origin is not None:
            for reading in readings:
                self._keep(self.power[reading.domain], reading, "power", "W", self.source_name)

    def finish(self, now: float) -> None:
        """Reads everything a last time; closes the totals at the moment the job ended."""
        self.end = now
        if self.ranks is not None:
            self.cpu.end(timed("ranks", self.ranks))
            self.ranks.close()
        if self.reader.min_period_s == 0:
            for reading in self.reader.read():
                self.power[reading.domain].end(reading)

    def cover(self) -> None:
        """Extends what was polled to the whole of the job, once all polls have been taken."""
        if self.origin is not None and self.end is not None:
            for series in self.power.values():
                series.cover(self.origin, self.end)

    def _keep(self, series: Series, reading: Reading, metric: str, unit: str, source: str) -> None:
        rate = series.add(reading)
        # Before the first rank is seen there is no clock that could have measured the 0.
        if rate is not None and self.origin is not None and source:
            t = reading.time - self.origin
            self.trace.add(t, reading.half_width, reading.domain, metric, rate, unit, source)


def sample(run: Run, control: Control, after_command: Callable[[str], None]) -> None:
    """Samples until `stop`; `after_command` is told each command once it is done.

    A tick that comes more than a period late counts the ticks it skipped as missed. Raises Abandoned.
    """
    slow = run.reader.min_period_s
    poller = Poller(run.reader, max(run.period_s, slow)) if slow else None
    tick = monotonic() + run.period_s
    try:
        while True:
            refresh = run.ranks.due if run.ranks else tick
            for command in control.wait(min(tick, refresh) - monotonic()):
                if command[0] == "stop":
                    run.missed += run.overdue(monotonic(), tick)
                    run.finish(monotonic())
                    return
                if command[0] == "rest":
                    run.rest(float(command[1]))
                elif command[0] == "start":
                    run.start(monotonic() if command[1] == NOW else float(command[1]))
                    if poller:
                        poller.start()
                elif command[0] == "watch":
                    run.watch(None if command[1] == NOBODY else int(command[1]))
                if command[0] == "start":
                    tick = run.first_tick()
                after_command(command[0])
            now = monotonic()
            if now < tick:
                # New ranks are looked for between the ticks, so that a long period does not see them late.
                if run.ranks:
                    run.ranks.refresh(now)
                continue
            due = run.overdue(now, tick)
            run.missed += due - 1 if run.origin is not None else 0
            tick += due * run.period_s
            run.tick(now)
            if poller:
                for readings in poller.take():
                    run.take(readings)
    finally:
        if poller and run.origin is not None:
            poller.stop(run.reader.min_period_s)
            for readings in poller.take():
                run.take(readings)
            run.cover()
            run.missed += poller.missed


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
        """Starts polling."""
        self._thread.start()

    def take(self) -> list[list[Reading]]:
        """Returns all readings since the last call, oldest first."""
        taken = []
        while self._queue:
            taken.append(self._queue.popleft())
        return taken

    def stop(self, patience_s: float) -> None:
        """Stops polling; a request in flight gets `patience_s` to finish."""
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


_DAEMON = "slurmstepd"
_AGAIN_S = 1.0
"""Period of the search for steps; ranks of known steps are looked for as often as any other's."""


def step_daemons() -> set[int]:
    """Returns the process ids of all slurmstepd on this host."""
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
    """Finds each slurmstepd that starts after this object is made."""

    def __init__(self) -> None:
        self._before = step_daemons()
        self._found: set[int] = set()
        self._due = 0.0

    def __call__(self) -> list[int]:
        """Returns their process ids, at most _AGAIN_S old."""
        now = monotonic()
        if now >= self._due:
            self._found = step_daemons() - self._before
            self._due = now + _AGAIN_S if self._found else now
        return sorted(self._found)
