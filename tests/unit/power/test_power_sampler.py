from __future__ import annotations

import csv
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from power_trees import BURN, FileTree, gone, wait_until

from harness.kernel.cpuclock import PERF
from harness.measure import PowerError, PowerSettings, Sampler, Sampling

SRC = Path(__file__).parents[3] / "src"
HEADER = ["t_s", "half_width_s", "host", "domain", "metric", "value", "unit", "source"]
SUMMARY = {
    *(
        "schema",
        "source",
        "reason",
        "host",
        "period_ms",
        "duration_s",
        "ticks",
        "samples",
        "missed",
        "dropped",
    ),
    *("half_width_median_s", "half_width_max_s", "sampler_cpu_s", "cpu", "domains", "cap"),
    *("psi_cpu_some_s", "psi_cpu_some_share", "versions"),
}
TWO_RANKS = """
import subprocess, sys
ranks = [subprocess.Popen([sys.argv[1], "-c", sys.argv[2]]) for _ in range(2)]
[rank.wait() for rank in ranks]
"""


def sampler(tmp_path: Path, settings: PowerSettings | None = None, **more: Any) -> Sampler:
    options = {"period_ms": 20, "trace": tmp_path / "trace.csv", "summary": tmp_path / "power.json", **more}
    return Sampler(Sampling(power=settings or PowerSettings(source="none"), **options))


