"""Derives the resources of SLURM jobs from runs and cells, and reads from benchmark files what earlier ones took."""

from __future__ import annotations

import contextlib
import csv
import hashlib
from functools import cache
from pathlib import Path

from harness.config.site import Site
from harness.plan import requirements
from harness.plan.planner import Planner
from harness.plan.spec import BatchSpec, CellSpec, RunSpec
from harness.slurm.preflight import Wanted
from harness.slurm.resources import Job, Seen, minutes

SIMULATION_MB = 300.0
"""The largest simulation of the papers' size takes 66 MB, and the process that starts it 150."""


def job_of_run(run: RunSpec) -> Job:
    """Returns the needs of a measured run: nodes of its own."""
    memory = requirements.run_memory_bytes([run]) / (1 << 20) / run.nodes
    return Job(ranks=run.ranks, nodes=run.nodes, whole=True, limit_s=run.timeout_s, memory_mb=memory)


def job_of_batch(batch: BatchSpec, cores: int) -> Job:
    """Returns the needs of a batch of simulations: so many cores of a node, all busy but for the last simulation."""

    def side_by_side(seconds: list[int]) -> float:
        return sum(seconds) / cores + max(seconds, default=0)

    limits = [run.timeout_s for run in batch.runs]
    return Job(
        limit_s=side_by_side(limits),
        likely_s=side_by_side([run.expected_s or run.timeout_s for run in batch.runs]),
        memory_mb=SIMULATION_MB * min(cores, len(batch.runs)),
    )


def job_of_cell(cell: CellSpec, site: Site) -> Job:
    """Returns the needs of a cell: a node for each of its hosts, or one if all hosts are on this machine."""
    nodes = 1 if site.here else cell.nodes
    memory = requirements.cell_memory_mb(cell) / max(1, nodes - 1)
    return Job(ranks=nodes, nodes=nodes, whole=True, limit_s=60 * cell.minutes, memory_mb=memory)


def wanted_by(planner: Planner) -> Wanted:
    """Returns the most that any job of a plan asks for at its first attempt."""
    site, plans = planner.config.site, [planner.plan(study) for study in planner.config.studies]
    jobs = [job_of_run(run) for plan in plans for run in plan.runs if run.watch is not None]
    cores = site.batch.cores_per_node if site.batch is not None else 1
    jobs += [job_of_batch(batch, cores) for plan in plans for batch in plan.batches.values()]
    jobs += [job_of_cell(cell, site) for cell in planner.cells.values()]
    return Wanted(
        nodes=max(job.nodes for job in jobs),
        minutes=max(minutes(job, None) for job in jobs),
        memory_mb=max(round(job.memory_mb) for job in jobs),
        disk_bytes=sum(plan.needs.disk for plan in plans),
    )


def preflight_of(planner: Planner, images: bool = False) -> str:
    """Returns the path of the preflight's result for the site and the jobs of this plan."""
    about = planner.config.site.model_dump_json() + repr(wanted_by(planner)) + ("images" if images else "")
    return f"build/preflight/{hashlib.sha256(about.encode()).hexdigest()[:12]}.json"


@cache
def seen_before(folder: str) -> Seen | None:
    """Returns the longest time and the largest memory in a folder's benchmark files, None if none can be read."""
    rows: list[dict[str, str]] = []
    for path in Path(folder).glob("*.tsv"):
        with contextlib.suppress(OSError), path.open(encoding="utf-8") as file:
            rows += csv.DictReader(file, delimiter="\t")
    times, sizes = [], []
    for row in rows:
        with contextlib.suppress(KeyError, ValueError):
            times.append(float(row["s"]))
        with contextlib.suppress(KeyError, ValueError):
            sizes.append(float(row["max_rss"]))
    return Seen(max(times), max(sizes, default=0.0)) if times else None
