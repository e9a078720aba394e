"""`snakemake --profile slurm`, literally, on an emulated cluster: a part of every study, and what goes wrong there.

The checkout is the one of the smoke run, so programs and data are there; results of the cluster lie apart.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from harness.slurm.configuration import FOLDER

from .checkout import PROJECT, Checkout
from .cluster import CELL, IN_CELL, MPI, PROGRAM, RESULTS, SIMULATED, Cluster


@dataclass
class Part:
    """What the run of a part of every study said and left, before anything went wrong."""

    said: str
    left: Cluster
    """The same cluster with a copy of the results alone."""
    jobs: list[dict[str, str]]


@pytest.fixture(scope="module")
def part(cluster: Cluster) -> Part:
    said = cluster.run("--", MPI, SIMULATED, *IN_CELL, timeout_s=1400)
    kept = cluster.checkout.folder.parent / "part by the cluster"
    shutil.copytree(cluster.checkout.folder / RESULTS, kept / RESULTS)
    return Part(
        said, Cluster(cluster.slurm, Checkout(kept)), [job for job in cluster.jobs() if job["Comment"]]
    )


def test_a_part_of_every_study(part: Part) -> None:
    lines = [line for line in part.said.splitlines() if line.startswith(("PASS", "FAIL"))]
    left = part.left
    assert len(lines) > 10 and all(line.startswith("PASS") for line in lines), lines
    found = left.read(MPI)
    assert {row["status"] for row in found} == {"ok"}
    joules = {row["source"] for row in found if row["metric"] == "energy.total" and row["value"]}
    assert joules <= {"emulated:slurm"}, "synthetic, where a short run has any"
    # A sampler on each node has seen the ranks, which are nobody's children on hosts of SLURM.
    traces = (left.checkout.folder / RESULTS).glob("runs/mimir/realtext/*/*/trace.csv")
    sampled = [
        line for trace in traces for line in trace.read_text().splitlines()[1:]
    ]  # a short run may have none
    assert all(",all,ranks,cpu," in line for line in sampled)
    assert {row["status"] for row in left.read(SIMULATED)} == {"ok"}
    cell = json.loads((left.checkout.folder / CELL).read_text())
    assert {run["status"] for run in cell["runs"]} == {"ok"}, cell
    for table in IN_CELL:
        run = {row["framework"] for row in left.read(table) if row["status"] == "ok"}
        assert run == {"hadoop-ipoib", "engine-ipoib"}, table
    records = (left.checkout.folder / RESULTS).rglob("run.json")
    said = {json.loads(record.read_text())["environment"].get("nodes") for record in records}
    assert said == {"emulated: they share one machine"}
    jobs = part.jobs
    assert {job["State"] for job in jobs} == {"COMPLETED"}
    assert {job["NNodes"] for job in jobs if "run_cell" in job["Comment"]} == {"3"}
    assert {job["NNodes"] for job in jobs if "mimir" in job["Comment"]} == {"2"}


def test_simulations_take_all_cores_of_a_wide_node(cluster: Cluster, part: Part) -> None:
    assert {job["AllocCPUS"] for job in part.jobs if "run_batch" in job["Comment"]} == {"1"}
    cluster.forget("runs/eee/timeline", "batches/eee/timeline_1", "tables/eee/timeline.csv")
    before = {job["JobID"] for job in cluster.jobs()}
    back = cluster.checkout.edit("config/sites/slurm.yaml", "cores_per_node: 1", "cores_per_node: 4")
    try:
        cluster.run("--", SIMULATED)
    finally:
        back()
    jobs = [job for job in cluster.jobs() if job["JobID"] not in before and "run_batch" in job["Comment"]]
    assert [(job["State"], job["AllocCPUS"]) for job in jobs] == [("COMPLETED", "4")]
    log = (cluster.checkout.folder / RESULTS / "logs/batches/eee/timeline_1.log").read_text()
    # Nodes share the cores of this machine, and Snakemake gives a job no more than there are.
    assert f"runs to make, {min(4, os.cpu_count() or 1)} at a time, 0 are there" in log
    assert cluster.read(SIMULATED)


@pytest.fixture
def run(cluster: Cluster, part: Part) -> str:
    """Folder of a run that was made and is forgotten, with its table."""
    folders = (part.left.checkout.folder / RESULTS).glob("runs/mimir/realtext/*/1")
    run = str(min(folders).relative_to(part.left.checkout.folder / RESULTS))
    cluster.forget(run, "tables/mimir/realtext.csv")
    return run


def forget_all(cluster: Cluster, part: Part) -> list[str]:
    """Delete all runs of the table and itself; return their folders."""
    folders = (part.left.checkout.folder / RESULTS).glob("runs/mimir/realtext/*/*")
    runs = [str(folder.relative_to(part.left.checkout.folder / RESULTS)) for folder in folders]
    cluster.forget(*runs, "tables/mimir/realtext.csv")
    return runs


def stop_ranks(cluster: Cluster) -> None:
    """Stop the engine's processes as soon as there are some, so that their job goes on until its end by SLURM."""
    stopped: list[int] = []

    def stop() -> bool:
        for node, pids in cluster.ranks():
            node.run(["kill", "-STOP", *map(str, pids)], check=False)
            stopped.extend(pids)
        return bool(stopped)

    cluster.until("a rank runs", stop)


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_a_job_over_its_time_is_tried_again_though_the_controller_restarts(
    cluster: Cluster, run: str
) -> None:
    snakemake = cluster.start("--set-resources", "run_point:runtime=1", "--", MPI)
    stop_ranks(cluster)
    cluster.slurm.stop("slurmctld")
    time.sleep(3)
    cluster.slurm.start_controller()
    assert snakemake.wait(600) == 0, cluster.log.read_text()[-6000:]
    batch = cluster.record(f"{run}/run.json")["environment"]["batch"]
    assert [attempt["ended"] for attempt in batch["earlier_attempts"]] == ["TIMEOUT"]
    assert f"{run}/run.json: job {batch['earlier_attempts'][0]['job']} on " in cluster.log.read_text()
    assert "ended TIMEOUT; attempt 2 has 2 x time\n" in cluster.log.read_text()
    assert batch["earlier_attempts"][0]["nodes"]
    assert {row["status"] for row in cluster.read(MPI)} == {"ok"}
    assert not list((cluster.checkout.folder / RESULTS / "attempts").rglob("*.jsonl"))


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_a_job_whose_node_goes_down_is_made_elsewhere(cluster: Cluster, run: str) -> None:
    snakemake = cluster.start("--", MPI)
    stop_ranks(cluster)
    node = cluster.ranks()[-1][0].name
    cluster.slurm.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
    try:
        assert snakemake.wait(600) == 0, cluster.log.read_text()[-6000:]
    finally:  # its daemon may have registered it again; what is stopped there would be taken for the next run's
        for host in cluster.slurm.nodes:
            host.run(["pkill", "-9", "-f", PROGRAM], check=False)
        resume = ["scontrol", "update", f"nodename={node}", "state=resume"]
        cluster.slurm.login.run(resume, check=False)
        cluster.slurm.await_nodes(time.monotonic() + 60)
    attempts = cluster.record(f"{run}/run.json")["environment"]["batch"]["earlier_attempts"]
    assert [attempt["ended"] for attempt in attempts] == ["NODE_FAIL"]
    assert node in attempts[0]["nodes"].split()


