"""Finds what the next attempt at a job needs more of: time after a TIMEOUT, memory after OUT_OF_MEMORY."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.slurm.adoption import LEDGER, read_ledger
from harness.slurm.client import ask

TIME, MEMORY = frozenset({"TIMEOUT", "DEADLINE"}), frozenset({"OUT_OF_MEMORY"})
"""SLURM's final states of jobs that a larger limit helps."""


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Counts how often each limit of a job is doubled."""

    time: int = 0
    memory: int = 0


@dataclass(frozen=True)
class End:
    """Tells how a job ended."""

    job: str
    state: str
    """SLURM's final state; '' if the accounts do not know it."""
    nodes: str = ""


def growth(states: Sequence[str]) -> Growth:
    """Returns the doublings after attempts that ended in these states; one that is unknown doubles both limits."""
    return Growth(
        time=sum(state in TIME or not state for state in states),
        memory=sum(state in MEMORY or not state for state in states),
    )


def parse_ends(listing: str) -> dict[str, End]:
    """Parses `sacct -n -P -X -o JobIDRaw,State,NodeList`, by job."""
    rows = [line.strip().split("|") for line in listing.splitlines()]
    return {row[0]: End(row[0], row[1].split()[0], row[2]) for row in rows if len(row) == 3 and row[1]}


def line_of(output: str, attempt: int, ends: Sequence[End], grown: Growth) -> str:
    """Returns what the user reads about the next attempt."""
    last = ends[-1]
    how = (
        f"job {last.job} on {last.nodes or 'no node'} ended {last.state}"
        if last.state
        else "its end is unknown"
    )
    more = [
        f"{1 << times} x {what}" for what, times in (("time", grown.time), ("memory", grown.memory)) if times
    ]
    return f"{output}: {how}; attempt {attempt} has {' and '.join(more) or 'the same limits'}"


@cache
def growth_of(output: str, attempt: int) -> Growth:
    """Returns the doublings for an attempt at the job that makes `output`, by the ledger and the accounts.

    Says on stderr how the attempt before ended. Inside a job, where nothing is submitted, the accounts are not asked.
    """
    if attempt == 1 or "SLURM_JOB_ID" in os.environ:
        return growth([""] * (attempt - 1))
    entries = [
        entry for entry in read_ledger(Path(".snakemake", LEDGER)) if output in entry.outputs and entry.job
    ]
    jobs = [entry.job for entry in entries][1 - attempt :]
    fine, said = (
        ask("sacct", "-n", "-P", "-X", "-j", ",".join(jobs), "-o", "JobIDRaw,State,NodeList")
        if jobs
        else (False, "")
    )
    known = parse_ends(said) if fine else {}
    ends = [known.get(job, End(job, "")) for job in jobs]
    grown = growth([end.state for end in ends] + [""] * (attempt - 1 - len(ends)))
    if ends:  # none where Snakemake itself runs the jobs
        print(line_of(output, attempt, ends, grown), file=sys.stderr, flush=True)
    return grown
