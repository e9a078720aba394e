"""Lists this user's jobs in the queue by their working folder, and cancels jobs and waits for their end."""

from __future__ import annotations

import getpass
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import KvasirError
from harness.slurm.client import ask

WAIT_S = 180.0
"""A job that is cancelled has half a minute to end, and its node has to tell the controller."""
FORMAT = "%A|%j|%Z|%k"
"""Job id, name, working folder, comment: the last may hold any character."""


@dataclass(frozen=True)
class Queued:
    """Describes a job that waits, runs or is ending."""

    job: str
    name: str
    """Snakemake's SLURM plugin gives all jobs of a run the same."""
    comment: str
    """Rule and wildcards, where the plugin submitted it."""


def jobs_in(listing: str, folder: Path) -> list[Queued]:
    """Parses `squeue -h -o FORMAT`; returns the jobs whose working folder is `folder`, by id."""
    found = []
    for line in listing.splitlines():
        job, name, rest = (*line.strip().split("|", 2), "", "")[:3]
        # A folder's name may hold a bar, a comment of the plugin does not.
        where, _, comment = rest.rpartition("|")
        if where == str(folder):
            found.append(Queued(job, name, comment))
    return sorted(found, key=lambda queued: int(queued.job))


def queue_of(folder: Path) -> list[Queued]:
    """Asks squeue for this user's jobs of a folder. Raises KvasirError when it does not answer."""
    fine, said = ask("squeue", "-h", "-u", getpass.getuser(), "-o", FORMAT)
    if not fine:
        raise KvasirError(f"squeue cannot say which jobs of {folder} are in the queue: {said}")
    return jobs_in(said, folder)


def cancel(jobs: Iterable[str], folder: Path) -> None:
    """Cancels jobs of a folder and waits until all have ended. Raises KvasirError when they do not."""
    left = list(jobs)
    deadline = time.monotonic() + WAIT_S
    while left:
        ask("scancel", *left)
        if time.monotonic() > deadline:
            raise KvasirError(
                f"jobs {', '.join(left)} of {folder} do not end: wait for them, or scancel them"
            )
        time.sleep(1)
        there = {queued.job for queued in queue_of(folder)}
        left = [job for job in left if job in there]
