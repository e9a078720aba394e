"""Finds jobs that a killed Snakemake left in the queue by their working folder, cancels them and waits for their end.

Whoever asks must hold the folder's lock of Snakemake: then none that is alive has submitted them.
"""

from __future__ import annotations

import getpass
import time
from pathlib import Path

from harness.core.errors import KvasirError
from harness.slurm.client import ask

WAIT_S = 180.0
"""A job that is cancelled has half a minute to end, and its node has to tell the controller."""


def orphans(listing: str, folder: Path, but: str | None = None) -> list[str]:
    """Returns jobs of a `squeue -o "%A %Z"` whose working folder is `folder`, without job `but`."""
    rows = (line.strip().partition(" ") for line in listing.splitlines())
    return sorted({job for job, _, where in rows if where == str(folder) and job != but}, key=int)


def queued(folder: Path, but: str | None) -> list[str]:
    """Returns this user's jobs of a folder that wait, run or are ending. Raises KvasirError when squeue fails."""
    fine, said = ask("squeue", "-h", "-u", getpass.getuser(), "-o", "%A %Z")
    if not fine:
        raise KvasirError(f"squeue cannot say which jobs are left from before: {said}")
    return orphans(said, folder, but)


def cancel_orphans(folder: Path, but: str | None = None) -> list[str]:
    """Cancels this user's jobs of a folder, except `but` (our own), and waits until all have ended.

    Returns the jobs' ids. Raises KvasirError when they do not go.
    """
    found = left = queued(folder, but)
    deadline = time.monotonic() + WAIT_S
    while left:
        ask("scancel", *left)
        if time.monotonic() > deadline:
            raise KvasirError(
                f"jobs {', '.join(left)} of {folder} do not end: wait for them, or scancel them"
            )
        time.sleep(1)
        left = [job for job in queued(folder, but) if job in found]
    return found
