"""What jobs ask SLURM for: enough, no more than the site has, and more after each failure."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config.site import Batch
from harness.plan import requirements
from harness.plan.planner import Planner
from harness.slurm.jobs import job_of_batch, job_of_cell, job_of_run, preflight_of, seen_before, wanted_by
from harness.slurm.resources import START_MINUTES, Job, Seen, memory_mb, minutes, options

BATCH = Batch(partition="fat", cores_per_node=16, memory_mb_per_node=60_000, options=["--constraint=a b"])
jobs = st.builds(
    Job,
    ranks=st.integers(1, 4096),
    nodes=st.integers(1, 64),
    whole=st.booleans(),
    limit_s=st.floats(1, 1e5),
    memory_mb=st.floats(0, 1e6),
    likely_s=st.none() | st.floats(1, 1e6),
)
seens = st.none() | st.builds(Seen, seconds=st.floats(0, 1e5), memory_mb=st.floats(0, 1e6))


@given(jobs, seens, st.integers(0, 4))
def test_more_is_asked_for_after_a_failure_and_never_more_than_there_can_be(
    job: Job, seen: Seen | None, doublings: int
) -> None:
    assert minutes(job, seen, doublings) <= minutes(job, seen, doublings + 1)
    assert 1 <= minutes(job, seen, doublings) <= START_MINUTES + job.limit_s / 60 + 1
    asked = memory_mb(job, seen, BATCH, doublings)
    assert 0 < asked <= BATCH.memory_mb_per_node
    assert asked <= memory_mb(job, seen, BATCH, doublings + 1)


def test_a_job_without_history_may_take_its_whole_limit() -> None:
    whole = Job(limit_s=600, whole=True)
    assert minutes(whole, None) == START_MINUTES + 10
    assert minutes(whole, Seen(60, 0)) == START_MINUTES + 2
    assert minutes(whole, Seen(60, 0), 1) == START_MINUTES + 4


def test_a_job_asks_for_what_it_will_hardly_exceed() -> None:
    batch = Job(limit_s=600, likely_s=60)
    asked = [minutes(batch, None, doublings) - START_MINUTES for doublings in (0, 1, 4)]
    assert asked == [1, 2, 10]
    assert minutes(batch, Seen(80, 0)) == START_MINUTES + 2


def test_a_job_asks_for_the_memory_that_earlier_ones_took() -> None:
    assert memory_mb(Job(memory_mb=1000), Seen(1, 4000), None) == 6000


def test_whole_nodes_are_asked_for_as_such() -> None:
    job = Job(ranks=40, nodes=3, whole=True)
    assert shlex.split(options(job, BATCH) or "") == [
        "--exclusive",
        "--ntasks-per-node=14",
        "--constraint=a b",
    ]
    assert memory_mb(job, None, BATCH) == 60_000
    assert options(Job(), BATCH) == "'--constraint=a b'"
    assert options(job, None) is None
    assert options(Job(), Batch(cores_per_node=1, memory_mb_per_node=1)) is None


def test_earlier_repetitions_say_how_long_and_how_large(tmp_path: Path) -> None:
    assert seen_before(str(tmp_path / "none")) is None
    head = "s\th:m:s\tmax_rss\n"
    (tmp_path / "1.tsv").write_text(head + "10.5\t0:00:10\t100\n")
    (tmp_path / "2.tsv").write_text(head + "12.5\t0:00:12\t-\n")
    (tmp_path / "3.tsv").write_text("broken")
    assert seen_before(str(tmp_path)) == Seen(12.5, 100.0)


@pytest.fixture(scope="module")
def cluster() -> Planner:
    return Planner(
        {"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["mimir", "eee", "mrev"]}
    )


def test_processes_take_as_many_nodes_as_their_cores_need(cluster: Planner) -> None:
    runs = [run for run in cluster.plan("mimir").runs if run.watch is not None]
    for run in runs:
        job = job_of_run(run)
        assert (job.nodes, job.ranks, job.whole) == (run.ranks, run.ranks, True)  # one core a node
        assert f"--nodes={job.nodes}" in run.launcher
    assert {run.ranks for run in runs} >= {1, 2, 4}


def test_batches_of_simulations_share_nodes_and_cells_do_not(cluster: Planner) -> None:
    batches = [batch for study in ("eee", "mimir") for batch in cluster.plan(study).batches.values()]
    assert {batch.study for batch in batches} == {"eee", "mimir"}
    for batch in batches:
        one, four = job_of_batch(batch, 1), job_of_batch(batch, 4)
        assert (one.nodes, one.ranks, one.whole) == (1, 1, False)
        assert one.limit_s >= sum(run.timeout_s for run in batch.runs)
        longest = max(run.timeout_s for run in batch.runs)
        assert four.limit_s - longest == pytest.approx((one.limit_s - longest) / 4), "four side by side"
        assert four.memory_mb >= min(4, len(batch.runs)) * 150
    cell = next(iter(cluster.cells.values()))
    job = job_of_cell(cell, cluster.config.site)
    assert (job.nodes, job.whole) == (cell.nodes, True)


def test_memory_is_memory_and_no_time(cluster: Planner) -> None:
    run = next(run for run in cluster.plan("mimir").runs if run.watch is not None)
    job = job_of_run(run)
    assert (job.limit_s, job.likely_s) == (run.timeout_s, None)
    assert job.memory_mb == requirements.run_memory_bytes([run]) / (1 << 20) / run.nodes
    cell = next(iter(cluster.cells.values()))
    job = job_of_cell(cell, cluster.config.site)
    assert (job.limit_s, job.likely_s) == (60 * cell.minutes, None)
    assert job.memory_mb == requirements.cell_memory_mb(cell) / max(1, cell.nodes - 1)


def test_the_preflight_asks_for_the_memory_of_the_papers_clusters(tmp_path: Path) -> None:
    config = shutil.copytree("config", tmp_path / "config")
    shutil.copy(config / "sites/slurm.example.yaml", config / "sites/slurm.yaml")
    planner = Planner({"scale": "paper", "site": "slurm", "seed": 1, "studies": ["mrev"]}, config)
    assert wanted_by(planner).memory_mb >= 50_000


def test_the_preflight_knows_the_largest_job_and_is_asked_again_for_a_larger_one(cluster: Planner) -> None:
    wanted = wanted_by(cluster)
    assert wanted.nodes == 4
    assert wanted.minutes >= max(cell.minutes for cell in cluster.cells.values())
    smaller = Planner({"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["eee"]})
    assert wanted_by(smaller).nodes == 1
    assert preflight_of(smaller) != preflight_of(cluster)
    assert preflight_of(cluster) == preflight_of(cluster) != preflight_of(cluster, images=True)
