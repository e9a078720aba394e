from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from power_trees import wait_until

from harness.config.power import PROFILES
from harness.kernel.procfs import children
from harness.measure import PowerError, PowerSettings, Sampler, Sampling, resolve
from harness.measure.emulator.model import CubeLaw, Tree, load
from harness.measure.emulator.throttle import CgroupQuota, DutyCycle, choose, own_groups
from harness.measure.sources.powercap import PowercapReader

SPIN = "import sys\nprint('go', flush=True)\nwhile True: pass\n"
LAW = CubeLaw.of(load(PROFILES, "knm-like").parameters)


def spinner() -> subprocess.Popen[str]:
    job = subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None and job.stdout.readline() == "go\n"
    job.stdout.close()
    return job


def cpu_seconds(job: subprocess.Popen[str]) -> float:
    return time.clock_gettime((~job.pid << 3) | 2)


def profile_with(folder: Path, **values: float) -> PowerSettings:
    """Settings with a profile `test`: knm-like with some values replaced."""
    content = yaml.safe_load((PROFILES / "knm-like.yaml").read_text())
    content["name"] = "test"
    for name, value in values.items():
        content["parameters"][name]["value"] = value
    folder.mkdir(exist_ok=True)
    (folder / "test.yaml").write_text(yaml.safe_dump(content))
    return PowerSettings(source="emulated:test", profiles=folder, state=folder / "state")


def emulated_run(
    settings: PowerSettings, folder: Path, seconds: float, cap_w: float | None = None
) -> dict[str, Any]:
    """Summary of a spinning process run for `seconds`; `test` holds its CPU and wall time once taken over."""
    sampling = Sampling(
        power=settings, period_ms=50, trace=folder / "t.csv", summary=folder / "s.json", cap_w=cap_w
    )
    with Sampler(sampling) as sampler:
        sampler.start()
        job = spinner()
        try:
            sampler.watch(job.pid)
            used, begin = cpu_seconds(job), time.monotonic()
            time.sleep(seconds)
            used, wall = cpu_seconds(job) - used, time.monotonic() - begin
            return {**sampler.stop(), "test": {"cpu_s": used, "wall_s": wall}}
        finally:
            job.kill()
            job.wait()


class TestModel:
    def test_figures_of_the_notes(self) -> None:
        assert LAW.package_w(0.0, 1.0) == 72.0
        assert LAW.package_w(1.0, 1.0) == 155.0
        # Slow-down at 140 and 120 W for a=3, beta=1: 1.07 and 1.20.
        assert 1 / LAW.speed(LAW.target_frequency(140)) == pytest.approx(1.07, abs=0.01)
        assert 1 / LAW.speed(LAW.target_frequency(120)) == pytest.approx(1.20, abs=0.01)

    def test_full_load_draws_exactly_the_cap(self) -> None:
        for cap_w in (90, 120, 140):
            f = LAW.target_frequency(cap_w)
            assert LAW.package_w(LAW.speed(f), f) == pytest.approx(cap_w)

    def test_frequency_stays_in_its_range(self) -> None:
        assert LAW.target_frequency(1000) == 1.0
        assert LAW.target_frequency(10) == LAW.fmin

    def test_the_filter_approaches_and_never_overshoots(self) -> None:
        f, target = 1.0, LAW.target_frequency(120)
        for _ in range(100):
            previous, f = f, LAW.next_frequency(f, 120, 0.01)
            assert target <= f <= previous
        assert f == pytest.approx(target, abs=1e-6)


