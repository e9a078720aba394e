"""The SLURM job that this process is in, and its hosts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from harness.core.errors import HostError
from harness.hosts.model import shown


def nodes_of_allocation(given: Sequence[str] = ()) -> list[str]:
    """Names of the job's hosts, in SLURM's order, or those that are given. HostError: not inside a job."""
    if given:
        return list(given)
    if "SLURM_JOB_ID" not in os.environ:
        raise HostError("slurm hosts: not inside an allocation: SLURM_JOB_ID is not set")
    # The environment may tell of one step only: Snakemake's plugin for SLURM takes the job's list away.
    listed = _ask("squeue", "-h", "-j", os.environ["SLURM_JOB_ID"], "-o", "%N")
    return _ask("scontrol", "show", "hostnames", listed.strip()).split()


def require_nodes(wanted: int) -> list[str]:
    """The job's hosts. Raises HostError unless they are exactly so many."""
    found = nodes_of_allocation()
    if len(found) != wanted:
        raise HostError(
            f"the job {os.environ['SLURM_JOB_ID']} has {len(found)} nodes ({', '.join(found)}), planned were"
            f" {wanted}: results would carry the wrong number; look at the options of sbatch in the site file"
        )
    return found


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"slurm hosts: {shown(command)}: {error}") from error
    if done.returncode != 0:
        raise HostError(
            f"slurm hosts: {shown(command)} failed with code {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout
