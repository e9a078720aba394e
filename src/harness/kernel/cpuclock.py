"""Reads the CPU time of another process: to microseconds where the kernel allows, else to a scheduler tick.

The process CPU clock (and /proc, and cgroup accounting) of *another* process that keeps running is brought up
to date only at scheduler ticks, 4 ms apart at 250 Hz: at a period of 5 ms, a busy core then reads 0.8, 0.8, 0.8,
1.6 cores. The kernel's software event `task-clock` interrupts the other CPU and is exact, needs no hardware
counter, and is open to a process's owner up to perf_event_paranoid 2.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PROCFS = "measured:procfs"
PERF = "measured:perf-task-clock"

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

    source = PERF

    def __init__(self, pid: int) -> None:
        self._counter = Counter(TASK_CLOCK, pid)

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


_SYSCALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}.get(platform.machine())
_ATTR_SIZE = 136
# inherit | exclude_kernel | exclude_hv | inherit_thread. The exclusions are what an unprivileged caller must
# ask for. inherit_thread (Linux 5.13) follows new threads but not new processes, which are ranks of their own.
_FLAGS = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 35
_CLOEXEC = 8
_ATTEMPTS = 5
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.argtypes = (ctypes.c_long, ctypes.c_void_p, *(ctypes.c_long for _ in range(4)))
_LIBC.syscall.restype = ctypes.c_long
_WHY = {
    errno.EACCES: "kernel.perf_event_paranoid does not allow it",
    errno.EPERM: "kernel.perf_event_paranoid does not allow it",
    errno.ENOENT: "this processor, or the virtual machine, has no such counter",
    errno.EOPNOTSUPP: "this processor, or the virtual machine, has no such counter",
    errno.ENOSYS: "this kernel has no performance events",
}


@dataclass(frozen=True)
class Event:
    """What is counted: the type and number of perf_event_open(2), and its name in messages."""

    name: str
    kind: int
    number: int


TASK_CLOCK = Event("task-clock", 1, 1)
"""CPU time in ns; counts kernel time in spite of the exclusions, and needs no hardware counter."""

CACHE_MISSES = Event("cache-misses", 0, 3)
"""Last-level cache misses in user mode, by the processor's own counter."""


class Counter:
    """One event on every thread of a process, also on threads it starts later.

    Counts from its opening on, and keeps its last value when the process ends. Raises OSError, saying why,
    where the event cannot be had.
    """

    def __init__(self, event: Event, pid: int) -> None:
        self._fds: dict[int, int] = {}
        # A thread started meanwhile may or may not have inherited an event; starting again is the only way to
        # neither miss it nor count it twice.
        for _ in range(_ATTEMPTS):
            try:
                for tid in _threads(pid):
                    self._fds[tid] = _open(event, tid)
                if self._fds.keys() == _threads(pid):
                    return
            except ProcessLookupError:
                pass  # a thread ended between the list and its event
            except OSError:
                self.close()
                raise
            self.close()
        raise OSError(f"process {pid} starts and ends threads too quickly to follow")

    def value(self) -> int:
        """Sum over the threads since the opening."""
        return sum(int(struct.unpack("Q", os.read(fd, 8))[0]) for fd in self._fds.values())

    def close(self) -> None:
        """Close the events."""
        for fd in self._fds.values():
            os.close(fd)
        self._fds.clear()


def _threads(pid: int) -> set[int]:
    return {int(tid) for tid in os.listdir(f"/proc/{pid}/task")}


def _open(event: Event, tid: int) -> int:
    if _SYSCALL is None:
        raise OSError(f"no system call number of perf_event_open for {platform.machine()}")
    attributes = bytearray(_ATTR_SIZE)
    struct.pack_into("=IIQQQQQ", attributes, 0, event.kind, _ATTR_SIZE, event.number, 0, 0, 0, _FLAGS)
    buffer = (ctypes.c_char * _ATTR_SIZE).from_buffer(attributes)
    fd = int(_LIBC.syscall(_SYSCALL, ctypes.addressof(buffer), tid, -1, -1, _CLOEXEC))
    if fd >= 0:
        return fd
    number = ctypes.get_errno()
    raise OSError(number, f"perf event {event.name}: {_WHY.get(number, os.strerror(number))}")
