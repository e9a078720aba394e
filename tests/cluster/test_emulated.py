"""The emulated SLURM does what a real one does, survives what a real one survives, and leaves nothing."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from harness.config.slurm import SlurmCluster, Watts
from harness.hosts import HostError, HostsSettings
from harness.slurm import emulated
from harness.slurm.configuration import Places, render
from harness.slurm.emulated import EmulatedSlurm, refusal
from harness.slurm.energy import watts_of, write_counters
from tests.cluster.conftest import settings_in
from tests.hosts import remains
from tests.hosts.test_gone import drive

ROOT = Path(__file__).resolve().parents[2]


def state_of(slurm: EmulatedSlurm, job: str) -> str:
    return slurm.ask("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()


def submit(slurm: EmulatedSlurm, command: str, *options: str) -> str:
    return slurm.ask("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", command).strip()


def await_state(slurm: EmulatedSlurm, job: str, *wanted: str) -> str:
    slurm.wait(f"{job} is {wanted}", time.monotonic() + 90, lambda: state_of(slurm, job) in wanted)
    return state_of(slurm, job)


@pytest.fixture(scope="module", autouse=True)
def over_time(slurm: EmulatedSlurm) -> str:
    """A job that sleeps longer than its limit of a minute, the shortest there is, while the tests go on."""
    return submit(slurm, "sleep 600", "-t", "0:01", "-w", "n1")


def test_every_node_is_a_host_of_its_own(slurm: EmulatedSlurm) -> None:
    said = slurm.ask("srun", "-N3", "sh", "-c", "echo $(hostname) $(ls /tmp | grep -c slurmd) $(ip -o link)")
    lines = sorted(said.splitlines())
    assert [line.split()[0] for line in lines] == ["n1", "n2", "n3"]
    assert all("gbe" in line and "ib" in line for line in lines)


def test_processes_of_a_step_find_each_other(slurm: EmulatedSlurm) -> None:
    command = "echo $PMIX_RANK of $SLURM_STEP_NUM_TASKS on $(hostname) ${PMIX_NAMESPACE:+pmix}"
    said = slurm.ask("srun", "--mpi=pmix", "-N2", "-n4", "sh", "-c", command).splitlines()
    assert sorted(line[0] for line in said) == list("0123")
    assert len({line.split()[-2] for line in said}) == 2
    assert all(line.endswith(" pmix") for line in said)


def test_accounts_hold_synthetic_joules_that_call_themselves_so(slurm: EmulatedSlurm) -> None:
    job = slurm.ask("srun", "-N2", "--exclusive", "sh", "-c", "echo $SLURM_JOB_ID; sleep 5").split()[0]
    fields = "JobID,ConsumedEnergyRaw,ElapsedRaw"
    said = slurm.ask("sacct", "-n", "-P", "-j", f"{job}.0", "-o", fields).strip().split("|")
    joules, seconds = int(said[1]), int(said[2])
    # Two nodes of at least 60 W each; the plugin reads once a second, so its first and last second may be missing.
    assert 60 * 2 * (seconds - 2) <= joules <= 150 * 2 * (seconds + 2)
    settings = f'{{"source": "slurm", "slurm": {{"job_id": "{job}"}}}}'
    probe = [sys.executable, "-m", "harness.measure", "probe", "--json", "--settings", settings]
    said = slurm.login.run(probe, env={"PYTHONPATH": str(ROOT / "src")}, check=False).stdout
    assert "emulated:slurm" in said
    assert "measured:slurm" not in said


def test_a_cells_hosts_have_the_joules_of_the_accounts(slurm: EmulatedSlurm) -> None:
    driver = [sys.executable, str(ROOT / "tests/cluster/energy_of_hosts.py")]
    trace = slurm.places.common / "energy" / "trace.csv"
    words = ["salloc", "-Q", "-N2", "--exclusive", *driver, str(trace)]
    found = json.loads(slurm.login.run(words, env={"PYTHONPATH": str(ROOT / "src")}, timeout_s=120).stdout)
    assert (found["source"], found["reason"]) == ("emulated:slurm", "")
    # Both nodes, at 60 to 150 W each, once: neither the daemon's step nor the program's is added.
    assert 60 * 2 * (found["seconds"] - 2) <= found["joules"] <= 150 * 2 * (found["seconds"] + 2)


def test_a_job_over_its_memory_ends(slurm: EmulatedSlurm) -> None:
    large = submit(
        slurm, "srun python3 -c 'x = bytearray(400 << 20); import time; time.sleep(60)'", "--mem=50"
    )
    assert await_state(slurm, large, "FAILED", "OUT_OF_MEMORY", "CANCELLED", "COMPLETED") != "COMPLETED"


def test_jobs_outlive_their_controller(slurm: EmulatedSlurm) -> None:
    job = submit(slurm, "sleep 5")
    await_state(slurm, job, "RUNNING")
    slurm.stop("slurmctld")
    with pytest.raises(HostError):
        slurm.login.run(["timeout", "1", "squeue"])
    slurm.start_controller()
    deadline = time.monotonic() + 60
    slurm.wait("controller answers", deadline, lambda: slurm.login.run(["squeue"], check=False).code == 0)
    assert await_state(slurm, job, "COMPLETED", "FAILED", "NODE_FAIL") == "COMPLETED"


def test_a_node_that_dies_fails_its_job_and_comes_back(slurm: EmulatedSlurm) -> None:
    job = submit(slurm, "sleep 600", "-w", "n3", "--no-requeue")
    await_state(slurm, job, "RUNNING")
    slurm.stop("slurmd-n3", 0)
    slurm.nodes[2].run(["pkill", "-9", "slurmstepd"], check=False)
    assert await_state(slurm, job, "NODE_FAIL", "FAILED", "COMPLETED") == "NODE_FAIL"
    slurm.start_node(slurm.nodes[2])
    slurm.await_nodes(time.monotonic() + 60)


def test_a_job_over_its_time_ended(slurm: EmulatedSlurm, over_time: str) -> None:
    assert await_state(slurm, over_time, "TIMEOUT", "COMPLETED") == "TIMEOUT"


def test_kill_leaves_nothing(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    if reason := refusal(SlurmCluster(hosts=settings)):
        pytest.skip(reason)
    mark, links, loops = f"slurm-{os.getpid()}", remains.links(), remains.loops()
    with drive(settings, "", mark, "tests.cluster.driver") as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "up\n"
        assert remains.processes(mark)
        driver.kill()
    found = remains.gone_after(lambda: remains.left(mark, tmp_path, links, loops), 5)[1]
    assert found == []


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    there = emulated.program
    monkeypatch.setattr(emulated, "program", lambda name: None if name == "slurmdbd" else there(name))
    assert "slurmdbd: install the packages slurmctld slurmd" in refusal(SlurmCluster())
    local = SlurmCluster(hosts=HostsSettings(kind="local"))
    assert "needs hosts of kind emulated, not local" in refusal(local)


def test_nodes_without_accounting_ask_for_no_database(tmp_path: Path) -> None:
    cluster = SlurmCluster(nodes=2, accounting=False)
    addresses = {f"n{i}": f"10.0.0.{i}" for i in range(3)}
    files = render(cluster, Places(tmp_path), "me", addresses)
    assert "slurmdbd.conf" not in files
    assert "AccountingStorageType=accounting_storage/none" in files["slurm.conf"]
    assert files["slurm.conf"].count("NodeName=") == 2


def test_watts_follow_the_cores_in_use(tmp_path: Path) -> None:
    watts = Watts(idle=50, busy=150)
    assert watts_of(watts, 2, 0.0, 1.0) == 50
    assert watts_of(watts, 2, 1.0, 1.0) == 100
    assert watts_of(watts, 2, 9.0, 1.0) == 150
    write_counters(tmp_path, 12.7, 50.2)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "energy": "12 J\n",
        "power": "50 W\n",
    }
