"""The monitor on hosts of each kind."""

from __future__ import annotations

import contextlib
import csv
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.config.power import RedfishSettings
from harness.hosts import HostError, HostsSettings, hosts
from harness.measure import Monitor, PowerSettings
from harness.results.records import Metric
from tests.hosts.conftest import settings_of

WORK = """
import os, sys, time
block = bytearray(30_000_000)
end = time.process_time() + 0.6
while time.process_time() < end:
    pass
with open(sys.argv[1], "wb") as file:
    file.write(os.urandom(5_000_000))
    file.flush()
    os.fsync(file.fileno())
time.sleep(0.5)
"""
RECEIVE = "import socket; s = socket.create_server(('', 5001)); c = s.accept()[0]\nwhile c.recv(65536): pass"
SEND = """
import socket, time
for _ in range(100):
    try:
        socket.create_connection(("n0-ib", 5001)).sendall(bytes(1_000_000))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
"""


def read(trace: Path) -> list[dict[str, str]]:
    with trace.open(newline="") as file:
        return list(csv.DictReader(file))


def values(rows: list[dict[str, str]], host: str, domain: str, metric: str) -> list[float]:
    return [
        float(r["value"]) for r in rows if (r["host"], r["domain"], r["metric"]) == (host, domain, metric)
    ]


def named(metrics: list[Metric]) -> dict[str, float | None]:
    return {metric.name: metric.value for metric in metrics}


def test_each_hosts_own_use(emulated: HostsSettings, tmp_path: Path) -> None:
    trace = tmp_path / "run" / "trace.csv"
    with hosts(emulated, 3) as h:
        began = time.time()
        with Monitor(h, period_s=0.1, trace=trace) as monitor:
            started = time.time()
            receiver = h[0].start([sys.executable, "-c", RECEIVE], log=os.devnull)
            h[2].run([sys.executable, "-c", SEND])
            assert receiver.wait(20) == 0
            h[1].run([sys.executable, "-c", WORK, h[1].scratch("ssd") / "file"])
            seconds = time.time() - started
        assert began < monitor.origin <= started
    found = named(monitor.metrics(seconds))
    assert found["cpu.seconds"] == pytest.approx(0.8, abs=0.5)
    assert 30e6 < (found["memory.peak"] or 0) < 80e6
    assert 1e6 < (found["net.bytes.ib"] or 0) < 1.2e6
    assert found["net.bytes.gbe"] == 0
    assert found["hosts.sharing"] == 3
    assert found["cores"] == len(os.sched_getaffinity(0))
    assert found["disk.written"] == pytest.approx(5e6, rel=0.1)
    assert found["energy.total"] is None
    assert (found["sampler.missed"] or 0) < (found["sampler.samples"] or 0)
    # The programs that are started for it cost more than all its samples.
    assert 0 < (found["sampler.cpu"] or 0) < 0.05 * 3 * seconds
    rows = read(trace)
    assert {row["host"] for row in rows} == {"n0", "n1", "n2", "mean"}
    assert all(0 <= float(row["t_s"]) <= seconds + 1 for row in rows)
    assert sum(values(rows, "n1", "cpu", "user")) > 2 * sum(values(rows, "n0", "cpu", "user"))
    arrived = {host: sum(values(rows, host, "net:ib", "received")) for host in ("n0", "n1")}
    assert arrived["n0"] > 100 * arrived["n1"]  # where nothing but the question for an address arrives
    for host in ("n0", "n1", "n2"):
        assert len(values(rows, host, "cpu", "idle")) == len(values(rows, host, "load", "1min")) >= 1
    assert [path.name for path in trace.parent.iterdir()] == ["trace.csv"]


def test_local_hosts_share_their_interfaces(local: HostsSettings, tmp_path: Path) -> None:
    with hosts(local, 2) as h, Monitor(h, period_s=0.2, trace=tmp_path / "trace.csv") as monitor:
        h[1].run([sys.executable, "-c", WORK, h[1].scratch("ssd") / "file"])
    found = {metric.name: metric for metric in monitor.metrics()}
    assert found["net.bytes"].reason == "hosts of kind local share the interfaces of this machine"
    assert found["cpu.seconds"].value == pytest.approx(0.7, abs=0.5)
    rows = read(tmp_path / "trace.csv")
    assert sum(values(rows, "n0", "cpu", "user")) < 0.2 * sum(values(rows, "n1", "cpu", "user"))


def test_real_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = settings_of("slurm", tmp_path, monkeypatch)
    with hosts(slurm, 2) as h, Monitor(h, period_s=0.2, trace=tmp_path / "trace.csv") as monitor:
        h[0].run([sys.executable, "-c", WORK, h[0].scratch("ssd") / "file"])
    found = {metric.name: metric for metric in monitor.metrics()}
    assert (found["cpu.seconds"].value or 0) > 1.0  # both hosts are this machine
    assert found["energy.total"].reason == "no power source was asked for"
    rows = read(tmp_path / "trace.csv")
    assert {row["source"] for row in rows} == {"measured:procfs"}
    parts = [values(rows, "n0", "cpu", state) for state in ("user", "system", "wait", "idle")]
    assert all(sum(states) == pytest.approx(1, abs=0.2) for states in zip(*parts, strict=True))
    assert values(rows, "mean", "load", "1min")


