"""Writes the stages of each map task of a run as rows of `stages.csv`: seconds, and bytes that went to a disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.hadoop.history import JobHistory

NANOSECONDS, BYTES = "_NS", "_BYTES"
"""Ends of the counters' names, by their unit."""


@dataclass(frozen=True)
class StageRow:
    """Holds the time or the bytes of one stage of one map task."""

    job: str
    task: str
    """Such as m_000003: the fourth map task of its job."""
    host: str
    stage: str
    """Such as read, map, collect, spill, merge, total or disk_spill."""
    value: float
    unit: str
    """s or B."""


def of_jobs(jobs: Iterable[JobHistory]) -> list[StageRow]:
    """Returns the rows of all map tasks that ended well and whose collector times its stages, in their order."""
    rows = []
    for job in jobs:
        for task in job.stages:
            name = task.attempt.rpartition("_")[0]
            for counter, count in task.counts.items():
                if counter.endswith(NANOSECONDS):
                    stage, value, unit = counter.removesuffix(NANOSECONDS), count / 1e9, "s"
                elif counter.endswith(BYTES):
                    stage, value, unit = counter.removesuffix(BYTES), float(count), "B"
                else:
                    continue
                rows.append(StageRow(job.id, name, task.host, stage.lower(), value, unit))
    return sorted(rows, key=lambda row: (row.job, row.task, row.stage))
