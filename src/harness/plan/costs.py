"""What a study costs at another scale: node-hours, data and joules from what its runs took at a small one.

The rules, one a kind of run, are stated with each answer. They leave out what a larger system does not share with a
smaller one (networks, file systems): an answer says what to ask for, not what to expect to the minute. Pure functions.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.config import Study
from harness.hadoop.benchmarks import make
from harness.plan.durations import CLUSTER_S
from harness.plan.makespan import Experiment, Work
from harness.plan.planner import Planner
from harness.plan.spec import CellRun, CellSpec, RunSpec
from harness.results.layout import folder_of_point, folder_of_run

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


Known = Mapping[tuple[str, str], Sequence[float]]
"""Seconds for each unit of size, by kind of run."""


def seconds_of_run(run: RunSpec, known: Known) -> float | None:
    """Returns what a run is expected to take; None where none of its kind was made."""
    before = known.get(kind_of_run(run))
    return statistics.median(before) * size_of_run(run) if before else None


def of_runs(
    study: Study,
    runs: Sequence[RunSpec],
    known: Known,
    disk_bytes: int,
    watts: float | None,
    side_by_side: int = 1,
) -> Cost:
    """Returns the cost of single runs; simulations share a node, `side_by_side` at a time."""
    missing = sorted({kind_of_run(run)[0] for run in runs if not known.get(kind_of_run(run))})
    expected = [(run, seconds_of_run(run, known)) for run in runs]
    hours = (
        sum(
            seconds * (run.nodes if run.watch is not None else 1 / side_by_side)
            for run, seconds in expected
            if seconds is not None
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


KnownCells = Mapping[tuple[str, str], Sequence[Taken]]
"""By framework and benchmark."""


def seconds_of_cell_run(run: CellRun, workers: int, known: KnownCells) -> float | None:
    """Returns what a benchmark is expected to take on so many workers; None where it was never made."""
    before = known.get((run.framework, run.benchmark))
    if not before:
        return None
    size = size_of_cell_run(run, workers)
    return statistics.median(one.startup + one.work * size / one.size for one in before)


def of_cells(
    study: str,
    cells: Iterable[CellSpec],
    known: KnownCells,
    data_gb: float,
    watts: float | None,
) -> Cost:
    """Returns the cost of clusters."""
    hours, count, missing = 0.0, 0, set()
    for cell in cells:
        workers = max(1, cell.nodes - 1)
        for run in cell.runs:
            count += 1
            seconds = seconds_of_cell_run(run, workers, known)
            if seconds is None:
                missing.add(f"{run.framework} {run.benchmark}")
            else:
                hours += seconds * cell.nodes / 3600
    how = f"{RULES['cells']}; from {sum(map(len, known.values()))} runs"
    return _cost(study, count, hours, data_gb, watts, how, sorted(missing))


def works_of(planner: Planner, known: Mapping[str, Known], cells: KnownCells) -> list[Work]:
    """Returns the work of all chosen studies by job, as far as runs of its kind were made. `known`: by study."""
    batch = planner.config.site.batch
    cores = batch.cores_per_node if batch else 1
    needed: dict[str, set[Experiment]] = defaultdict(set)
    for table in planner.tables:
        for runs in table.runs.values():
            needed[runs.folder].add((table.study, table.experiment))
    works = []

    def add(run: RunSpec, job: str, nodes: int, share: float) -> None:
        who = run.identity
        place = folder_of_point(planner.config.results, who.study, who.experiment, who.point)
        seconds = seconds_of_run(run, known.get(who.study, {}))
        if seconds is not None:
            works.append(
                Work(job=job, nodes=nodes, seconds=seconds * share, experiments=frozenset(needed[place]))
            )

    for study in planner.config.studies:
        plan = planner.plan(study)
        for run in plan.runs:
            if run.watch is not None:
                add(run, folder_of_run("", run.identity).lstrip("/"), run.nodes, 1.0)
        for name, joined in plan.batches.items():
            for run in joined.runs:
                add(run, f"batches/{study}/{name}", 1, 1 / cores)
    for cell in planner.cells.values():
        own = []
        for one in cell.runs:
            seconds = seconds_of_cell_run(one, max(1, cell.nodes - 1), cells)
            if seconds is not None:
                users = frozenset(needed[str(Path(one.folder).parent)])
                own.append(
                    Work(job=f"cells/{cell.cell}", nodes=cell.nodes, seconds=seconds, experiments=users)
                )
        if own:
            users = frozenset().union(*(work.experiments for work in own))
            started = Work(job=own[0].job, nodes=cell.nodes, seconds=CLUSTER_S, experiments=users)
            works += [started, *own]
    return works


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