@contextlib.contextmanager
def growing_tree(root: Path, watts: float) -> Iterator[Path]:
    """A powercap tree of a package that draws `watts`."""
    zone = root / "intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("262143328850\n")
    began = time.monotonic()
    fd = os.open(zone / "energy_uj", os.O_WRONLY | os.O_CREAT, 0o644)
    end = threading.Event()

    def feed() -> None:
        while True:
            os.pwrite(fd, f"{1_000_000 + int(watts * 1e6 * (time.monotonic() - began)):<20}\n".encode(), 0)
            if end.wait(0.02):
                return

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        while not (zone / "energy_uj").read_text():
            time.sleep(0.01)
        yield root
    finally:
        end.set()
        feeder.join()
        os.close(fd)


def energy_of(settings: HostsSettings, n: int, power: PowerSettings, trace: Path) -> tuple[Metric, Metric]:
    """Energy and mean power of hosts at rest for a second or so."""
    with hosts(settings, n) as h, Monitor(h, period_s=0.25, trace=trace, power=power) as monitor:
        h[0].run(["sleep", "1.2"])
    found = {metric.name: metric for metric in monitor.metrics()}
    return found["energy.total"], found["power.mean"]


def test_each_real_hosts_power_is_measured_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = settings_of("slurm", tmp_path, monkeypatch)
    trace = tmp_path / "trace.csv"
    with growing_tree(tmp_path / "powercap", 50) as root:
        energy, mean = energy_of(slurm, 2, PowerSettings(source="powercap", root=root), trace)
    assert energy.source == "emulated:files"
    assert mean.value == pytest.approx(100, rel=0.1), "of two hosts"
    rows = read(trace)
    for host in ("n0", "n1", "mean"):
        watts = values(rows, host, "power", "power")
        assert len(watts) >= 3 and watts[1:] == pytest.approx([50] * (len(watts) - 1), rel=0.3), host
    calls = (tmp_path / "calls").read_text().splitlines()
    for node in ("n0", "n1"):
        assert any(f"--nodelist={node}" in call and "harness.measure sample" in call for call in calls)
    assert not list(tmp_path.glob("trace.n*"))


def test_emulated_power_of_real_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = settings_of("slurm", tmp_path, monkeypatch)
    energy, _ = energy_of(slurm, 2, PowerSettings(source="emulated:knm-like"), tmp_path / "trace.csv")
    assert energy.source == "emulated:knm-like" and (energy.value or 0) > 0
    assert values(read(tmp_path / "trace.csv"), "n1", "power", "power")


def test_a_bmc_measures_its_own_host_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = settings_of("slurm", tmp_path, monkeypatch)
    bmc = RedfishSettings(url="https://127.0.0.1:1")
    energy, _ = energy_of(slurm, 2, PowerSettings(source="redfish", redfish=bmc), tmp_path / "trace.csv")
    assert energy.value is None
    assert "is one BMC, there are 2 hosts; write {host} in power.redfish.url" in energy.reason


SLURM_PROGRAMS = {
    "scontrol": "echo 'AcctGatherEnergyType = acct_gather_energy/ipmi'; echo 'energy=1'",
    "sacct": "echo '1.0|daemon|5000'; [ -e {gone} ] && echo '1.7|kvasir-sampler|321'; true",
    "srun": "echo 7; cat > /dev/null; touch {gone}",
}


@pytest.mark.parametrize("kind", ["slurm", "local"])
def test_slurms_accounts_of_the_job_are_the_hosts_energy(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(kind, tmp_path, monkeypatch)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, body in SLURM_PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{body.format(gone=tmp_path / 'gone')}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    if kind == "slurm":
        script = Path(settings.slurm.srun[0])
        held = f"case $* in *kvasir-sampler*) exec {programs}/srun;; esac\n"
        script.write_text(script.read_text().replace("while :", held + "while :", 1))
    energy, _ = energy_of(settings, 1, PowerSettings(source="slurm"), tmp_path / "trace.csv")
    assert (energy.value, energy.source, energy.reason) == (321.0, "measured:slurm-ipmi", "")


def test_a_block_that_fails_leaves_no_trace(local: HostsSettings, tmp_path: Path) -> None:
    with hosts(local, 1) as h, pytest.raises(HostError), Monitor(h, trace=tmp_path / "run" / "trace.csv"):
        h[0].run(["false"])
    assert list((tmp_path / "run").iterdir()) == []


def test_a_sampler_that_dies_takes_its_numbers_along(local: HostsSettings, tmp_path: Path) -> None:
    with hosts(local, 2) as h, Monitor(h, trace=tmp_path / "trace.csv") as monitor:
        monitor._programs[1][0].signal(signal.SIGKILL)
        time.sleep(0.3)
    lost = {metric.name: metric for metric in monitor.metrics()}
    assert "host n1: its sampler did not come to its end" in lost["cpu.seconds"].reason
    assert read(tmp_path / "trace.csv") == []
