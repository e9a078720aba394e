"""Watches the status queries of Snakemake's SLURM plugin: no job is lost when one fails, and long waits are explained.

Snakemake forgets each active job that its executor neither yields nor reports. After a query without an answer it would
wait forever for jobs that have ended long ago.
"""

from __future__ import annotations

import getpass
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any

from harness.slurm.client import ask

QUIET = 3
"""Queries in a row without the end of a job until the next one asks squeue why jobs wait, in place of their states."""
ORDINARY = frozenset(
    {"None", "Priority", "Resources", "Dependency", "BeginTime", "Prolog", "Cleaning", "InProgress"}
)
"""Reasons of jobs whose turn has not come."""
MEANINGS = {
    r"Partition(Down|Inactive)": "they start once the partition is up again",
    r"NodeNotAvail|NodeDown|DOWN": "nodes are down, drained or reserved (sinfo -R); they start once nodes are back",
    r"Held|held": "held by you or by an administrator: scontrol release",
    r"Invalid|NotAllowed|BadConstraints|Partition\w*Limit|Max(Cpu|Node|Mem|Wall)\w*PerJob": (
        "they never start: interrupt, correct the site file (batch), make cancel, and start again"
    ),
    r"(Assoc|QOS|Grp)\w*": "a limit of your account or QOS; they start as other jobs end",
}
"""Parts of squeue's reasons in their order, and what they mean for the jobs."""


def waiting(listing: str, jobs: Collection[str]) -> Counter[str]:
    """Parses `squeue -h -t PD -o "%A|%r"`; counts those of `jobs` by reasons out of the ordinary."""
    rows = [line.strip().split("|", 1) for line in listing.splitlines() if "|" in line]
    return Counter(reason for job, reason in rows if job in jobs and reason not in ORDINARY)


def line_of(reasons: Mapping[str, int]) -> str:
    """Returns what the user reads about jobs that SLURM does not start."""
    found = []
    for reason, jobs in sorted(reasons.items()):
        meaning = next((text for part, text in MEANINGS.items() if re.search(part, reason)), "")
        found.append(
            f"{jobs} {'job waits' if jobs == 1 else 'jobs wait'}, {reason}{': ' if meaning else ''}{meaning}"
        )
    return f"SLURM: {'; '.join(found)}"


class StatusWatch:
    """Stands before the status query of the executor of Snakemake's SLURM plugin."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._ended: set[int] = set()
        """Jobs (their submissions' ids) that the query in progress has reported."""
        self._quiet = 0
        self._failing = False
        self._reasons: set[str] = set()

    def attach(self) -> None:
        """Takes the place of the executor's methods."""
        self._check = self._executor.check_active_jobs
        self._report_success = self._executor.report_job_success
        self._report_error = self._executor.report_job_error
        self._executor.check_active_jobs = self.check_active_jobs
        self._executor.report_job_success = self.report_job_success
        self._executor.report_job_error = self.report_job_error

    def report_job_success(self, info: Any) -> None:
        """Hands on that a job has succeeded."""
        self._ended.add(id(info))
        self._report_success(info)

    def report_job_error(self, info: Any, *arguments: Any, **options: Any) -> None:
        """Hands on that a job has failed."""
        self._ended.add(id(info))
        self._report_error(info, *arguments, **options)

    async def check_active_jobs(self, active: Sequence[Any]) -> AsyncIterator[Any]:
        """Yields the jobs that go on: those that the plugin yields, or all that it has no answer about."""
        if active and self._quiet >= QUIET:
            self._quiet = 0
            self._look(active)
            for info in active:
                yield info
            return
        self._ended.clear()
        going_on = set()
        async for info in self._check(active):
            going_on.add(id(info))
            yield info
        lost = [info for info in active if id(info) not in going_on | self._ended]
        self._quiet = 0 if self._ended or not active else self._quiet + 1
        if active:
            self._tell(len(lost))
        for info in lost:
            yield info

    def _tell(self, lost: int) -> None:
        failing = lost > 0
        if failing == self._failing:
            return
        self._failing = failing
        command = self._executor.get_status_command()
        if failing:
            self._say(
                f"SLURM: {command} does not answer about {lost} jobs; they go on, and it is asked again and again"
            )
        else:
            self._say(f"SLURM: {command} answers again")

    def _look(self, active: Sequence[Any]) -> None:
        fine, said = ask("squeue", "-h", "-t", "PD", "-u", getpass.getuser(), "-o", "%A|%r")
        if not fine:
            return
        reasons = waiting(said, {str(info.external_jobid) for info in active})
        if reasons.keys() - self._reasons:
            self._say(line_of(reasons))
        self._reasons = set(reasons)

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)
