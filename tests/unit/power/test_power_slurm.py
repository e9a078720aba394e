from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.measure import PowerError, PowerSettings, SlurmSettings, resolve
from harness.measure.model import Hold
from harness.measure.sources.slurm import Slurm, SlurmReader

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


def hold_on(cluster: Cluster, nodes: tuple[str, ...], body: str) -> SlurmReader:
    cluster._program("srun", f'echo "$@" > "{cluster.folder}/words"\n{body}')
    reader = SlurmReader(SETTINGS.slurm)
    reader.hold(Hold(nodes=nodes))
    return reader


def test_held_nodes_are_counted_by_the_step_that_holds_them(cluster: Cluster) -> None:
    reader = hold_on(cluster, ("n1", "n2"), "echo 3; echo 3; cat > /dev/null; echo gone > $0.end")
    words = (cluster.folder / "words").read_text()
    assert "--nodes=2 --ntasks=2 --ntasks-per-node=1 --nodelist=n1,n2 --overlap" in words
    assert not (cluster.folder / "srun.end").exists()
    cluster.say("sacct", "7.0|daemon|900\n7.1|client|70\n7.3|kvasir-sampler|1234\n7.4|other|5\n")
    assert reader.afterwards() == {"node": (1234.0, "")}
    assert (cluster.folder / "srun.end").exists(), "SLURM tells when the step has ended"
    assert reader.details()["slurm"]["steps"] == {"7.3": 1234}
    reader.close()


def test_held_nodes_without_accounting_are_asked_for_while_the_step_runs(cluster: Cluster) -> None:
    cluster.no_accounting()
    cluster._program("sstat", '[ "$4" = 7.3 ] && [ ! -e "${0%/*}/srun.end" ] && echo 77')
    reader = hold_on(cluster, ("n1",), "echo 3; cat > /dev/null; echo gone > $0.end")
    assert reader.afterwards() == {"node": (77.0, "")}
    assert reader.details()["slurm"]["asked"] == "sstat"
    reader.close()


def test_nodes_that_cannot_be_held(cluster: Cluster) -> None:
    with pytest.raises(PowerError, match="no step on 2 nodes within 60 s: srun: error: nodes are busy"):
        hold_on(cluster, ("n1", "n2"), "echo 3; echo 'srun: error: nodes are busy' >&2")
    reason = 'expected JSON with lists nodes and srun, found {"nodes": 1}'
    with pytest.raises(PowerError, match=reason):
        Hold.load('{"nodes": 1}')
