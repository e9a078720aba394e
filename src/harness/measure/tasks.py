"""Writes the phases of each task of a run as rows of `tasks.csv`, for Gantt figures (study hpc, Fig. 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.hadoop.history import JobHistory

KINDS = {"m": "map", "r": "reduce"}
WHOLE = "attempt"
"""Phase of an attempt that did not end well: no job history says how far it came."""


@dataclass(frozen=True)
class TaskRow:
    """Holds one phase of one attempt at a task."""

    job: str
    task: str
    """Such as m_000003: the fourth map task of its job."""
    attempt: int
    """From 0."""
    host: str
    kind: str
    """map or reduce."""
    phase: str
    """map, shuffle, merge, reduce; `attempt` for all of an attempt that did not end well."""
    start_s: float
    """Since the start of the run."""
    end_s: float
    status: str
    """SUCCEEDED, FAILED or KILLED."""


def of_jobs(jobs: Iterable[JobHistory], started: float) -> list[TaskRow]:
    """Returns rows of all tasks of jobs. `started`: time.time() at the start of the run, by the master's clock."""
    rows = []
    for job in jobs:
        shift = job.submitted_ms / 1000 - started
        ended = [(s.attempt, s.host, s.phase, s.start_s, s.end_s, "SUCCEEDED") for s in job.spans]
        lost = [(f.attempt, f.host, WHOLE, f.start_s, f.end_s, f.status) for f in job.failures]
        for name, host, phase, start, end, status in [*ended, *lost]:
            task, _, attempt = name.rpartition("_")
            times = round(start + shift, 3), round(end + shift, 3)
            rows.append(TaskRow(job.id, task, int(attempt), host, KINDS[task[0]], phase, *times, status))
    return sorted(rows, key=lambda row: (row.start_s, row.job, row.task, row.attempt, row.end_s))