def states(cluster: Cluster) -> dict[str, str]:
    """State of each job that the accounts know."""
    return {job["JobID"]: job["State"].split()[0] for job in cluster.jobs()}


@pytest.mark.timeout(900, func_only=True)
def test_what_a_killed_snakemake_left_is_adopted_and_made_once(cluster: Cluster, run: str) -> None:
    before = set(states(cluster))
    snakemake = cluster.start("--", MPI)
    stop_ranks(cluster)
    left = cluster.queue()
    assert len(left) == 1
    snakemake.signal(signal.SIGKILL)
    assert snakemake.wait(30) is not None
    assert cluster.queue() == left, "the job outlives its Snakemake"
    # The second is ended by the user, and leaves it as well.
    second = cluster.start("--", MPI)
    cluster.until("it is adopted", lambda: f"adopted job {left[0]}" in cluster.log.read_text())
    second.signal(signal.SIGINT)
    assert second.wait(60) != 0
    assert f"left in the queue: {left[0]};" in cluster.log.read_text()
    assert cluster.queue() == left
    third = cluster.start("--", MPI)
    cluster.until("it is adopted again", lambda: f"adopted job {left[0]}" in cluster.log.read_text())
    for node, pids in cluster.ranks():
        node.run(["kill", "-CONT", *map(str, pids)], check=False)
    assert third.wait(300) == 0, cluster.log.read_text()[-6000:]
    after = states(cluster)
    assert {job: state for job, state in after.items() if job not in before} == {left[0]: "COMPLETED"}
    record = cluster.record(f"{run}/run.json")
    assert record["outcome"]["status"] == "ok" and record["environment"]["batch"]["job"] == left[0]
    assert "Nothing to be done" in cluster.run("--", MPI)


