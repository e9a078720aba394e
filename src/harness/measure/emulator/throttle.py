"""Limits a job to a number of cores: by a cgroup's CPU quota, else by SIGSTOP and SIGCONT to its ranks."""

from __future__ import annotations

import contextlib
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from harness.kernel.cgroups import own_groups
from harness.kernel.procfs import descendants
from harness.measure.procs import RankClock

_MIN_QUOTA_US = 1000  # the kernel refuses less
# A new quota comes with a full budget and forgives what was overdrawn, so one that is written at every tick while
# the frequency settles would hardly bind.
_HOLD_S = 0.1


class Throttle(Protocol):
    """Limits CPU time; `name` goes into the record."""

    name: str

    def adopt(self, root: int) -> None:
        """Takes over `root` and everything below it."""

    def limit(self, cores: float) -> None:
        """Sets the limit; called every tick."""

    def statistics(self) -> dict[str, Any]:
        """Returns counts for the record."""

    def close(self) -> None:
        """Lifts the limit."""


class CgroupQuota:
    """Limits by CPU bandwidth control. `folder` is the new group; v1 and v2 differ in the file only."""

    def __init__(self, folder: Path, version: int, period_us: int, hold_s: float = _HOLD_S) -> None:
        self.name = f"cgroup-v{version}"
        self._folder = folder
        self._version = version
        self._period = period_us
        self._hold_s = hold_s
        self._quota = 0
        self._written = -math.inf
        folder.mkdir()
        try:
            if version == 1:
                (folder / "cpu.cfs_period_us").write_text(str(period_us))
            self.limit(float(os.cpu_count() or 1))
        except OSError:
            folder.rmdir()
            raise

    def adopt(self, root: int) -> None:
        """Moves every process of the job; children started later follow by themselves."""
        for pid in descendants(root):
            with contextlib.suppress(ProcessLookupError):
                (self._folder / "cgroup.procs").write_text(str(pid))

    def limit(self, cores: float) -> None:
        """Writes the quota when it changed, but not too often."""
        quota = max(_MIN_QUOTA_US, round(cores * self._period))
        now = monotonic()
        if quota == self._quota or now < self._written + self._hold_s:
            return
        if self._version == 1:
            (self._folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (self._folder / "cpu.max").write_text(f"{quota} {self._period}")
        self._quota = quota
        self._written = now

    def statistics(self) -> dict[str, Any]:
        """Returns `nr_periods` and `nr_throttled`, which tell whether the job ever reached its quota."""
        try:
            lines = (self._folder / "cpu.stat").read_text().splitlines()
        except OSError:
            return {}
        pairs = dict(line.split() for line in lines if len(line.split()) == 2)
        return {key: int(pairs[key]) for key in ("nr_periods", "nr_throttled") if key in pairs}

    def close(self) -> None:
        """Moves remaining processes back to the parent and removes the group."""
        with contextlib.suppress(OSError):
            for pid in (self._folder / "cgroup.procs").read_text().split():
                with contextlib.suppress(OSError):
                    (self._folder.parent / "cgroup.procs").write_text(pid)
        with contextlib.suppress(OSError):
            self._folder.rmdir()


class DutyCycle:
    """Limits by SIGSTOP and SIGCONT on a CPU-time budget. Coarse, needs no rights; launchers are never stopped."""

    name = "duty-cycle"

    def __init__(self, period_s: float, clock: Callable[[], float] = monotonic) -> None:
        self._period = period_s
        self._clock = clock
        self._ranks: RankClock | None = None
        self._allowed = 0.0
        self._time = 0.0
        self._stopped: set[int] = set()
        self._stops = 0

    def adopt(self, root: int) -> None:
        """Starts the budget."""
        self._ranks = RankClock(root)
        self._time = self._clock()
        self._ranks.refresh(self._time)
        self._allowed = self._ranks()

    def limit(self, cores: float) -> None:
        """Adds to the budget; stops the ranks while they are over it."""
        if self._ranks is None:
            return
        now = self._clock()
        self._ranks.refresh(now)
        used = self._ranks()
        # Unused budget is kept for one period only, or a waiting job would later run without limit.
        self._allowed = max(self._allowed, used - cores * self._period * 10)
        self._allowed = min(self._allowed + cores * (now - self._time), used + cores * self._period)
        self._time = now
        if used > self._allowed:
            for pid in self._ranks.alive:
                if pid not in self._stopped:
                    self._send(pid, signal.SIGSTOP)
                    self._stopped.add(pid)
                    self._stops += 1
        elif self._stopped:
            self.close()

    def statistics(self) -> dict[str, Any]:
        """Returns how often ranks were stopped."""
        return {"stops": self._stops}

    def close(self) -> None:
        """Continues everything that was stopped."""
        for pid in self._stopped:
            self._send(pid, signal.SIGCONT)
        self._stopped.clear()

    @staticmethod
    def _send(pid: int, signum: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signum)


def choose(period_s: float, groups: list[tuple[int, Path]] | None = None) -> Throttle:
    """Returns a cgroup's quota where a cgroup can be made and given one, else the duty cycle."""
    period_us = round(period_s * 1e6)
    for version, folder in own_groups() if groups is None else groups:
        # v2 forbids processes in a group that hands out controllers: a sibling works where a child does not.
        for parent in (folder, folder.parent) if version == 2 else (folder,):
            _sweep(parent)
            with contextlib.suppress(OSError):
                return CgroupQuota(parent / f"kvasir-emulated-{os.getpid()}", version, period_us)
    return DutyCycle(period_s)


def _sweep(parent: Path) -> None:
    """Removes groups that killed emulators left; one that still holds processes stays."""
    for folder in parent.glob("kvasir-emulated-*"):
        if not os.path.exists(f"/proc/{folder.name.rpartition('-')[2]}"):
            with contextlib.suppress(OSError):
                folder.rmdir()
