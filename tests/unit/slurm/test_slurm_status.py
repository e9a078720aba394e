"""Queries of the state of SLURM's jobs: no job is lost by one that fails, and long waits are explained."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.slurm import status
from harness.slurm.status import QUIET, StatusWatch, line_of, waiting

LISTING = """7|PartitionDown
8|Priority
9|PartitionDown
10|Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions
11|PartitionDown
"""


def test_jobs_are_counted_by_reasons_out_of_the_ordinary() -> None:
    found = waiting(LISTING, {"7", "8", "9", "10"})
    assert found == {"PartitionDown": 2, LISTING.splitlines()[3].partition("|")[2]: 1}
    assert not waiting("slurm_load_jobs error: Unable to contact slurm controller\n", {"7"})


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("PartitionDown", "once the partition is up again"),
        ("ReqNodeNotAvail, UnavailableNodes:n[1-2]", "once nodes are back"),
        ("JobHeldAdmin", "scontrol release"),
        ("launch failed requeued held", "scontrol release"),
        ("PartitionTimeLimit", "they never start"),
        ("QOSMaxWallDurationPerJobLimit", "they never start"),
        ("AssocMaxJobsLimit", "as other jobs end"),
        ("QOSMaxCpuPerUserLimit", "as other jobs end"),
        ("SomethingNew", "SomethingNew"),
    ],
)
def test_reasons_are_explained(reason: str, expected: str) -> None:
    assert expected in line_of({reason: 3}) and line_of({reason: 3}).startswith(
        "SLURM: 3 jobs wait, " + reason
    )


@dataclass
class Executor:
    """As the SLURM plugin's: a query without an answer yields nothing."""

    answers: bool = True
    ends: set[str] = field(default_factory=set)
    fails: set[str] = field(default_factory=set)
    reported: list[str] = field(default_factory=list)

    def get_status_command(self) -> str:
        return "sacct"

    def report_job_success(self, info: Any) -> None:
        self.reported.append(info.external_jobid)

    def report_job_error(self, info: Any, msg: str | None = None) -> None:
        self.reported.append(f"{info.external_jobid}: {msg}")

    async def check_active_jobs(self, active: list[Any]) -> AsyncIterator[Any]:
        if not self.answers:
            return
        for info in active:
            if info.external_jobid in self.ends:
                self.report_job_success(info)
            elif info.external_jobid in self.fails:
                self.report_job_error(info, msg="TIMEOUT")
            else:
                yield info


def query(executor: Executor, active: list[Any]) -> list[str]:
    """One turn of Snakemake's thread: it keeps what is yielded."""

    async def turn() -> list[Any]:
        return [info async for info in executor.check_active_jobs(active)]

    active[:] = asyncio.run(turn())
    return [info.external_jobid for info in active]


def submitted(*jobs: str) -> list[Any]:
    return [SimpleNamespace(external_jobid=job) for job in jobs]


def test_a_query_without_an_answer_loses_no_job(capsys: pytest.CaptureFixture[str]) -> None:
    executor, active = Executor(answers=False), submitted("1", "2", "3")
    StatusWatch(executor).attach()
    assert query(executor, active) == ["1", "2", "3"] and query(executor, active) == ["1", "2", "3"]
    executor.answers, executor.ends, executor.fails = True, {"1"}, {"3"}
    assert query(executor, active) == ["2"]
    assert executor.reported == ["1", "3: TIMEOUT"]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2, "one line when it stops answering, one when it answers again"
    assert "sacct does not answer about 3 jobs" in said[0] and "answers again" in said[1]


def test_after_quiet_queries_one_asks_why_jobs_wait(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def ask(*command: str) -> tuple[bool, str]:
        asked.append(command)
        return True, LISTING

    monkeypatch.setattr(status, "ask", ask)
    executor, active = Executor(), submitted("7", "8", "9")
    StatusWatch(executor).attach()
    for _ in range(4 * (QUIET + 1)):
        assert query(executor, active) == ["7", "8", "9"]
    assert [command[0] for command in asked] == ["squeue"] * 4
    said = capsys.readouterr().err.splitlines()
    assert said == ["SLURM: 2 jobs wait, PartitionDown: they start once the partition is up again"], (
        "said once"
    )


def test_jobs_that_end_leave_squeue_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "ask", lambda *command: pytest.fail(f"asked {command}"))
    executor, active = Executor(), submitted(*map(str, range(20)))
    StatusWatch(executor).attach()
    for job in range(20):
        executor.ends = {str(job)} if job % QUIET == 0 else set()
        query(executor, active)