class TestProfile:
    def test_every_parameter_names_its_origin(self) -> None:
        profile = load(PROFILES, "knm-like")
        assert all(parameter.origin for _, parameter in profile.parameters)
        assert profile.parameters.idle_w.assumption and not profile.parameters.limit_w.assumption

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"parameters": {"idle_w": {"value": -1, "unit": "W", "origin": "x", "assumption": True}}},
                "idle_w",
            ),
            ({"name": "other"}, "expected 'bad'"),
            ({"colour": "red"}, "colour"),
        ],
    )
    def test_errors_name_file_and_key(self, tmp_path: Path, change: dict[str, Any], message: str) -> None:
        content = yaml.safe_load((PROFILES / "knm-like.yaml").read_text()) | {"name": "bad"}
        content["parameters"] |= change.pop("parameters", {})
        (tmp_path / "bad.yaml").write_text(yaml.safe_dump(content | change))
        with pytest.raises(PowerError, match=message) as error:
            load(tmp_path, "bad")
        assert "bad.yaml" in str(error.value)

    def test_unknown_profile_lists_what_there_is(self) -> None:
        found = resolve(PowerSettings(source="emulated:absent"))
        assert found.source_name == "none" and "there are: knm-like" in found.reason

    def test_a_source_without_profile_is_no_source(self) -> None:
        for source in ("emulated", "emulated:", "emulated:../x", "Emulated:knm-like"):
            with pytest.raises(ValueError, match="source"):
                PowerSettings(source=source)


def test_tree_wraps_like_a_real_one_and_is_marked(tmp_path: Path) -> None:
    profile = load(PROFILES, "knm-like")
    tree = Tree(tmp_path / "powercap", profile)
    assert (tmp_path / "powercap/EMULATED").read_text().startswith("knm-like\n")
    reader = PowercapReader(PowerSettings(root=tmp_path / "powercap"))
    for _ in range(10):
        tree.add(1.5, 0.25)
    package, dram = reader.read()
    assert (package.value, dram.value) == (pytest.approx(15.0), pytest.approx(2.5))
    assert [zone["wraps"] for zone in reader.details()["zones"]] == [1, 0]
    assert tree.cap_w() == 215.0
    limit = tmp_path / "powercap/intel-rapl:0/constraint_1_power_limit_uw"
    limit.write_bytes(b"120000000\0\0\0\0")  # PAPI_write leaves NULs behind
    assert tree.cap_w() == 120.0
    tree.close()


def test_end_to_end_every_number_is_marked(tmp_path: Path) -> None:
    summary = emulated_run(PowerSettings(source="emulated:knm-like"), tmp_path, 0.6)
    with (tmp_path / "t.csv").open(newline="") as file:
        power = [row for row in csv.DictReader(file) if row["metric"] == "power"]
    assert {row["domain"] for row in power} == {"package", "dram"}
    assert {row["source"] for row in power} == {"emulated:knm-like"} == {summary["source"]}
    package = summary["domains"]["package"]
    assert 72 <= package["power_mean_W"] <= 155.1
    assert summary["emulated"]["parameters"]["idle_w"] == {
        **yaml.safe_load((PROFILES / "knm-like.yaml").read_text())["parameters"]["idle_w"]
    }
    assert len(summary["emulated"]["sha256"]) == 64
    assert summary["emulated"]["slice_cores"] == pytest.approx(0.6 * len(os.sched_getaffinity(0)))
    assert not any("measured:rapl" in path.read_text() for path in tmp_path.glob("*.*"))


@pytest.mark.parametrize("cap_w", [None, 75.0])
def test_slice_and_cap_bind_the_job(tmp_path: Path, cap_w: float | None) -> None:
    # A slice of 0.4 cores in all, of which 3 W above idle leave a third: (3 / 83)^(1/3).
    share = 0.4 / len(os.sched_getaffinity(0))
    settings = profile_with(tmp_path / "profiles", slice_share=share, min_frequency=0.25)
    summary = emulated_run(settings, tmp_path, 1.5, cap_w)
    granted = 0.4 * (1 if cap_w is None else 0.33)
    # An upper bound only: a busy machine may well give less. The cap needs some 0.2 s to settle.
    assert summary["test"]["cpu_s"] <= granted * summary["test"]["wall_s"] * 1.4 + 0.1
    counts = summary["emulated"]
    starved = summary["test"]["cpu_s"] < 0.9 * granted * summary["test"]["wall_s"]
    assert starved or counts.get("nr_throttled", 0) + counts.get("stops", 0) > 0
    assert (summary["cap"] or {}).get("requested_W") == cap_w
    if cap_w is not None:
        assert summary["cap"]["source"] == "emulated:test"