def rows(tmp_path: Path) -> list[dict[str, str]]:
    with (tmp_path / "trace.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def python(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *arguments])


def test_cpu_use_agrees_with_the_kernels_account(tmp_path: Path) -> None:
    with sampler(tmp_path) as running:
        running.start()
        job = python(BURN.format(cpu_s=0.5))
        running.watch(job.pid)
        _, _, used = os.wait4(job.pid, 0)
        job.returncode = 0
        summary = running.stop()
    truth = used.ru_utime + used.ru_stime
    assert summary["cpu"]["cpu_s"] + summary["cpu"]["unseen_s"] == pytest.approx(truth, abs=0.1)
    assert 0.01 < summary["cpu"]["mean_cores"] < 1.2
    assert summary["cpu"]["ranks_seen"] == 1


def test_trace_and_summary_follow_the_schema(tmp_path: Path) -> None:
    with sampler(tmp_path, period_ms=10) as running:
        assert running.source_name == "none" and "asked for" in running.reason
        running.start()
        job = python(BURN.format(cpu_s=0.3))
        running.watch(job.pid)
        job.wait()
        summary = running.stop()
    trace = rows(tmp_path)
    assert list(trace[0]) == HEADER
    assert {(row["domain"], row["metric"], row["unit"]) for row in trace} == {("ranks", "cpu", "cores")}
    assert {row["source"] for row in trace} == {summary["cpu"]["source"]} <= {PERF, "measured:procfs"}
    times = [float(row["t_s"]) for row in trace]
    assert times == sorted(times) and times[0] > 0 and times[-1] <= summary["duration_s"]
    assert all(0 <= float(row["half_width_s"]) <= 0.001 for row in trace)
    assert summary.keys() >= SUMMARY
    assert summary["samples"] == len(trace) == summary["cpu"]["samples"]
    # Ticks between start and watch have no rank to read.
    assert 0 <= summary["ticks"] - summary["samples"] - summary["dropped"] <= 5
    assert summary["domains"] == {} and summary["cap"] is None
    area = sum(float(row["value"]) * (t - s) for row, t, s in zip(trace, times, [0.0, *times], strict=False))
    assert area == pytest.approx(summary["cpu"]["cpu_s"], abs=0.1)
    assert not list(tmp_path.glob("*.part"))


def test_ticks_do_not_drift(tmp_path: Path) -> None:
    with sampler(tmp_path, period_ms=10) as running:
        running.start()
        job = python("import time; time.sleep(0.5)")
        running.watch(job.pid)
        job.wait()
        summary = running.stop()
    on_time = summary["duration_s"] / 0.01
    assert summary["ticks"] + summary["missed"] == pytest.approx(on_time, abs=3)


def test_ranks_of_a_job_are_summed_and_its_launcher_is_left_out(tmp_path: Path) -> None:
    launcher = tmp_path / "mpirun"
    launcher.symlink_to(os.path.realpath(sys.executable))
    environment = {**os.environ, "PYTHONHOME": sys.base_prefix}
    program = BURN.format(cpu_s=0.2) + TWO_RANKS
    with sampler(tmp_path) as running:
        running.start()
        job = subprocess.Popen(
            [launcher, "-c", program, sys.executable, BURN.format(cpu_s=0.3)], env=environment
        )
        running.watch(job.pid)
        job.wait()
        summary = running.stop()
    assert summary["cpu"]["ranks_seen"] == 2
    # Two ranks of 0.3 s each; the launcher's own 0.2 s is not the job's.
    assert summary["cpu"]["cpu_s"] + summary["cpu"]["unseen_s"] == pytest.approx(0.6, abs=0.15)


def test_missed_ticks_are_counted(tmp_path: Path) -> None:
    with sampler(tmp_path, period_ms=10) as running:
        running.start()
        os.kill(running.pid, signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(running.pid, signal.SIGCONT)
        summary = running.stop()
    assert summary["missed"] >= 25


def test_leaving_without_stop_keeps_nothing(tmp_path: Path) -> None:
    with sampler(tmp_path) as running:
        running.start()
        running.watch(os.getpid())
    assert list(tmp_path.iterdir()) == []


PARENT = """
import os, sys, time
from pathlib import Path
from harness.measure import PowerSettings, Sampler, Sampling
folder = Path(sys.argv[1])
power = PowerSettings(source="none")
with Sampler(Sampling(power=power, period_ms=20, trace=folder / "t.csv", summary=folder / "s.json")) as s:
    s.start()
    s.watch(os.getpid())
    print(s.pid, flush=True)
    time.sleep(600)
"""


def test_dies_with_its_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert not gone(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: gone(pid), "the sampler ended")
    wait_until(lambda: list(tmp_path.iterdir()) == [], "the unfinished trace was removed")


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(tmp_path: Path, tree: FileTree, signum: signal.Signals) -> None:
    settings = PowerSettings(source="powercap", root=tree.root, state=tmp_path / "state")
    with sampler(tmp_path, settings, cap_w=120) as running:
        running.start()
        os.kill(running.pid, signum)
        os.kill(running.pid, signum)
        # A stop that comes together with the signal may still be obeyed.
        wait_until(lambda: gone(running.pid), "the sampler ended")
        with pytest.raises(PowerError, match="ended unexpectedly \\(exit code 4\\)"):
            running.stop()
    assert tree.limits() == [215_000_000, 258_000_000]
    assert not list(tmp_path.glob("*.csv*"))


def test_the_terminals_interrupt_is_left_to_the_driver(tmp_path: Path) -> None:
    with sampler(tmp_path) as running:
        running.start()
        os.kill(running.pid, signal.SIGINT)
        assert running.stop()["duration_s"] > 0


def test_power_from_a_tree(tmp_path: Path, tree: FileTree) -> None:
    with sampler(tmp_path, PowerSettings(source="powercap", root=tree.root)) as running:
        assert running.source_name == "emulated:files"
        begin = running.start()
        job = python("import time; time.sleep(0.3)")
        running.watch(job.pid)
        while job.poll() is None:
            tree.set("intel-rapl:0", 1_000_000 + min(int(80e6 * (time.monotonic() - begin)), 30_000_000))
            time.sleep(0.002)
        tree.set("intel-rapl:0", 31_000_000)
        summary = running.stop()
    package, dram = summary["domains"]["package"], summary["domains"]["dram"]
    assert package["energy_J"] == pytest.approx(30.0)
    assert package["power_mean_W"] == pytest.approx(30.0 / package["span_s"])
    assert package["source"] == "emulated:files"
    assert (dram["energy_J"], dram["source"]) == (None, "none") and "did not move" in dram["reason"]
    assert {row["source"] for row in rows(tmp_path) if row["metric"] == "power"} == {"emulated:files"}
    assert {row["domain"] for row in rows(tmp_path)} == {"ranks", "package"}
    assert [zone["zone"] for zone in summary["zones"]] == ["package-0", "dram-0"]


def test_power_at_rest_is_measured_before_the_run(tmp_path: Path, tree: FileTree) -> None:
    with sampler(tmp_path, PowerSettings(source="powercap", root=tree.root)) as running:
        writer = threading.Timer(0.1, tree.set, ("intel-rapl:0", 9_000_000))  # from 1 J: 8 J in 2 s
        writer.start()
        running.rest(2.0)
        running.start()
        tree.set("intel-rapl:0", 10_000_000)
        summary = running.stop()
    assert summary["idle_W"]["package"] == pytest.approx(8 / 2.0, rel=0.2)
    assert summary["idle_W"]["dram"] is None, "its counter did not move"
    assert summary["domains"]["package"]["energy_J"] == pytest.approx(1.0), "rest does not count as the run's"


def test_rest_without_a_meter_takes_no_time(tmp_path: Path) -> None:
    with sampler(tmp_path, PowerSettings(source="none")) as running:
        begin = time.monotonic()
        running.rest(60.0)
        assert time.monotonic() - begin < 30
        running.start()
        assert running.stop()["idle_W"] == {}


def test_cap_in_the_sampler_is_recorded_and_restored(tmp_path: Path, tree: FileTree) -> None:
    settings = PowerSettings(source="powercap", root=tree.root, state=tmp_path / "state")
    with sampler(tmp_path, settings, cap_w=120) as running:
        assert tree.limits() == [120_000_000] * 2
        running.start()
        summary = running.stop()
    assert tree.limits() == [215_000_000, 258_000_000]
    assert summary["cap"]["requested_W"] == 120
    assert [entry["W"] for entry in summary["cap"]["read_back"]] == [120, 120]


def test_an_unusable_source_leaves_the_cpu_trace(tmp_path: Path) -> None:
    with sampler(tmp_path, PowerSettings(source="powercap", root=tmp_path / "absent")) as running:
        running.start()
        job = python("import time; time.sleep(0.1)")
        running.watch(job.pid)
        job.wait()
        summary = running.stop()
    assert summary["source"] == "none" and "does not exist" in summary["reason"]
    assert summary["domains"] == {} and summary["cpu"]["cpu_s"] is not None


def test_a_trace_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(PowerError, match="ended unexpectedly"),
        sampler(tmp_path, trace=tmp_path / "no" / "t.csv"),
    ):
        pytest.fail("entered without a trace")


def test_a_full_disk_leaves_no_trace_under_its_name(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        running = sampler(tmp_path).__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    running.start()
    with pytest.raises(PowerError, match="ended unexpectedly"):
        running.stop()
    assert list(tmp_path.iterdir()) == []
