"""Finds the ranks of a job below its first process or SLURM's steps, and sums their CPU time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from harness.kernel import cpuclock
from harness.kernel.cpuclock import PROCFS, CpuClock, ProcessClock, clock_of
from harness.kernel.procfs import descendants

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


def is_launcher(pid: int) -> bool:
    """Returns True for a process that only starts ranks, judged by its command name."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip() in LAUNCHERS
    except OSError:
        return False


class CacheMisses:
    """Counts last-level cache misses of ranks, in user mode, from when each is first seen."""

    SOURCE = "measured:perf-cache-misses"

    def __init__(self) -> None:
        self._counters: dict[int, cpuclock.Counter] = {}
        self._ended = 0
        self._lost = False
        self.reason = "no rank of the job was seen"

    def add(self, pid: int) -> None:
        """Counts another rank; one that cannot be counted ends the sum for good."""
        if self._lost:
            return
        try:
            self._counters[pid] = cpuclock.Counter(cpuclock.CACHE_MISSES, pid)
        except OSError as error:
            self._lost, self.reason = True, error.strerror or str(error)
            self.close()
        else:
            self.reason = ""

    def drop(self, pid: int) -> None:
        """Keeps the count of a rank that ended."""
        counter = self._counters.pop(pid, None)
        if counter:
            self._ended += counter.value()
            counter.close()

    @property
    def total(self) -> int | None:
        """Returns the misses of all ranks; None with `reason`."""
        return None if self.reason else self._ended + sum(c.value() for c in self._counters.values())

    def close(self) -> None:
        """Stops counting; the sum stays."""
        for pid in list(self._counters):
            self.drop(pid)


class RankClock:
    """Counts CPU seconds of all ranks below some processes, as one counter that never falls.

    A rank counts from the moment it is first seen; what it had used before goes to `unseen_s`. A rank that
    ends keeps its last value. The list is refreshed often until there is a rank and while ranks come, and
    rarely afterwards.
    """

    QUICK_S, SLOW_S = 0.02, 0.2

    def __init__(
        self,
        root: int | None,
        misses: CacheMisses | None = None,
        more_roots: Callable[[], list[int]] = list,
    ) -> None:
        """Takes `root`, or None where all ranks are below `more_roots`, which is asked again and again."""
        self._root = root
        self._more_roots = more_roots
        self._misses = misses
        self._clocks: dict[int, CpuClock] = {}
        self._starts: dict[int, float] = {}
        self._values: dict[int, float] = {}
        self._young: set[int] = set()
        self._mistaken = 0
        self._pause = self.QUICK_S
        self.due = 0.0
        self.unseen_s = 0.0
        self.source = ""

    @property
    def ranks(self) -> int:
        """Returns the number of processes ever counted."""
        return len(self._starts) - self._mistaken

    @property
    def alive(self) -> list[int]:
        """Returns the ranks that still exist, as of the last read."""
        return list(self._clocks)

    def refresh(self, now: float) -> None:
        """Looks for new and ended ranks when it is time (`due`, on the scale of `now`)."""
        if now < self.due:
            return
        for pid in [pid for pid in self._clocks if not os.path.exists(f"/proc/{pid}")]:
            self._drop(pid)
        # A process gets its new name a moment after its starter believes it running, so a launcher may at first
        # bear another name. What it used in that moment stays in the sum, which must not fall.
        for pid in self._young.intersection(self._clocks):
            if is_launcher(pid):
                self._drop(pid)
                self._mistaken += 1
        roots = [*([] if self._root is None else [self._root]), *self._more_roots()]
        below = dict.fromkeys(pid for root in roots for pid in descendants(root))
        fresh = [pid for pid in below if pid not in self._starts and not is_launcher(pid)]
        for pid in fresh:
            self._add(pid)
        self._young = set(fresh)
        quick = fresh or not self._clocks
        self._pause = self.QUICK_S if quick else min(self._pause * 2, self.SLOW_S)
        self.due = now + self._pause

    def _add(self, pid: int) -> None:
        clock = clock_of(pid)
        used, start = ProcessClock(pid).seconds(), clock.seconds()
        if used is None or start is None:
            clock.close()
            return
        self._clocks[pid] = clock
        if self._misses:
            self._misses.add(pid)
        self._starts[pid] = self._values[pid] = start
        self.unseen_s += used
        # One rank on the coarse clock makes the sum coarse.
        self.source = PROCFS if PROCFS in (self.source, clock.source) else clock.source

    def _drop(self, pid: int) -> None:
        clock = self._clocks.pop(pid)
        self._values[pid] = max(self._values[pid], clock.seconds() or 0.0)
        clock.close()
        if self._misses:
            self._misses.drop(pid)

    def __call__(self) -> float:
        """Returns the CPU seconds used by all ranks since each was first seen."""
        for pid, clock in list(self._clocks.items()):
            value = clock.seconds()
            if value is None:
                self._drop(pid)
            else:
                self._values[pid] = max(value, self._values[pid])
        return sum(self._values.values()) - sum(self._starts.values())

    def close(self) -> None:
        """Closes every clock; the sum stays."""
        for pid in list(self._clocks):
            self._drop(pid)
