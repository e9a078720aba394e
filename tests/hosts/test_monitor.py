"""The monitor on hosts of each kind."""

from __future__ import annotations

import csv
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from harness.hosts import HostError, HostsSettings, hosts
from harness.measure import Monitor
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
