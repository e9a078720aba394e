"""CPU time of a job's ranks, precise enough for 5 ms: each process's own CPU clock, summed."""

from __future__ import annotations

import os
import time
from pathlib import Path

# Programs that start ranks but are none; their CPU time is not the job's. The kernel cuts a name at 15
# characters. The container's start-up and file-system helpers count as launchers too.
_MPI = (
    "mpirun",
    "mpiexec",
    "orterun",
    "prterun",
    "prte",
    "prted",
    "orted",
    "mpiexec.hydra",
    "hydra_pmi_proxy",
)
_CONTAINER = ("apptainer", "singularity", "starter", "starter-suid", "appinit")
_FILE_SYSTEM = ("squashfuse", "squashfuse_ll", "fuse-overlayfs")
LAUNCHERS = frozenset((*_MPI, "srun", "slurmstepd", *_CONTAINER, *_FILE_SYSTEM))
_TICK = os.sysconf("SC_CLK_TCK")


def clock_id(pid: int) -> int:
    """The kernel's id for the CPU clock of all threads of process `pid` (clock_getcpuclockid(3))."""
    return (~pid << 3) | 2


def cpu_seconds(pid: int) -> float | None:
    """User + system time of a process and its ended threads, s; None when it is gone.

    Nanosecond clock where the kernel gives it, else /proc/<pid>/stat in units of a clock tick.
    """
    try:
        return time.clock_gettime(clock_id(pid))
    except OSError:
        return _stat_seconds(pid)


def _stat_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICK


def children(pid: int) -> list[int]:
    """Direct children of all threads of `pid`; empty when it is gone."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except FileNotFoundError:
        return found if not os.path.exists(f"/proc/{pid}/task") else found + _children_by_scan(pid)
    except OSError:
        pass
    return found


def _children_by_scan(pid: int) -> list[int]:
    """Children found through every process's parent: for kernels without the file `children`."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry))
    return found


def descendants(pid: int) -> list[int]:
    """`pid` and everything below it, parents first."""
    found = [pid]
    for process in found:
        found += [child for child in children(process) if child not in found]
    return found


def is_launcher(pid: int) -> bool:
    """True for a process that only starts ranks, judged by its command name."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip() in LAUNCHERS
    except OSError:
        return False


class RankClock:
    """CPU seconds of all ranks below one process, as one counter that never falls.

    A rank counts from the moment it is first seen; what it had used before goes to `unseen_s`. A rank that
    ends keeps its last value. The list is refreshed often while it changes and rarely when it does not.
    """

    QUICK_S, SLOW_S = 0.02, 0.5

    def __init__(self, root: int) -> None:
        self._root = root
        self._start: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self._next_refresh = 0.0
        self._pause = self.QUICK_S
        self.unseen_s = 0.0

    @property
    def ranks(self) -> int:
        """Number of processes ever counted."""
        return len(self._start)

    @property
    def alive(self) -> list[int]:
        """Ranks that still exist, as of the last read."""
        return list(self._last)

    @property
    def due(self) -> float:
        """When (time.monotonic) to refresh next."""
        return self._next_refresh

    def refresh(self, now: float) -> list[int]:
        """Look for new ranks when it is time; returns their pids."""
        if now < self._next_refresh:
            return []
        fresh = [pid for pid in descendants(self._root) if pid not in self._start and not is_launcher(pid)]
        for pid in fresh:
            used = cpu_seconds(pid)
            if used is not None:
                self._start[pid] = self._last[pid] = used
                self.unseen_s += used
        self._pause = self.QUICK_S if fresh else min(self._pause * 2, self.SLOW_S)
        self._next_refresh = now + self._pause
        return [pid for pid in fresh if pid in self._start]

    def __call__(self) -> float:
        """CPU seconds used by all ranks since each was first seen."""
        for pid in list(self._last):
            used = cpu_seconds(pid)
            if used is None:
                self._start[pid] -= self._last.pop(pid)  # keeps (last - start) of an ended rank, negated
            else:
                self._last[pid] = max(used, self._last[pid])
        return sum(self._last.values()) - sum(self._start.values())