def test_an_emulator_that_dies_leaves_no_energy_and_no_stopped_job(tmp_path: Path) -> None:
    settings = profile_with(tmp_path / "profiles", slice_share=0.05)
    sampling = Sampling(power=settings, period_ms=20, trace=tmp_path / "t.csv", summary=tmp_path / "s.json")
    with Sampler(sampling) as sampler:
        (emulator,) = children(sampler.pid)
        sampler.start()
        job = spinner()
        sampler.watch(job.pid)
        os.kill(emulator, signal.SIGKILL)
        time.sleep(0.1)
        summary = sampler.stop()
    package = summary["domains"]["package"]
    assert (package["energy_J"], package["source"]) == (None, "none")
    assert "emulator ended" in package["reason"]
    assert summary["cpu"]["cpu_s"] is not None
    wait_until(lambda: _state(job.pid) != "T", "the job runs on")
    job.kill()
    job.wait()


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


class TestThrottles:
    def test_duty_cycle_holds_a_budget_and_lets_go(self) -> None:
        job = spinner()
        try:
            throttle = DutyCycle(0.02)
            throttle.adopt(job.pid)
            begin = time.monotonic()
            used = cpu_seconds(job)
            while time.monotonic() < begin + 1.0:
                throttle.limit(0.2)
                time.sleep(0.005)
            used = cpu_seconds(job) - used
            # Each late look lets the job run on; what it took too much is stopped for afterwards.
            assert used <= 0.2 * (time.monotonic() - begin) * 1.5 + 0.1
            assert throttle.statistics()["stops"] > 0
            throttle.close()
            wait_until(lambda: _state(job.pid) != "T", "the job runs on")
        finally:
            job.kill()
            job.wait()

    def test_v2_group_is_written_as_the_kernel_wants_it(self, tmp_path: Path) -> None:
        # A plain folder stands in for a cgroup: only the file's name and content are of interest.
        quota = CgroupQuota(tmp_path / "group", 2, 20_000, hold_s=0)
        quota.limit(0.5)
        assert (tmp_path / "group/cpu.max").read_text() == "10000 20000"
        quota.limit(0.001)
        assert (tmp_path / "group/cpu.max").read_text() == "1000 20000"

    def test_v1_group(self, tmp_path: Path) -> None:
        quota = CgroupQuota(tmp_path / "group", 1, 20_000, hold_s=0)
        quota.limit(0.5)
        assert (tmp_path / "group/cpu.cfs_period_us").read_text() == "20000"
        assert (tmp_path / "group/cpu.cfs_quota_us").read_text() == "10000"

    def test_the_quota_is_not_written_at_every_tick(self, tmp_path: Path) -> None:
        quota = CgroupQuota(tmp_path / "group", 2, 20_000, hold_s=1000)
        first = (tmp_path / "group/cpu.max").read_text()
        quota.limit(0.5)
        assert (tmp_path / "group/cpu.max").read_text() == first

    def test_real_group_where_there_is_one_else_duty_cycle(self) -> None:
        throttle = choose(0.02)
        try:
            assert throttle.name in ("cgroup-v1", "cgroup-v2", "duty-cycle")
            if throttle.name != "duty-cycle":
                job = spinner()
                throttle.adopt(job.pid)
                group = Path(f"/proc/{job.pid}/cgroup").read_text()
                assert f"kvasir-emulated-{os.getpid()}" in group
                throttle.close()
                assert "kvasir-emulated" not in Path(f"/proc/{job.pid}/cgroup").read_text()
                job.kill()
                job.wait()
        finally:
            throttle.close()

    def test_no_group_means_duty_cycle(self, tmp_path: Path) -> None:
        assert choose(0.02, []).name == "duty-cycle"
        assert choose(0.02, [(1, tmp_path / "no/group"), (2, tmp_path / "no/group")]).name == "duty-cycle"

    def test_own_groups_exist(self) -> None:
        assert all(folder.is_dir() for _, folder in own_groups())
