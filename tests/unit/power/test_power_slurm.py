from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.measure import PowerSettings, SlurmSettings, resolve
from harness.measure.sources.slurm import Slurm

ABSURD = 18446744073709549416  # what SLURM records when its feed was read half-written
CONFIG = "AcctGatherEnergyType    = acct_gather_energy/pm_counters\n"
NO_DATABASE = "Slurm accounting storage is disabled"


class Cluster:
    """Fake `sacct` and `scontrol` that print files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.say("config", CONFIG)
        self.say("sacct", "7|0\n7.batch|5\n7.0|900\n")
        self.say("job", "JobId=7\n   TRES=cpu=4,mem=1G,node=2,energy=1000,billing=4\n")
        self._program("sacct", f'cat "{folder}/sacct.txt"')
        self._program(
            "scontrol", f'case $2 in config) cat "{folder}/config.txt";; *) cat "{folder}/job.txt";; esac'
        )

    def say(self, name: str, text: str) -> None:
        (self.folder / f"{name}.txt").write_text(text)

    def no_accounting(self) -> None:
        self._program("sacct", f"echo '{NO_DATABASE}' >&2; exit 1")

    def _program(self, name: str, body: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{cluster.folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    return cluster


SETTINGS = PowerSettings(source="slurm", slurm=SlurmSettings(settle_s=0))


def energy(cluster: Cluster, name: str, after: str) -> tuple[float | None, str]:
    reader = Slurm(SETTINGS, "").open()
    cluster.say(name, after)
    return reader.afterwards()["node"]


def test_source_is_named_after_the_plugin(cluster: Cluster) -> None:
    found = resolve(SETTINGS)
    assert (found.source_name, found.domains) == ("measured:slurm-pm_counters", ("node",))
    assert not found.can_cap


def test_steps_of_this_run_only(cluster: Cluster) -> None:
    after = "7|0\n7.batch|5\n7.0|900\n7.1|2103\n7.2|97\n7.extern|1\n77.3|50\n"
    assert energy(cluster, "sacct", after) == (2200.0, "")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (str(ABSURD), f"energy {ABSURD} J is absurd"),
        ("0", "energy is 0"),
        ("", "no energy is recorded"),
    ],
)
def test_what_is_no_energy_is_rejected(cluster: Cluster, raw: str, reason: str) -> None:
    value, why = energy(cluster, "sacct", f"7.0|900\n7.1|50\n7.2|{raw}\n")
    assert value is None and reason in why and "step 7.2" in why


def test_no_new_step(cluster: Cluster) -> None:
    value, why = energy(cluster, "sacct", "7.0|900\n")
    assert value is None and "no step of job 7 begun during the run" in why


@pytest.mark.parametrize(
    ("after", "value", "reason"),
    [
        ("energy=3103,billing=4", 2103.0, ""),
        ("energy=3.1K", 2100.0, ""),
        ("energy=1000", None, "did not grow"),
        ("energy=0", None, "energy is 0"),
        (f"energy={ABSURD}", None, "absurd"),
        ("cpu=4", None, "no energy is recorded"),
    ],
)
def test_without_accounting_the_job_total_grows(
    cluster: Cluster, after: str, value: float | None, reason: str
) -> None:
    cluster.no_accounting()
    found, why = energy(cluster, "job", f"JobId=7\n   TRES=node=2,{after}\n")
    assert found == value and reason in why


def test_details_say_that_whole_nodes_are_meant(cluster: Cluster) -> None:
    reader = Slurm(SETTINGS, "").open()
    cluster.say("sacct", "7.1|10\n")
    reader.afterwards()
    details = reader.details()["slurm"]
    assert details["steps"] == {"7.1": 10} and details["asked"] == "sacct"
    assert details["plugin"] == "pm_counters" and "whole nodes" in details["scope"]


def test_outside_a_job(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID")
    assert "not inside a SLURM job" in Slurm(SETTINGS, "").probe().reason
    with_id = PowerSettings(source="slurm", slurm=SlurmSettings(job_id="7"))
    assert Slurm(with_id, "").probe().usable


def test_cluster_without_plugin(cluster: Cluster) -> None:
    cluster.say("config", "AcctGatherEnergyType = acct_gather_energy/none\n")
    assert "gathers no energy" in Slurm(SETTINGS, "").probe().reason


def test_no_slurm_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "scontrol is not installed" in Slurm(SETTINGS, "").probe().reason
