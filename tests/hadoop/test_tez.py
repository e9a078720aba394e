"""Tez on a real cluster: outputs and bytes of stock Hadoop, the same tables, clear failures, nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cells.conditions import hadoop_facts
from harness.cells.tez import Tez
from harness.config import FrameworkEntry
from harness.hadoop.benchmarks import Cell, make
from harness.hadoop.cluster import settle
from harness.hadoop.distribution import Distribution
from harness.hadoop.jobs import JobError, JobResult, JobTimeout
from harness.hadoop.plugins import job_properties
from harness.hosts import Hosts
from harness.measure import counters, tasks
from tests.hadoop.small import SMOKE, processes, with_plugins

SAME = (
    *("MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "SPLIT_RAW_BYTES", "SHUFFLED_MAPS"),
    *("REDUCE_INPUT_GROUPS", "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS"),
)
"""Counters that must be those of stock Hadoop."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cell(nodes: Hosts, hadoop: Distribution, shared: Path) -> Iterator[Cell]:
    """A cluster with the plug-in, whose jobs do not use it unless told."""
    with with_plugins(["tez"], nodes, hadoop, shared) as started:
        yield started


def tez(cell: Cell, **more: str) -> Tez:
    """The framework, as a cell's driver makes it."""
    properties = job_properties(more, cell.cluster.plugins)
    entry = {"class": "harness.cells.tez:Tez", "label": "Tez", "job_properties": properties}
    return Tez("tez", FrameworkEntry.model_validate(entry))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["terasort", "wordcount"])
def test_output_tasks_and_bytes_are_those_of_stock_hadoop(cell: Cell, name: str) -> None:
    benchmark, framework = make(name, SMOKE[name]), tez(cell)
    benchmark.prepare(cell)
    found: dict[str, tuple[JobResult, dict[str, str]]] = {}
    for run in ("stock", "tez"):
        settle(cell.cluster)
        made = (
            benchmark.execute(cell, f"{name}-stock")
            if run == "stock"
            else framework.execute(benchmark, cell, f"{name}-tez")
        )
        # The output is checked against the generator's checksum or counts, which are told.
        found[run] = made, benchmark.validate(cell, made)[1]
    (stock,), (other,) = found["stock"][0].jobs, found["tez"][0].jobs
    assert found["tez"][1] == found["stock"][1]
    assert {c: other.counter("TaskCounter", c) for c in SAME} == {
        c: stock.counter("TaskCounter", c) for c in SAME
    }
    # Four bytes of a header for each reduce's part.
    parts = other.counter("TaskCounter", "SHUFFLED_MAPS")
    shuffled = stock.counter("TaskCounter", "REDUCE_SHUFFLE_BYTES") + 4 * parts
    assert other.counter("TaskCounter", "REDUCE_SHUFFLE_BYTES") == shuffled
    assert other.counter("DAGCounter", "TOTAL_CONTAINER_REUSE_COUNT") > 0, "reduces run where maps have run"
    assert "DAGCounter" not in stock.counters

    def of(rows: list[tasks.TaskRow]) -> set[tuple[str, str, str]]:
        return {(row.task, row.phase, row.status) for row in rows}

    rows = tasks.of_jobs([other], other.submitted_ms / 1000)
    assert of(rows) == of(tasks.of_jobs([stock], stock.submitted_ms / 1000))
    assert {row.host for row in rows} <= {host.name for host in cell.cluster.hosts[1:]}
    assert all(0 < row.start_s <= row.end_s <= other.finished_s for row in rows)
    assert {row.kind for row in counters.of_jobs([other])} == {"all", "map", "reduce"}
    facts = {fact.name: fact.value for fact in framework.conditions(cell, found["tez"][0])}
    at_stock = {fact.name: fact.value for fact in hadoop_facts(cell, found["stock"][0])}
    assert facts.keys() == at_stock.keys()
    same = ("maps", "reduces", "conf.sort_mb", "conf.block", "conf.map_heap", "conf.reduces", "hdfs.written")
    assert {fact: facts[fact] for fact in same} == {fact: at_stock[fact] for fact in same}


@pytest.mark.timeout(600)
def test_a_job_that_fails_says_why_and_one_that_takes_too_long_is_killed(cell: Cell) -> None:
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    with pytest.raises(JobError, match="failed with state FAILED"):
        tez(cell, **{"mapreduce.task.io.sort.mb": "4000"}).execute(benchmark, cell, "fails")
    slow = make("terasort", {**SMOKE["terasort"], "timeout_s": 3})
    with pytest.raises(JobTimeout, match="took longer than 3 s"):
        tez(cell).execute(slow, cell, "late")
    settle(cell.cluster)
    assert processes(cell, "org.apache.tez") == []