@pytest.mark.timeout(900, func_only=True)
def test_what_ended_meanwhile_is_taken_and_make_cancel_ends_the_rest(cluster: Cluster, run: str) -> None:
    before = set(states(cluster))
    snakemake = cluster.start("--", MPI)
    cluster.until("a job is in the queue", lambda: bool(cluster.queue()))
    time.sleep(2)
    snakemake.signal(signal.SIGKILL)
    assert snakemake.wait(30) is not None
    cluster.until("it has ended", lambda: not cluster.queue(), 300)
    made = cluster.record(f"{run}/run.json")
    cluster.run("--", MPI)
    assert len(set(states(cluster)) - before) == 1
    assert cluster.record(f"{run}/run.json") == made, "not made again"
    cluster.forget(run, "tables/mimir/realtext.csv")
    third = cluster.start("--", MPI)
    stop_ranks(cluster)
    left = cluster.queue()
    cancel = [str(PROJECT / ".venv/bin/python"), "scripts/cancel_jobs.py"]
    login = {"cwd": cluster.checkout.folder, "env": dict(cluster.checkout.environment)}
    refused = cluster.slurm.login.run(cancel, check=False, **login)
    assert refused.code != 0 and "a Snakemake works in" in refused.stderr
    third.signal(signal.SIGKILL)
    third.wait(30)
    said = cluster.slurm.login.run(cancel, **login).stdout
    assert said.strip() == f"cancelled 1 jobs: {left[0]}"
    assert cluster.queue() == []
    assert states(cluster)[left[0]] == "CANCELLED"
    cluster.run("--", MPI)
    assert cluster.record(f"{run}/run.json")["outcome"]["status"] == "ok"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_kills_at_random_compute_nothing_twice(cluster: Cluster, part: Part) -> None:
    runs = forget_all(cluster, part)
    before, random = set(states(cluster)), Random(15)
    for _ in range(20):
        snakemake = cluster.start("--", MPI)
        ended = snakemake.wait(random.uniform(2, 25))
        assert not ended, cluster.log.read_text()[-6000:]
        snakemake.signal(signal.SIGKILL)
        snakemake.wait(30)
    cluster.run("--", MPI)
    made = {job: state for job, state in states(cluster).items() if job not in before}
    assert set(made.values()) == {"COMPLETED"} and len(made) == len(runs), made
    assert {cluster.record(f"{run}/run.json")["outcome"]["status"] for run in runs} == {"ok"}


MANY = f"{RESULTS}/tables/mimir/skew.csv"
"""A table of several runs, each a job."""


def forget_many(cluster: Cluster) -> None:
    """Delete the runs of MANY and itself."""
    cluster.forget("tables/mimir/skew.csv")
    shutil.rmtree(cluster.checkout.folder / RESULTS / "runs/mimir/skew", ignore_errors=True)


