"""Turns the needs of a job into resources of Snakemake's SLURM plugin. Pure functions.

A job without MPI's launcher around it: the plugin runs our script as one task, and the script starts steps of its
own beside it (`srun --overlap`), on the first node for one process, on all of them for more.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from harness.config.site import Batch

MARGIN = 1.5
"""A job may take so much longer, and so much more memory, than the longest and largest that did the same before."""
START_MINUTES = 2
"""For what SLURM and Snakemake do before and after a job of its own."""


@dataclass(frozen=True)
class Seen:
    """Holds the most that earlier runs of the same kind took."""

    seconds: float
    memory_mb: float


@dataclass(frozen=True, kw_only=True)
class Job:
    """Describes the needs of one job: nodes, time and memory."""

    ranks: int = 1
    nodes: int = 1
    whole: bool = False
    """True for a measured job, which needs whole nodes (--exclusive)."""
    limit_s: float = 0.0
    """Time after which it ends itself."""
    likely_s: float | None = None
    """Time that it will hardly exceed; None: its limit."""
    memory_mb: float = 0.0
    """On one node."""


def minutes(job: Job, seen: Seen | None, doublings: int = 0) -> int:
    """Returns the time limit: at most the job's own, less where earlier runs say so."""
    most = -(-int(job.limit_s) // 60)
    likely_s = (
        (job.limit_s if job.likely_s is None else job.likely_s) if seen is None else seen.seconds * MARGIN
    )
    return START_MINUTES + max(1, min(most, -(-int(likely_s) // 60) << doublings))


def memory_mb(job: Job, seen: Seen | None, batch: Batch | None, doublings: int = 0) -> int:
    """Returns MB on each node: all of it for a whole node, else the need."""
    if batch is not None and job.whole:
        return batch.memory_mb_per_node
    likely = max(job.memory_mb, 0.0 if seen is None else seen.memory_mb * MARGIN)
    wanted = max(500, round(likely)) << doublings
    return wanted if batch is None else min(wanted, batch.memory_mb_per_node)


def option_words(job: Job, batch: Batch) -> list[str]:
    """Returns options of sbatch and salloc besides those that the plugin has resources for."""
    own = ["--exclusive", f"--ntasks-per-node={-(-job.ranks // job.nodes)}"] if job.whole else []
    return [*own, *batch.options]


def options(job: Job, batch: Batch | None) -> str | None:
    """Returns these options as one text for sbatch's command line; None if there are none."""
    return shlex.join(option_words(job, batch)) or None if batch is not None else None
