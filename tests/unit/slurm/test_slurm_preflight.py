"""The preflight against clusters that answer in many ways: each wrong one is a line with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config.site import Batch
from harness.hosts import HostsSettings, hosts
from harness.slurm.nodes import apptainer
from harness.slurm.preflight import Check, Wanted, allocation, minutes_of, on_login, parse_partition

BATCH = Batch(partition="compute", account="hpc", cores_per_node=8, memory_mb_per_node=30_000)
PYTHON = "/usr/bin/python3"
WANTED = Wanted(nodes=3, minutes=60, memory_mb=4_000, disk_bytes=1)


class Login:
    """Programs of SLURM that say what a test wants."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("sbatch", "srun", "squeue"):
            self.says(name, "")
        self.says("scontrol", "Slurmctld(primary) at head is UP")
        self.says("sinfo", "compute|4|16|64000+|2-00:00:00|up")
        self.says("sacct", "")
        self.says("sacctmgr", "hpc\nother")

    def says(self, name: str, text: str, code: int = 0) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
        path.chmod(0o755)

    def checks(self, wanted: Wanted = WANTED) -> dict[str, Check]:
        return {check.name: check for check in on_login(BATCH, wanted, PYTHON)}


@pytest.fixture
def login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Login:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return Login(tmp_path)


def test_a_cluster_as_described_passes(login: Login) -> None:
    checks = login.checks()
    assert [check.name for check in checks.values() if not check.passed] == []
    assert "4 nodes of 16 cores and 64000 MB, jobs of 2880 min" in checks["partition compute"].line
    assert all(check.line.startswith("PASS  ") for check in checks.values())


@pytest.mark.parametrize(
    ("program", "text", "code", "name", "said"),
    [
        ("scontrol", "Slurmctld(primary) at head is DOWN", 0, "controller", "ask those who run the cluster"),
        ("sinfo", "", 0, "partition compute", "batch.partition must be one of"),
        ("sinfo", "compute|2|16|64000|infinite|up", 0, "partition compute", "2 nodes"),
        ("sinfo", "compute|4|4|64000|infinite|up", 0, "partition compute", "of 8 cores"),
        ("sinfo", "compute|4|16|2000|infinite|up", 0, "partition compute", "4000 MB"),
        ("sinfo", "compute|4|16|64000|30:00|up", 0, "partition compute", "jobs of 30 min"),
        (
            "sinfo",
            "compute|4|16|64000|infinite|down",
            0,
            "partition compute",
            "it is down: SLURM starts no jobs",
        ),
        (
            "sacct",
            "Slurm accounting storage is disabled",
            1,
            "accounts (sacct)",
            "slurm-status-command: squeue",
        ),
        ("sacctmgr", "other", 0, "account hpc", "this user has other; correct batch.account"),
    ],
)
def test_what_differs_fails_and_says_what_to_do(
    login: Login, program: str, text: str, code: int, name: str, said: str
) -> None:
    login.says(program, text, code)
    check = login.checks()[name]
    assert not check.passed
    assert check.line.startswith(f"FAIL  {name}: ")
    assert said in check.line


def test_too_little_space_and_no_slurm_at_all(login: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not login.checks(Wanted(nodes=1, minutes=1, memory_mb=1, disk_bytes=10**18))[
        "space in this folder"
    ].passed
    monkeypatch.setenv("PATH", "/nonexistent")
    checks = login.checks()
    assert list(checks) == ["Python", "SLURM's programs"]
    assert "no sbatch, srun" in checks["SLURM's programs"].line


def test_nodes_of_two_kinds_count_together_where_both_fit(login: Login) -> None:
    login.says(
        "sinfo",
        "compute|2|16|64000|infinite|up\ncompute|1|32|128000|infinite|up\ncompute|9|4|64000|infinite|up",
    )
    assert login.checks()["partition compute"].passed
    assert not login.checks(Wanted(nodes=4, minutes=60, memory_mb=4_000, disk_bytes=1))[
        "partition compute"
    ].passed


@given(days=st.integers(0, 30), hours=st.integers(0, 23), left=st.integers(0, 59))
def test_times_as_slurm_writes_them(days: int, hours: int, left: int) -> None:
    prefix = f"{days}-" if days else ""
    assert minutes_of(f"{prefix}{hours:02d}:{left:02d}:30") == (days * 24 + hours) * 60 + left


def test_odd_times_and_lines() -> None:
    assert (minutes_of("30:00"), minutes_of("infinite"), minutes_of("n/a")) == (30, None, None)
    assert parse_partition("head line") is None
    assert parse_partition("a|b|c|d|e|up") is None


def test_the_job_of_the_preflight_asks_for_whole_nodes() -> None:
    options = allocation(BATCH, 2)
    assert {"--nodes=2", "--exclusive", "--partition=compute", "--account=hpc", "--time=10"} <= set(options)


def test_nodes_are_asked_for_apptainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("sh", "unshare", "true"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    settings = HostsSettings.parse(
        {"kind": "local", "interfaces": {"gbe": {}}, "disks": {}, "scratch": str(tmp_path)}
    )
    fake = tmp_path / "bin" / "apptainer"
    with hosts(settings, 1) as here:
        monkeypatch.setenv("PATH", f"{tmp_path}/bin")  # this machine may have one
        assert not apptainer(here[0]).passed
        assert "leave out --sdm apptainer" in apptainer(here[0]).line
        # One with its set-uid starter, so that it does not matter whether one may open /dev/fuse here.
        starter = tmp_path / "apptainer/bin/starter-suid"
        starter.parent.mkdir(parents=True)
        starter.touch()
        starter.chmod(0o4755)
        told = f'[ "$1" != buildcfg ] || {{ echo {tmp_path}; exit; }}; echo apptainer version 1.4.5'
        fake.write_text(f"#!/bin/sh\n{told}\n")
        fake.chmod(0o755)
        assert apptainer(here[0]).line == f"PASS  {here[0].name} Apptainer: apptainer version 1.4.5"


def test_a_python_in_a_folder_with_a_blank_is_refused() -> None:
    check = next(iter(on_login(BATCH, WANTED, "/home/me/my project/.venv/bin/python")))
    assert check.line.startswith("FAIL  Python: /home/me/my project/.venv/bin/python; ")
    assert "whose name has no blank" in check.line
