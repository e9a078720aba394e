"""What a study costs at another scale: node-hours, data and joules from what its runs took at a small one.

The rules, one a kind of run, are stated with each answer. They leave out what a larger system does not share with a
smaller one (networks, file systems): an answer says what to ask for, not what to expect to the minute. Pure functions.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.config import Study
from harness.hadoop.benchmarks import make
from harness.plan.spec import CellRun, CellSpec, RunSpec

RULES = {
    "engine": "seconds grow with the words of a rank",
    "netsim": "seconds grow with the jobs (where they come within a window: with its length, the load and the nodes)"
    " and with the bytes of a block",
    "cells": "a benchmark's start-up stays, its work grows with the data of a worker, as slowly as links and"
    " cores were: far too much where they were emulated",
}
"""By kind of study."""
DEFAULT_JOBS = 100
"""The simulator's own, where a configuration does not name them; so are load and block size by workload, below."""
DEFAULT_LOAD = 40
JOBS_COME = {"small": 2.9e-4, "terasort": 1.8e-4}
"""Jobs a node, second and per cent of load, where they come within a window: as counted at scale laptop (n = 90)."""
DEFAULT_BLOCK_BYTES = {"batch": 134_217_728}
SMALL_BLOCK_BYTES = 67_108_864


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one study costs at one scale."""

    study: str
    runs: int
    node_hours: float | None
    """None where a kind of run was never measured."""
    data_gb: float
    joules: float | None
    how: str
    """The rule, how many runs it was taken from, and what is missing."""


def size_of_run(run: RunSpec) -> float:
    """Returns what the seconds of a run grow with."""
    if run.document is not None:
        jobs = run.document.get("jobs", {})
        workload = str(jobs.get("workload"))
        count = 1.0 if workload == "batch" else float(jobs.get("count", DEFAULT_JOBS))
        if jobs.get("window_s") and workload in JOBS_COME:
            nodes = float(run.document.get("topology", {}).get("nodes", 1))
            load = float(jobs.get("load_percent", DEFAULT_LOAD))
            count = JOBS_COME[workload] * nodes * float(jobs["window_s"]) * load
        block = DEFAULT_BLOCK_BYTES.get(workload, SMALL_BLOCK_BYTES)
        return count * float(jobs.get("block_bytes") or block)
    words = run.identity.factors.get("words")
    return float(words) / run.ranks if words else 1.0


def size_of_cell_run(run: CellRun, workers: int) -> float:
    """Return how much of a benchmark's data a worker has: megabytes, words or vertices, as the benchmark counts."""
    return make(run.benchmark, run.settings).size / workers


def kind_of_run(run: RunSpec) -> tuple[str, str]:
    """Returns a key for runs whose seconds are held against each other: experiment, and workload or program."""
    workload = (run.document or {}).get("jobs", {}).get("workload")
    return run.identity.experiment, str(workload or next(iter(run.program), ""))


def per_size(
    runs: Iterable[RunSpec], seconds: Callable[[RunSpec], float | None]
) -> dict[tuple[str, str], list[float]]:
    """Returns seconds for each unit of size, by kind, of those runs that were made."""
    found: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        if (took := seconds(run)) is not None:
            found.setdefault(kind_of_run(run), []).append(took / size_of_run(run))
    return found


def of_runs(
    study: Study,
    runs: Sequence[RunSpec],
    known: Mapping[tuple[str, str], Sequence[float]],
    disk_bytes: int,
    watts: float | None,
    side_by_side: int = 1,
) -> Cost:
    """Returns the cost of single runs; simulations share a node, `side_by_side` at a time."""
    missing = sorted({kind_of_run(run)[0] for run in runs if kind_of_run(run) not in known})
    hours = (
        sum(
            statistics.median(known[kind_of_run(run)])
            * size_of_run(run)
            * (run.nodes if run.watch is not None else 1 / side_by_side)
            for run in runs
            if kind_of_run(run) in known
        )
        / 3600
    )
    how = f"{RULES[study.kind]}; from {sum(map(len, known.values()))} runs"
    return _cost(study.id, len(runs), hours, disk_bytes / 1e9, watts, how, missing)


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a benchmark took on a small cluster, seconds, with the size it was for."""

    startup: float
    work: float
    size: float


def of_cells(
    study: str,
    cells: Iterable[CellSpec],
    known: Mapping[tuple[str, str], Sequence[Taken]],
    data_gb: float,
    watts: float | None,
) -> Cost:
    """Returns the cost of clusters; `known` is by framework and benchmark."""
    hours, count, missing = 0.0, 0, set()
    for cell in cells:
        workers = max(1, cell.nodes - 1)
        for run in cell.runs:
            count += 1
            before = known.get((run.framework, run.benchmark))
            if not before:
                missing.add(f"{run.framework} {run.benchmark}")
                continue
            size = size_of_cell_run(run, workers)
            seconds = statistics.median(one.startup + one.work * size / one.size for one in before)
            hours += seconds * cell.nodes / 3600
    how = f"{RULES['cells']}; from {sum(map(len, known.values()))} runs"
    return _cost(study, count, hours, data_gb, watts, how, sorted(missing))


def _cost(
    study: str,
    runs: int,
    hours: float,
    data_gb: float,
    watts: float | None,
    how: str,
    missing: Sequence[str],
) -> Cost:
    if missing:
        how += f"; not measured, so left out: {', '.join(missing)}"
    joules = hours * 3600 * watts if watts is not None and hours else None
    return Cost(
        study=study, runs=runs, node_hours=hours if hours else None, data_gb=data_gb, joules=joules, how=how
    )
