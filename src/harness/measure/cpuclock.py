"""CPU time of another process: precise to microseconds where the kernel allows, else to a scheduler tick.

The process CPU clock (and /proc, and cgroup accounting) of *another* process that keeps running is brought up
to date only at scheduler ticks, 4 ms apart at 250 Hz: at a period of 5 ms, a busy core then reads 0.8, 0.8, 0.8,
1.6 cores. The kernel's software event `task-clock` interrupts the other CPU and is exact, needs no hardware
counter, and is open to a process's owner up to perf_event_paranoid 2.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Protocol

from harness.measure import perf

PROCFS = "measured:procfs"
TASK_CLOCK = "measured:perf-task-clock"

_CLOCK_MONOTONIC_COARSE = 6  # moves once per tick
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class CpuClock(Protocol):
    """CPU seconds of one process."""

    source: str

    def seconds(self) -> float | None:
        """CPU time so far on this clock's own scale, s; None when the process is gone."""

    def close(self) -> None:
        """Release what the clock holds."""


class ProcessClock:
    """The clock of clock_getcpuclockid(3), else /proc/<pid>/stat: all threads, ended ones included."""

    source = PROCFS

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def seconds(self) -> float | None:
        """User + system time, s."""
        try:
            return time.clock_gettime((~self._pid << 3) | 2)
        except OSError:
            return self._stat_seconds()

    def _stat_seconds(self) -> float | None:
        try:
            fields = Path(f"/proc/{self._pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S

    def close(self) -> None:
        """Nothing is held."""


class TaskClock:
    """The perf event task-clock of a process. Raises OSError where perf events are not allowed."""

    source = TASK_CLOCK

    def __init__(self, pid: int) -> None:
        self._counter = perf.Counter(perf.TASK_CLOCK, pid)

    def seconds(self) -> float:
        """CPU time since the event was opened, s."""
        return self._counter.value() / 1e9

    def close(self) -> None:
        """Close the event."""
        self._counter.close()


def clock_of(pid: int) -> CpuClock:
    """The best clock that this process may have for `pid`."""
    try:
        return TaskClock(pid)
    except OSError:
        return ProcessClock(pid)


def tick_s() -> float:
    """Length of a scheduler tick, s: the granularity of ProcessClock."""
    return time.clock_getres(_CLOCK_MONOTONIC_COARSE)
