"""Hosts of a SLURM allocation, with a stand-in for srun that runs the step on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.hosts import HostError, HostsSettings, hosts, refusal
from tests.hosts import remains
from tests.hosts.conftest import settings_of


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostsSettings:
    return settings_of("slurm", tmp_path, monkeypatch)


def test_names_addresses_and_the_machines_counters(slurm: HostsSettings) -> None:
    with hosts(slurm, 2) as h:
        assert h.interconnect("gbe").names == ("n0", "n1")
        assert h.interconnect("gbe").addresses == ("127.0.0.1", "127.0.0.1")
        first = h[0].counters()
        h[0].run(["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"])
        second = h[0].counters()
        assert second.cpu_s > first.cpu_s
        assert second.rss_bytes > 10e6
        assert set(second.interfaces) == {"lo", "gbe"}


def test_steps_are_asked_for_one_by_one(slurm: HostsSettings, tmp_path: Path) -> None:
    with hosts(slurm, 1) as h:
        said = h[0].run(["sh", "-c", "echo $SLURM_STEP_ID $SLURM_JOB_ID"], env={"SLURM_STEP_ID": "1"}).stdout
        assert said == "1\n", "of the job, and not of our own step"
        assert h[0].run([*h.remote_shell, "n0", "echo", "$SLURM_JOB_ID", "there"]).stdout == "1 there\n"
        assert h[0].run(["pwd"]).stdout == f"{os.getcwd()}\n"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert all("--overlap --nodes=1 --ntasks=1 --nodelist=n0" in call for call in calls)
    assert [call.split()[-1] for call in calls] == ["holder", "step", "step", "there", "step"]


def test_end_of_the_block_ends_steps_and_removes_folders(
    slurm: HostsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"slurm-{os.getpid()}"
    monkeypatch.setenv(remains.MARK, mark)
    with hosts(slurm, 2) as h:
        h[1].start(["sh", "-c", "trap '' TERM; setsid sleep 4711 & sleep 4711"], log=os.devnull)
        assert h[0].scratch("ssd").is_dir()
        time.sleep(0.5)
        assert remains.processes(mark)
    assert list((tmp_path / "scratch").iterdir()) == []
    assert remains.gone_after(lambda: remains.processes(mark), 5)[1] == []


def test_kill_leaves_nothing(slurm: HostsSettings, tmp_path: Path) -> None:
    from tests.hosts.test_gone import drive

    mark = f"kill-slurm-{os.getpid()}"
    nodes = slurm.slurm.model_copy(update={"nodes": ["n0", "n1", "n2"]})
    driver = drive(slurm.model_copy(update={"slurm": nodes}), "slurm", mark)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "up\n"
    driver.kill()
    driver.wait()
    driver.stdout.close()
    found = remains.gone_after(
        lambda: remains.processes(mark) + list(map(str, (tmp_path / "scratch").iterdir())), 5
    )
    assert found[1] == []


def test_a_signal_ends_as_a_signal(slurm: HostsSettings) -> None:
    with hosts(slurm, 1) as h:
        assert h[0].run(["sh", "-c", "kill -SEGV $$"], check=False).code == -signal.SIGSEGV


def test_what_is_wrong_is_said(slurm: HostsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(settings: HostsSettings, n: int, message: str) -> None:
        with pytest.raises(HostError, match=message), hosts(settings, n):
            pass

    refused(slurm, 3, "3 are needed, the allocation has 2: n0, n1")
    ib = slurm.interfaces["gbe"].model_copy(update={"device": "ib0"})
    other = slurm.model_copy(update={"interfaces": {"ib": ib}})
    refused(other, 1, r"host n0: interface ib0: No such device; there are .*lo")
    disks = {"ssd": slurm.disks["ssd"].model_copy(update={"path": Path("/proc/none")})}
    refused(slurm.model_copy(update={"disks": disks}), 1, r"host n0: folder /proc/none.*No such file")
    (tmp_path / "srun").write_text("#!/bin/sh\necho 'srun: error: no such partition' >&2; exit 1\n")
    refused(slurm, 1, r"(?s)host n0: srun ended with code 1.*no such partition")
    monkeypatch.delenv("SLURM_JOB_ID")
    assert "not inside an allocation" in refusal(slurm)


def test_hosts_of_the_allocation_are_found(
    slurm: HostsSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("squeue", "n[0-1]"), ("scontrol", "n0\nn1")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{text}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n0")  # of the step only
    unnamed = slurm.model_copy(update={"slurm": slurm.slurm.model_copy(update={"nodes": []})})
    with hosts(unnamed, 2) as h:
        assert [host.name for host in h] == ["n0", "n1"]
    subprocess.run(["rm", tmp_path / "scontrol"], check=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="scontrol show hostnames"), hosts(unnamed, 2):
        pass
