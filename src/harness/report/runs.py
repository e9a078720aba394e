"""Summarises runs for the page: outcomes by experiment, missing runs by reason, and times of the jobs."""

from __future__ import annotations

import statistics
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from harness.core.rows import as_number, read_rows
from harness.report import numbers


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run, or one level that was not run (`rep` empty); `seconds` is its wall time."""

    study: str
    experiment: str
    point: str
    rep: str
    status: str
    reason: str
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Job:
    """One job of the workflow: its file below the benchmark folder, wall and CPU seconds, peak memory in MiB."""

    path: tuple[str, ...]
    seconds: float
    cpu_seconds: float | None
    memory_mib: float | None


def read_jobs(folder: Path, label: str = "", without: Collection[str] = ("report",)) -> list[Job]:
    """Returns every job with a benchmark file below `folder`, by path; none if there is no such folder.

    `label` goes before the path of each. Pages `without` are left out: their files tell of the page before this one.
    Raises KvasirError for a file that is not whole.
    """
    jobs = []
    for path in sorted(folder.rglob("*.tsv")):
        name = path.relative_to(folder).with_suffix("").parts
        if len(name) == 1 and name[0] in without:
            continue
        for line, cells in read_rows(path, "the benchmark file", ("s",), delimiter="\t"):
            took, cpu, memory = (
                as_number(cells, column, path, line) for column in ("s", "cpu_time", "max_rss")
            )
            jobs.append(
                Job(
                    path=(label, *name) if label else name,
                    seconds=took or 0.0,
                    cpu_seconds=cpu,
                    memory_mib=memory,
                )
            )
    return jobs


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The runs of one experiment, counted; times are those of all runs that were started."""

    name: str
    ok: int
    failed: int
    timeout: int
    not_run: int
    seconds: float
    median: str
    spread: str

    @property
    def total(self) -> str:
        """Returns the wall time of all runs together."""
        return numbers.duration(self.seconds) if self.seconds else ""


@dataclass(frozen=True)
class Problem:
    """Runs (or levels) that are missing for the same reason; `places` are their points by experiment."""

    status: str
    reason: str
    places: dict[str, list[str]]

    @property
    def what(self) -> str:
        """Returns number and status: `2 runs failed`, `24 levels not run`."""
        n = sum(map(len, self.places.values()))
        return {
            "failed": numbers.count(n, "run") + " failed",
            "timeout": numbers.count(n, "run") + " ran out of time",
            "not-run": numbers.count(n, "level") + " not run",
        }[self.status]


@dataclass(frozen=True)
class JobGroup:
    """Jobs of one rule (and experiment): wall times, CPU time and the largest peak of memory."""

    name: str
    jobs: int
    total: str
    median: str
    longest: str
    cpu: str
    memory: str
    seconds: float


def experiments(runs: list[Run]) -> list[Experiment]:
    """Returns one entry per experiment, in the order of the table."""
    found = []
    for name in dict.fromkeys(run.experiment for run in runs):
        mine = [run for run in runs if run.experiment == name]
        took = [run.seconds for run in mine if run.seconds is not None]
        amount = {status: sum(run.status == status for run in mine) for status in ("ok", "failed", "timeout")}
        found.append(
            Experiment(
                name=name,
                **amount,
                not_run=sum(run.status == "not-run" for run in mine),
                seconds=sum(took),
                median=numbers.duration(statistics.median(took)) if took else "",
                spread=f"{numbers.duration(min(took))} … {numbers.duration(max(took))}" if took else "",
            )
        )
    return found


def problems(runs: list[Run]) -> list[Problem]:
    """Returns missing runs and levels, grouped by reason: failures first, then levels not run."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for run in runs:
        if run.status != "ok":
            place = run.point + (f", repetition {run.rep}" if run.rep else "")
            places = groups.setdefault((run.status, run.reason or "no reason was recorded"), {})
            places.setdefault(run.experiment, []).append(place)
    rank = {"failed": 0, "timeout": 1, "not-run": 2}
    found = [Problem(status, reason, places) for (status, reason), places in groups.items()]
    return sorted(found, key=lambda problem: rank[problem.status])


def job_groups(jobs: list[Job]) -> list[JobGroup]:
    """Returns jobs by rule and experiment: the folder of their benchmark files, at most three levels deep."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(" / ".join(job.path[:-1][:3]) or job.path[0], []).append(job)
    return [_job_group(name, mine) for name, mine in sorted(groups.items())]


def _job_group(name: str, jobs: list[Job]) -> JobGroup:
    took = [job.seconds for job in jobs]
    cpu = [job.cpu_seconds for job in jobs if job.cpu_seconds is not None]
    memory = [job.memory_mib for job in jobs if job.memory_mib is not None]
    return JobGroup(
        name=name,
        jobs=len(jobs),
        total=numbers.duration(sum(took)),
        median=numbers.duration(statistics.median(took)),
        longest=numbers.duration(max(took)),
        cpu=numbers.duration(sum(cpu)) if cpu else "",
        memory=numbers.size(max(memory) * 2**20) if memory else "",
        seconds=sum(took),
    )