def runs_of_many(cluster: Cluster) -> int:
    found = len(list((cluster.checkout.folder / RESULTS / "runs/mimir/skew").glob("*/*/run.json")))
    assert found > 3
    return found


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_a_full_queue_costs_no_retries(cluster: Cluster, part: Part) -> None:
    forget_many(cluster)
    before = set(states(cluster))
    limit = ["sacctmgr", "-i", "modify", "user", getpass.getuser(), "set"]
    cluster.slurm.ask(*limit, "MaxSubmitJobs=1")
    try:
        said = cluster.run("--retries", "0", "--", MANY)
    finally:
        cluster.slurm.ask(*limit, "MaxSubmitJobs=-1")
    assert said.count("SLURM refuses jobs: AssocMaxSubmitJobLimit: the queue is full") == 1
    made = [state for job, state in states(cluster).items() if job not in before]
    assert made == ["COMPLETED"] * runs_of_many(cluster), "each was submitted once"


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_jobs_wait_for_a_partition_that_goes_down_and_one_line_says_so(cluster: Cluster, part: Part) -> None:
    forget_many(cluster)
    before = set(states(cluster))
    partition = f"partitionname={cluster.slurm.ask('sinfo', '-h', '-o', '%R').strip()}"
    cluster.slurm.ask("scontrol", "update", partition, "state=down")
    try:
        snakemake = cluster.start("--retries", "0", "--", MANY)
        cluster.until("the reason is told", lambda: "PartitionDown" in cluster.log.read_text(), 240)
    finally:
        cluster.slurm.ask("scontrol", "update", partition, "state=up")
    assert snakemake.wait(600) == 0, cluster.log.read_text()[-6000:]
    said = [line for line in cluster.log.read_text().splitlines() if line.startswith("SLURM: ")]
    assert said == [
        f"SLURM: {runs_of_many(cluster)} jobs wait, PartitionDown: they start once the partition is up again"
    ]
    made = [state for job, state in states(cluster).items() if job not in before]
    assert made == ["COMPLETED"] * runs_of_many(cluster), "each was submitted once"


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
@pytest.mark.parametrize("how", ["absent", "slow"])
def test_jobs_are_not_lost_while_the_accounts_do_not_answer(cluster: Cluster, part: Part, how: str) -> None:
    forget_many(cluster)
    before = set(states(cluster))
    snakemake = cluster.start("--retries", "0", "--slurm-status-attempts", "1", "--", MANY)
    cluster.until("jobs are in the queue", lambda: len(cluster.queue()) > 1)
    accounts = cluster.slurm.daemons["slurmdbd"]
    if how == "absent":
        cluster.slurm.stop("slurmdbd")
    else:
        accounts.signal(signal.SIGSTOP)
    cluster.until("it is told", lambda: "does not answer" in cluster.log.read_text(), 240)
    cluster.until("all jobs have ended meanwhile", lambda: not cluster.queue(), 300)
    assert snakemake.poll() is None
    if how == "absent":
        cluster.slurm.start_accounts()
    else:
        accounts.signal(signal.SIGCONT)
    assert snakemake.wait(600) == 0, cluster.log.read_text()[-6000:]
    said = [line for line in cluster.log.read_text().splitlines() if line.startswith("SLURM: ")]
    assert len(said) == 2, said
    assert (
        said[0].startswith("SLURM: sacct does not answer about ") and said[1] == "SLURM: sacct answers again"
    )
    made = [state for job, state in states(cluster).items() if job not in before]
    assert made == ["COMPLETED"] * runs_of_many(cluster), "each was submitted once"


EPILOG = """#!/bin/sh
# Hides the records that are new when a job ends.
cd "{results}" || exit 0
for record in runs/mimir/skew/*/*/run.json; do
  hidden="{hidden}/$(echo "$record" | tr / +)"
  if [ -e "$record" ] && mkdir "$hidden" 2>/dev/null; then
    mv "$record" "$hidden/late"
  fi
done
"""
LATE_S = 12.0


