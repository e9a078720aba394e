"""Clusters, inputs and cells so small that a test of them takes seconds."""

from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from harness.config.hadoop import Parameters
from harness.hadoop.assembly import provide_plugins
from harness.hadoop.benchmarks import Cell
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import Distribution
from harness.hadoop.plugins import load_plugins
from harness.hosts import Hosts
from harness.plan.spec import CellRun, CellSpec
from harness.results.records import Identity

PROJECT = Path(__file__).parents[2]
HOSTS = {"kind": "emulated", "interfaces": {"gbe": {}, "ib": {"rate_mbit_s": 500}}}
# One task of a kind per worker: starting a Java costs more than all the work at this size.
SMALL = {
    "mappers_per_node": 1,
    "reducers_per_node": 1,
    "heap_mb": 200,
    "am_heap_mb": 250,
    "block_size_mb": 4,
    "replication": 2,
    "io_sort_mb": 16,
    "task_compiler": "c1",
}
PARAMETERS = Parameters.model_validate({**SMALL, "lost_after_s": 12})
TEXT = {"data_mb": 6, "timeout_s": 300}
ZIPF = {"data_mb": 1, "files": 2, "vocabulary": 1000, "timeout_s": 300}
SMOKE: dict[str, dict[str, Any]] = {
    "dfsio-write": {"files": 2, "file_mb": 6, "timeout_s": 300},
    "dfsio-read": {"files": 2, "file_mb": 6, "timeout_s": 300},
    "wordcount": TEXT,
    "grep": TEXT,
    "sort": TEXT,
    "terasort": {"data_mb": 6, "timeout_s": 300},
    "tpcx-hs": {"data_mb": 2, "timeout_s": 300},
    "pagerank": {"scale": 9, "iterations": 2, "timeout_s": 300},
    "kmeans": {"samples": 3000, "iterations": 2, "timeout_s": 300},
    "adjacency-list": {"scale": 9, "timeout_s": 300},
    "self-join": {"data_mb": 1, "timeout_s": 300},
    "inverted-index": ZIPF,
    "sequence-count": ZIPF,
    "ranked-inverted-index": ZIPF,
    "bayes": {"documents": 1500, "labels": 4, "vocabulary": 1000, "mean_words": 60, "timeout_s": 300},
}
PROGRAMS = {"hadoop": {"version": "3.4.2", "digest": "d"}}
FACTORS = ["framework", "nodes", "disk", "benchmark"]


def run_of(folder: Path, point: str, framework: str, benchmark: str, settings: dict[str, Any]) -> CellRun:
    """The first run of a point, on the cell in `folder`."""
    factors = dict(zip(FACTORS, (framework, 3, "ssd", benchmark), strict=True))
    who = {"study": "cells", "experiment": "c", "point": point, "rep": 1, "seed": 1}
    return CellRun(
        identity=Identity.model_validate({**who, "scale": "s", "site": "l", "factors": factors}),
        framework=framework,
        benchmark=benchmark,
        settings=settings,
        folder=str(folder / "runs" / point / "1"),
    )


def cell_of(
    folder: Path, frameworks: dict[str, dict[str, Any]], runs: list[CellRun], **more: Any
) -> CellSpec:
    """A cell of a master and two workers on emulated hosts, with the entries of its frameworks."""
    return CellSpec(
        cell="c",
        folder=str(folder),
        nodes=3,
        disk="ssd",
        interface="ib",
        hadoop="3.4.2",
        built=[],
        hosts=HOSTS,
        power={"source": "none"},
        parameters=SMALL,
        frameworks=frameworks,
        studies=["mrev"],
        period_s=1,
        minutes=10,
        runs=runs,
        **more,
    )


def hadoop_cell(folder: Path, settings: dict[str, dict[str, Any]]) -> CellSpec:
    """A cell with one run of Hadoop for each benchmark of `settings`."""
    runs = [run_of(folder, f"h_{name}", "hadoop-ipoib", name, own) for name, own in settings.items()]
    entry = {"class": "hadoop", "label": "Hadoop", "interface": "ib"}
    return cell_of(folder, {"hadoop-ipoib": entry}, runs)


@contextmanager
def with_plugins(names: Sequence[str], nodes: Hosts, hadoop: Distribution, folder: Path) -> Iterator[Cell]:
    """A cluster in `folder` with plug-ins of ours, whose jobs do not use them unless told."""
    with chdir(PROJECT):
        plugins = tuple(load_plugins(names).values())
        provide_plugins(PROJECT / "src/hadoop", hadoop.version, hadoop.plugins, plugins)
    with cluster(nodes, hadoop, PARAMETERS, folder / "-".join(names), "ib", "ssd", plugins) as started:
        yield Cell(started)


def processes(cell: Cell, word: str) -> list[str]:
    """Command lines with a word in them, on all hosts of a cell."""
    script = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$file; echo; done 2>/dev/null; true"
    lines = [
        line for host in cell.cluster.hosts for line in host.run(["sh", "-c", script]).stdout.splitlines()
    ]
    return [line for line in lines if word in line]
