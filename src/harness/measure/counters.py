"""Writes the counters of a run's jobs as rows of `counters.csv`: bytes shuffled, records spilled and so on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.hadoop.history import JobHistory

WHOLE = "all"
"""Kind of the counters of a whole job."""


@dataclass(frozen=True)
class CounterRow:
    """Holds one counter of one job."""

    job: str
    job_name: str
    """Such as `pagerank: iteration 1`; a program may run several jobs."""
    kind: str
    """map or reduce: over the job's tasks of this kind; all: over the whole job, with what it counts itself."""
    counter_group: str
    """Such as TaskCounter or FileSystemCounter: the last part of a class name, as in JobHistory."""
    counter: str
    value: int
    """In the counter's own unit: bytes, records, milliseconds."""


def of_jobs(jobs: Iterable[JobHistory]) -> list[CounterRow]:
    """Returns a row for each counter of each job, and of its map and reduce tasks, in the order of their names."""
    return [
        CounterRow(job.id, job.name, kind, group, counter, value)
        for job in jobs
        for kind, groups in (
            (WHOLE, job.counters),
            ("map", job.map_counters),
            ("reduce", job.reduce_counters),
        )
        for group, counts in sorted(groups.items())
        for counter, value in sorted(counts.items())
    ]
