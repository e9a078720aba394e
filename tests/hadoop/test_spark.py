"""Spark on a real cluster: outputs and bytes of stock Hadoop, the same tables, clear failures, nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cells.conditions import hadoop_facts
from harness.cells.spark import PROGRAMS, Spark
from harness.config import FrameworkEntry
from harness.hadoop.benchmarks import Cell, make
from harness.hadoop.cluster import settle
from harness.hadoop.distribution import Distribution
from harness.hadoop.jobs import JobError, JobTimeout
from harness.hadoop.plugins import job_properties, load_plugin
from harness.hosts import Hosts
from harness.measure import counters, tasks
from tests.hadoop.small import SMOKE, processes, with_plugins

PROJECT = Path(__file__).parents[2]
SAME = ("MAP_INPUT_RECORDS", "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS")
"""Counters that must be those of stock Hadoop."""
JOBS = {"pagerank": 3, "bayes": 3, "kmeans": 3}
"""Number of jobs of a program; of others it is one."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cell(nodes: Hosts, hadoop: Distribution, shared: Path) -> Iterator[Cell]:
    """A cluster with the plug-in."""
    with with_plugins(["spark"], nodes, hadoop, shared) as started:
        yield started


def spark(cell: Cell, **more: str) -> Spark:
    """The framework, as a cell's driver makes it."""
    properties = job_properties(more, cell.cluster.plugins)
    entry = {"class": "harness.cells.spark:Spark", "label": "Spark", "job_properties": properties}
    return Spark("spark", FrameworkEntry.model_validate(entry))


def received(cell: Cell) -> dict[str, int]:
    """Bytes that the workers have received, by interface."""
    links = [host.counters().interfaces for host in cell.cluster.hosts[1:]]
    return {name: sum(link[name].received for link in links) for name in ("gbe", "ib")}


@pytest.mark.timeout(600)
def test_terasort_writes_the_same_files_as_stock_hadoop(cell: Cell) -> None:
    benchmark, framework = make("terasort", SMOKE["terasort"]), spark(cell)
    benchmark.prepare(cell)
    stock = benchmark.execute(cell, "terasort-stock")
    files = [(entry.name, entry.size) for entry in cell.hdfs.list("/output/terasort")]
    benchmark.validate(cell, stock)
    framework.prepare(benchmark, cell)
    before = received(cell)
    made = framework.execute(benchmark, cell, "terasort-spark")
    moved = {name: count - before[name] for name, count in received(cell).items()}
    assert moved["gbe"] < 1e5 < moved["ib"], "all of it takes the cell's network"
    ours = [(entry.name, entry.size) for entry in cell.hdfs.list("/output/terasort")]
    assert [entry for entry in ours if entry[0].startswith("part-")] == [
        entry for entry in files if entry[0].startswith("part-")
    ]
    # The output is checked against the generator's checksum.
    benchmark.validate(cell, made)
    (job,), (other,) = stock.jobs, made.jobs
    assert {c: other.counter("TaskCounter", c) for c in SAME} == {
        c: job.counter("TaskCounter", c) for c in SAME
    }
    assert (other.maps, other.reduces) == (job.maps, job.reduces)

    rows = tasks.of_jobs([other], other.submitted_ms / 1000)
    assert {row.task for row in rows} == {row.task for row in tasks.of_jobs([job], job.submitted_ms / 1000)}
    assert {row.host for row in rows} <= {host.name for host in cell.cluster.hosts[1:]}
    assert all(0 < row.start_s <= row.end_s <= other.finished_s for row in rows)
    assert {row.kind for row in counters.of_jobs([other])} == {"all", "map", "reduce"}
    assert 0 < other.master_s < other.finished_s
    facts = {fact.name: fact.value for fact in framework.conditions(cell, made)}
    at_stock = {fact.name: fact.value for fact in hadoop_facts(cell, stock)}
    assert facts.keys() <= at_stock.keys()
    same = ("jobs", "maps", "reduces", "conf.block", "conf.replication", "conf.reduces", "hdfs.written")
    assert {fact: facts[fact] for fact in same} == {fact: at_stock[fact] for fact in same}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "terasort"])
def test_outputs_are_checked_as_stock_hadoops(cell: Cell, name: str) -> None:
    settings: dict[str, Any] = SMOKE[name]
    benchmark, framework = make(name, settings), spark(cell)
    benchmark.prepare(cell)
    framework.prepare(benchmark, cell)
    made = framework.execute(benchmark, cell, f"{name}-spark")
    benchmark.validate(cell, made)
    assert len(made.jobs) == JOBS.get(name, 1)
    assert made.work_seconds < made.seconds
    assert not made.disturbed


@pytest.mark.timeout(600)
def test_a_program_that_fails_says_why_and_one_that_takes_too_long_is_killed(cell: Cell) -> None:
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    with pytest.raises(JobError, match="Executor cores must be a positive number"):
        spark(cell, **{"spark.executor.cores": "0"}).execute(benchmark, cell, "fails")
    slow = make("terasort", {**SMOKE["terasort"], "timeout_s": 3})
    with pytest.raises(JobTimeout, match="took longer than 3 s"):
        spark(cell).execute(slow, cell, "late")
    settle(cell.cluster)
    assert processes(cell, "org.apache.spark") == []


def test_the_plugin_says_how_large_its_jars_are(cell: Cell) -> None:
    folder = cell.cluster.hadoop.plugin_jar("spark").parent / "jars"
    size = sum(jar.stat().st_size for jar in folder.iterdir())
    assert load_plugin(str(PROJECT / "src/hadoop/plugins/spark")).download_mb == round(size / 2**20)
