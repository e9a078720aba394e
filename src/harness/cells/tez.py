"""Runs a benchmark's unmodified MapReduce jobs on Tez, with places of its own on the workers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.cells.conditions import FILES, hadoop_facts, metric
from harness.cells.frameworks import Hadoop
from harness.config.hadoop import Parameters
from harness.hadoop.benchmarks import Benchmark, Cell
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

AT_ONCE = ("conf.maps_at_once", "conf.reduces_at_once")


def places(parameters: Parameters) -> int:
    """Return the number of tasks that run at once on a worker: a container is used for a task of either kind."""
    return parameters.mappers_per_node + parameters.reducers_per_node


def container_sizes(parameters: Parameters) -> tuple[int, int]:
    """Return the memory of a task's container and of the application master's, MB.

    Tez asks for memory alone, not for map and reduce places. Of these sizes a worker holds as many tasks as Hadoop
    gives it places, and no more, whether it has the application master as well or not. Heaps are those of Hadoop.
    """
    worker, tasks = parameters.node_memory_mb, places(parameters)
    task = worker // (tasks + 1) + 1
    return task, worker - tasks * task


def cluster_properties(parameters: Parameters) -> dict[str, str]:
    """Return what Tez needs to know of a cluster, as properties of its jobs."""
    task, master = container_sizes(parameters)
    return {
        "mapreduce.map.memory.mb": str(task),
        "mapreduce.reduce.memory.mb": str(task),
        "yarn.app.mapreduce.am.resource.mb": str(master),
        "tez.am.am-rm.heartbeat.interval-ms.max": str(parameters.heartbeat_ms),
    }


class Tez(Hadoop):
    """Gives the benchmark's jobs to Tez: what the entry's plug-in has, and sizes that fit the cluster's workers."""

    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Run the jobs; the entry's properties win."""
        properties = {**cluster_properties(cell.cluster.parameters), **self.entry.job_properties}
        return benchmark.execute(replace(cell, job_properties=properties), name)

    def conditions(self, cell: Cell, result: JobResult) -> list[Metric]:
        """Return those of Hadoop's jobs, but for its limits of tasks at once, which Tez does not have."""
        tasks = cell.workers * places(cell.cluster.parameters)
        facts = [fact for fact in hadoop_facts(cell, result) if fact.name not in AT_ONCE]
        return [*facts, *(metric(name, tasks, "1", FILES) for name in AT_ONCE)]
