"""Runs the emulator process: advances the model, writes the tree, throttles the job to its slice."""

from __future__ import annotations

import json
import sys
from collections import deque
from pathlib import Path
from time import monotonic

from harness.measure.control import Abandoned, Control
from harness.measure.emulator.model import CubeLaw, Profile, Tree
from harness.measure.emulator.throttle import Throttle, choose
from harness.measure.procs import RankClock


class Machine:
    """Advances the emulated node from tick to tick."""

    def __init__(self, profile: Profile, tree: Tree, throttle: Throttle) -> None:
        self._law = CubeLaw.of(profile.parameters)
        self._window = profile.parameters.window_ms.value / 1e3
        self._cores = profile.slice_cores()
        self._tree = tree
        self._throttle = throttle
        self._ranks: RankClock | None = None
        self._used: deque[tuple[float, float]] = deque()
        self._frequency = 1.0
        self._time = monotonic()

    def watch(self, pid: int) -> None:
        """Takes over the job below `pid`: its CPU use is the load, its processes are throttled."""
        self._ranks = RankClock(pid)
        self._throttle.adopt(pid)

    def tick(self, now: float) -> None:
        """Advances model, quota and counters to `now` (s)."""
        dt = now - self._time
        self._time = now
        self._frequency = self._law.next_frequency(self._frequency, self._tree.cap_w(), dt)
        self._throttle.limit(self._law.speed(self._frequency) * self._cores)
        load = self._load(now)
        self._tree.add(
            self._law.package_w(load, self._frequency) * dt,
            self._law.dram_w(load) * dt,
        )

    def _load(self, now: float) -> float:
        """Returns the CPU time of the ranks over the last window, as a share of the slice's."""
        if self._ranks is None:
            return 0.0
        self._ranks.refresh(now)
        self._used.append((now, self._ranks()))
        while len(self._used) > 2 and self._used[1][0] <= now - self._window:
            self._used.popleft()
        (begin, before), (end, after) = self._used[0], self._used[-1]
        return (after - before) / ((end - begin) * self._cores) if end > begin else 0.0


def serve(profile: Profile, root: Path) -> int:
    """Serves a tree until the standard input ends; answers JSON lines, the last one with the throttle's counts."""
    tick_s = profile.parameters.tick_ms.value / 1e3
    control = Control(sys.stdin.fileno())
    throttle = choose(profile.parameters.quota_period_ms.value / 1e3)
    try:
        tree = Tree(root, profile)
        machine = Machine(profile, tree, throttle)
        _say(ready=True, throttle=throttle.name)
        tick = monotonic() + tick_s
        while True:
            for command in control.wait(tick - monotonic()):
                if command[0] == "watch":
                    machine.watch(int(command[1]))
                    _say(did="watch")
                elif command[0] == "statistics":
                    _say(throttle=throttle.name, **throttle.statistics())
            now = monotonic()
            if now >= tick:
                machine.tick(now)
                tick = max(tick + tick_s, now)
    except Abandoned:
        return 0
    finally:
        throttle.close()


def _say(**content: object) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()
