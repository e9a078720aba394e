from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from power_trees import BURN, wait_until

from harness.kernel import cpuclock
from harness.kernel.cpuclock import ProcessClock, clock_of, tick_s
from harness.kernel.procfs import children, descendants
from harness.measure.frequency import CoreFrequency
from harness.measure.procs import CacheMisses, RankClock, is_launcher


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
    monkeypatch.setattr("harness.kernel.cpuclock._SYSCALL", None)
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
    monkeypatch.setattr("harness.measure.procs.is_launcher", lambda pid: True)
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
    monkeypatch.setattr("harness.measure.procs.descendants", lambda pid: [pid])
    monkeypatch.setattr("harness.measure.procs.is_launcher", lambda pid: next(names, True))
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


def test_an_event_counts_on_all_threads() -> None:
    faults = cpuclock.Event("page-faults", 1, 2)
    touch = "bytearray(8 << 20)"
    thread = f"w = threading.Thread(target=lambda: {touch}); w.start(); w.join()"
    code = f"import threading; input(); {thread}; {touch}; input()"
    job = python(code)
    try:
        counter = cpuclock.Counter(faults, job.pid)
    except OSError as error:
        pytest.skip(str(error))
    try:
        assert job.stdin is not None
        job.stdin.write(b"\n")
        job.stdin.flush()
        # 2 x 8 MiB in pages of 4 KiB; larger pages make fewer faults, but never none.
        wait_until(lambda: counter.value() > 8, "both threads touched their memory")
        counter.close()
    finally:
        job.kill()


def test_cache_misses_are_a_number_or_say_why_not() -> None:
    misses = CacheMisses()
    job = python(BURN.format(cpu_s=0.2) + "input()")
    try:
        clock = RankClock(job.pid, misses)
        clock.refresh(0.0)
        wait_until(lambda: (ProcessClock(job.pid).seconds() or 0) > 0.15, "the rank worked")
    finally:
        job.kill()
        job.wait()
    clock.close()
    if misses.total is None:
        assert "perf event cache-misses: " in misses.reason
    else:
        assert misses.total > 0 and not misses.reason


def test_one_rank_that_cannot_be_counted_ends_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuses:
        def __init__(self, event: cpuclock.Event, pid: int) -> None:
            if pid == 2:
                raise OSError(13, "not allowed")

        def value(self) -> int:
            return 5

        def close(self) -> None:
            """Nothing is held."""

    monkeypatch.setattr(cpuclock, "Counter", Refuses)
    misses = CacheMisses()
    misses.add(1)
    assert misses.total == 5
    for pid in (2, 3):
        misses.add(pid)
    assert misses.total is None and misses.reason == "not allowed"


def cores(root: Path, *khz: str) -> CoreFrequency:
    for core, value in enumerate(khz):
        folder = root / f"sys/devices/system/cpu/cpu{core}/cpufreq"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scaling_cur_freq").write_text(value + "\n")
    return CoreFrequency(root)


def test_frequency_is_the_mean_over_cores_and_time(tmp_path: Path) -> None:
    frequency = cores(tmp_path, "1000000", "3000000")
    frequency.sample(10.0)
    cores(tmp_path, "2000000", "4000000")
    frequency.sample(10.05)  # too soon
    frequency.sample(10.2)
    assert frequency.mean_hz == pytest.approx(2.5e9)
    assert frequency.source == "measured:cpufreq"


@pytest.mark.parametrize(("flags", "hertz"), [("fpu aperfmperf", 2.4e9), ("fpu hypervisor", None)])
def test_cpuinfo_is_believed_only_where_it_is_measured(
    tmp_path: Path, flags: str, hertz: float | None
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\ncpu MHz\t\t: 2400.000\n")
    frequency = CoreFrequency(tmp_path)
    frequency.sample(1.0)
    assert frequency.mean_hz == hertz
    assert ("APERF" in frequency.reason) == (hertz is None)


def test_a_core_that_cannot_be_read_leaves_no_frequency(tmp_path: Path) -> None:
    frequency = cores(tmp_path, "1000000", "nonsense")
    frequency.sample(1.0)
    assert frequency.mean_hz is None and "nonsense" in frequency.reason