def show_late(hidden: Path, results: Path) -> None:
    """Show what was hidden so long ago, as a file system does that shows files late."""
    for late in hidden.glob("*/late"):
        if time.time() - late.parent.stat().st_mtime > LATE_S:
            late.rename(results / late.parent.name.replace("+", "/"))


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_files_that_appear_late_are_waited_for(cluster: Cluster, part: Part) -> None:
    forget_many(cluster)
    before = set(states(cluster))
    results = cluster.checkout.folder / RESULTS
    hidden = cluster.checkout.folder.parent / "hidden"
    hidden.mkdir()
    configuration = cluster.slurm.places.configuration / "slurm.conf"
    epilog = configuration.with_name("epilog")
    epilog.write_text(EPILOG.format(results=results, hidden=hidden))
    epilog.chmod(0o755)
    written = configuration.read_text()
    try:
        configuration.write_text(f"{written}Epilog={FOLDER}/epilog\n")
        cluster.slurm.ask("scontrol", "reconfigure")
        snakemake = cluster.start("--retries", "0", "--", MANY)
        deadline = time.monotonic() + 600
        while snakemake.poll() is None and time.monotonic() < deadline:
            show_late(hidden, results)
            time.sleep(0.5)
        said = cluster.log.read_text()
        assert snakemake.wait(1) == 0, said[-6000:]
    finally:
        configuration.write_text(written)
        cluster.slurm.ask("scontrol", "reconfigure")
    assert len(list(hidden.iterdir())) == runs_of_many(cluster), "all were late"
    assert "Waiting at most 60 seconds for missing files" in said
    made = [state for job, state in states(cluster).items() if job not in before]
    assert made == ["COMPLETED"] * runs_of_many(cluster), "each was submitted once"
    assert {row["status"] for row in cluster.read(MANY)} == {"ok"}


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_a_run_that_is_lost_for_good_is_recorded_with_the_reason(cluster: Cluster, run: str) -> None:
    snakemake = cluster.start("--retries", "0", "--", MPI)
    cluster.until("a rank runs", lambda: bool(cluster.ranks()))
    for node in cluster.slurm.nodes:
        node.run(["pkill", "-9", "-f", "scripts/run_point.py"], check=False)
    assert snakemake.wait(600) == 1
    said = cluster.log.read_text()
    assert f"lost: {run}: no attempt ended with a record: job " in said
    outcome = cluster.record(f"{run}/run.json")["outcome"]
    assert outcome["status"] == "failed" and ": FAILED" in outcome["reason"]
    cluster.run("--", MPI)
    assert "failed" in {row["status"] for row in cluster.read(MPI)}


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_two_runs_at_once_leave_each_other_alone(cluster: Cluster, part: Part) -> None:
    first = cluster.checkout
    # Another's, with a home of its own; it builds what it needs.
    second = Checkout(first.folder.parent / "another stranger" / "kvasir copy")
    made = shutil.ignore_patterns("build", "data", "results*", ".snakemake")

    def made_here(folder: str, names: list[str]) -> set[str]:
        return set(made(folder, names)) if Path(folder) == first.folder else set()

    shutil.copytree(first.folder, second.folder, ignore=made_here, symlinks=True)
    other = Cluster(cluster.slurm, second)
    cluster.forget("runs/eee/timeline", "batches/eee/timeline_1", "tables/eee/timeline.csv")
    started = [cluster.start("--", SIMULATED), other.start("--", SIMULATED)]
    ends = [process.wait(600) for process in started]
    assert ends == [0, 0], cluster.log.read_text()[-3000:] + other.log.read_text()[-3000:]
    assert "left in the queue" not in cluster.log.read_text() + other.log.read_text()
    simulated = [
        [row for row in one.read(SIMULATED) if row["source"].startswith("simulated")]
        for one in (cluster, other)
    ]
    assert simulated[0] == simulated[1] != []
