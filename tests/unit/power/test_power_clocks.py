from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from power_trees import BURN, wait_until

from harness.power.cpuclock import ProcessClock, clock_of, tick_s
from harness.power.procs import RankClock, children, descendants, is_launcher


def python(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)


def test_both_clocks_agree() -> None:
    job = python(BURN.format(cpu_s=0.3))
    try:
        clock = clock_of(job.pid)
        start, used = clock.seconds(), ProcessClock(job.pid).seconds()
        assert start is not None and used is not None
        job.wait()
        end = clock.seconds()
        # After the end the event still has its value; the process clock is gone with the process.
        assert end is None or end - start == pytest.approx(0.3 - used, abs=0.1)
        assert ProcessClock(job.pid).seconds() is None
        clock.close()
    finally:
        job.kill()


def test_stat_is_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(clock: int) -> float:
        raise OSError

    exact = time.process_time()
    monkeypatch.setattr(time, "clock_gettime", refuse)
    assert ProcessClock(os.getpid()).seconds() == pytest.approx(exact, abs=0.2)


def test_without_perf_events_the_coarse_clock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.power.cpuclock._SYSCALL", None)
    clock = RankClock(os.getpid())
    clock.refresh(0.0)
    assert clock.source == "measured:procfs"
    assert 0.0005 < tick_s() < 0.02


def test_ended_ranks_keep_their_last_value() -> None:
    job = python(BURN.format(cpu_s=0.2) + "input()")
    clock = RankClock(job.pid)
    clock.refresh(0.0)
    wait_until(lambda: (ProcessClock(job.pid).seconds() or 0) > 0.15, "the rank worked")
    before = clock()
    job.kill()
    job.wait()
    clock.refresh(1e9)
    assert clock() >= before > 0
    assert clock.alive == [] and clock.ranks == 1


def test_it_looks_often_until_there_is_a_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.power.procs.is_launcher", lambda pid: True)
    clock, now = RankClock(os.getpid()), 0.0
    for _ in range(10):
        clock.refresh(now)
        assert clock.due == pytest.approx(now + RankClock.QUICK_S)
        now = clock.due
    monkeypatch.undo()
    for _ in range(10):
        clock.refresh(now)
        pause, now = clock.due - now, clock.due
    assert clock.ranks >= 1 and pause == pytest.approx(RankClock.SLOW_S)
    clock.close()


def test_a_launcher_that_gets_its_name_late_is_no_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter([False, True])
    monkeypatch.setattr("harness.power.procs.descendants", lambda pid: [pid])
    monkeypatch.setattr("harness.power.procs.is_launcher", lambda pid: next(names, True))
    clock = RankClock(os.getpid())
    clock.refresh(0.0)
    assert clock.ranks == 1
    clock.refresh(clock.due)
    assert clock.ranks == 0 and clock.alive == []
    assert clock() == clock()


def test_a_late_rank_brings_no_jump() -> None:
    job = python(BURN.format(cpu_s=0.2) + "input()")
    try:
        wait_until(lambda: (ProcessClock(job.pid).seconds() or 0) > 0.15, "the rank worked")
        clock = RankClock(job.pid)
        clock.refresh(0.0)
        assert clock() < 0.1
        assert clock.unseen_s > 0.14
    finally:
        job.kill()
        job.wait()


def test_descendants_are_found_without_the_children_file(monkeypatch: pytest.MonkeyPatch) -> None:
    job = subprocess.Popen(["sh", "-c", "sleep 100 & wait"])
    try:
        wait_until(lambda: len(descendants(job.pid)) == 2, "the shell started its child")
        found = children(job.pid)
        real_open = open

        def no_children(path: Any, *arguments: Any, **named: Any) -> Any:
            if str(path).endswith("/children"):
                raise FileNotFoundError(path)
            return real_open(path, *arguments, **named)

        monkeypatch.setattr("builtins.open", no_children)
        assert children(job.pid) == found
        assert not is_launcher(job.pid)
    finally:
        for pid in reversed(descendants(job.pid)):
            os.kill(pid, signal.SIGKILL)
        job.wait()
