"""Schedules the jobs of a plan on the nodes of a cluster, and names what to leave out for a budget. Pure functions.

The cluster is taken to be free: the makespan is that of its own jobs, without waiting for others'. Jobs start first
come, first served with EASY backfill (Lifka 1995), which is SLURM's in essence: a job that has to wait gets a
reservation, and others may pass as long as they do not delay it.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

JOB_S = 8.0
"""Of each job besides its runs: SLURM's, and two starts of Snakemake."""
Experiment = tuple[str, str]
"""Study and name."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Describes a run, or what else a job does for some."""

    job: str
    nodes: int
    seconds: float
    """Of all nodes of the job; its share where simulations run side by side."""
    experiments: frozenset[Experiment]
    """Those whose tables need it."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """Describes a job of the scheduler."""

    name: str
    nodes: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Makespan:
    """Holds the time until the last of some jobs has ended."""

    seconds: float
    node_seconds: float
    jobs: int
    longest: Job | None
    """The critical path: jobs do not wait for each other, so no number of nodes is faster than it."""
    too_large: tuple[Job, ...]
    """Jobs that ask for more nodes than there are, and are in none of the numbers."""


@dataclass(frozen=True, kw_only=True)
class Omission:
    """Describes an experiment that is left out: node-seconds saved, and claims that lose runs by it."""

    experiment: Experiment
    node_seconds: float
    claims: int


def jobs_of(works: Iterable[Work], job_s: float = JOB_S) -> list[Job]:
    """Returns the jobs of the work, in the order of their first."""
    seconds: dict[str, float] = {}
    nodes: dict[str, int] = {}
    for work in works:
        seconds[work.job] = seconds.get(work.job, job_s) + work.seconds
        nodes[work.job] = work.nodes
    return [Job(name=name, nodes=nodes[name], seconds=total) for name, total in seconds.items()]


def makespan(jobs: Sequence[Job], nodes: int) -> Makespan:
    """Returns the makespan of jobs on so many nodes."""
    fitting = [job for job in jobs if job.nodes <= nodes]
    waiting, running, free, now = list(fitting), list[tuple[float, int]](), nodes, 0.0
    while waiting or running:
        started = _started(waiting, running, free, now)
        for job in started:
            heapq.heappush(running, (now + job.seconds, job.nodes))
            free -= job.nodes
        gone = set(map(id, started))
        waiting = [job for job in waiting if id(job) not in gone]
        now, released = heapq.heappop(running)
        free += released
    return Makespan(
        seconds=now,
        node_seconds=sum(job.seconds * job.nodes for job in fitting),
        jobs=len(fitting),
        longest=max(fitting, key=lambda job: job.seconds, default=None),
        too_large=tuple(job for job in jobs if job.nodes > nodes),
    )


def _started(
    waiting: Sequence[Job], running: Sequence[tuple[float, int]], free: int, now: float
) -> list[Job]:
    """Returns the jobs that start now."""
    started: list[Job] = []
    rest = iter(waiting)
    for head in rest:
        if head.nodes > free:
            break
        started.append(head)
        free -= head.nodes
    else:
        return started
    # When the first that has to wait could start, and how many nodes it leaves to others then.
    reserved, spare = now, free
    for end, released in sorted([*running, *((now + job.seconds, job.nodes) for job in started)]):
        reserved, spare = end, spare + released
        if spare >= head.nodes:
            break
    spare -= head.nodes
    for job in rest:
        if job.nodes > free:
            continue
        in_time = now + job.seconds <= reserved
        if in_time or job.nodes <= spare:
            started.append(job)
            free -= job.nodes
            spare -= 0 if in_time else job.nodes
    return started


def leave_out(
    works: Iterable[Work], claims: Mapping[Experiment, int], budget_node_s: float
) -> list[Omission]:
    """Returns what to leave out, in this order, until the rest fits the budget: what costs most for each of its claims.

    A run that several experiments need is saved with the last of them.
    """
    left = list(works)
    omitted: list[Omission] = []
    gone: set[Experiment] = set()
    total = sum(work.seconds * work.nodes for work in left)
    while total > budget_node_s:
        saved: Counter[Experiment] = Counter()
        for work in left:
            needed = work.experiments - gone
            # Of a shared run each has its part of the blame, or the last two would both look free.
            for experiment in needed:
                saved[experiment] += work.seconds * work.nodes / len(needed)  # type: ignore[assignment]
        if not saved:
            break
        worst = max(saved, key=lambda one: (saved[one] / (1 + claims.get(one, 0)), one))
        gone.add(worst)
        kept = [work for work in left if work.experiments - gone]
        after = sum(work.seconds * work.nodes for work in kept)
        omitted.append(Omission(experiment=worst, node_seconds=total - after, claims=claims.get(worst, 0)))
        left, total = kept, after
    return omitted
