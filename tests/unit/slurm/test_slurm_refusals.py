"""Jobs that SLURM refuses for the time being: kept and submitted again, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.core.errors import KvasirError
from harness.slurm.refusals import Resubmitter, refusal

FULL = (
    "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates ..."
)
SILENT = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (FULL, "QOSMaxSubmitJobPerUserLimit: the queue is full"),
        ("AssocMaxSubmitJobLimit", "AssocMaxSubmitJobLimit: the queue is full"),
        (SILENT, "Socket timed out: the controller does not answer"),
        ("Unable to contact slurm controller (connect failure)", "Unable to contact slurm: the controller"),
        ("Required partition not available (inactive or drain)", "the partition takes no jobs now"),
        ("Requested node configuration is not available", ""),
        ("invalid account or account/partition combination specified", ""),
        ("Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)", ""),
        ("", ""),
    ],
)
def test_what_is_refused_for_the_time_being(message: str, expected: str) -> None:
    assert expected in refusal(message) and bool(refusal(message)) == bool(expected)


@dataclass
class Executor:
    """As the SLURM plugin's, with a queue of so many places."""

    places: int
    message: str = FULL
    calls: int = 0
    accepted: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def run_jobs(self, jobs: list[str]) -> None:
        for job in jobs:
            self.run_job(job)

    def run_job(self, job: str) -> None:
        self.calls += 1
        info = SimpleNamespace(job=job, external_jobid=None)
        if job == "wrong":
            self.report_job_error(info, msg="invalid account")
        elif len(self.accepted) >= self.places:
            self.report_job_error(info, msg=f"SLURM sbatch failed. The error message was '{self.message}'.")
        else:
            self.report_job_submission(SimpleNamespace(job=job, external_jobid="1"))

    def report_job_submission(self, info: Any) -> None:
        self.accepted.append(info.job)

    def report_job_error(self, info: Any, msg: str | None = None) -> None:
        self.failed.append(info.job)


def resubmitting(executor: Executor, accepted: Callable[[Any], Any] = lambda job: None) -> Executor:
    Resubmitter(executor, accepted, wait_s=0.05).attach()
    return executor


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_full_queue_fails_no_job_and_is_asked_for_one_place_at_a_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    executor = resubmitting(Executor(places=2))
    executor.run_jobs(list("abcdef"))
    assert executor.accepted == ["a", "b"] and executor.failed == []
    burst = executor.calls
    assert burst == 6
    executor.run_jobs(["later"])
    time.sleep(0.3)
    assert burst < executor.calls <= burst + 8, "one sbatch at each attempt, and none for who came later"
    executor.places = 4
    until(lambda: len(executor.accepted) == 4)
    executor.places = 99
    until(lambda: len(executor.accepted) == 7)
    assert executor.accepted == ["a", "b", "c", "d", "e", "f", "later"] and executor.failed == []
    assert capsys.readouterr().err.count("SLURM refuses jobs: QOSMaxSubmitJobPerUserLimit") == 1


def test_what_is_refused_for_good_fails_and_the_others_go_on() -> None:
    executor = resubmitting(Executor(places=0))
    executor.run_jobs(["a"])
    executor.run_jobs(["wrong", "b"])
    executor.places = 9
    until(lambda: len(executor.accepted) == 2)
    assert executor.failed == ["wrong"] and executor.accepted == ["a", "b"]


def test_a_job_that_was_accepted_without_an_answer_is_not_submitted_twice() -> None:
    asked: list[str] = []

    def in_queue(job: str) -> Any:
        asked.append(job)
        if len(asked) == 1:
            raise KvasirError("squeue does not answer either")
        return SimpleNamespace(job=job, external_jobid="17")

    executor = resubmitting(Executor(places=0, message=SILENT), in_queue)
    executor.run_jobs(["a"])
    until(lambda: executor.accepted == ["a"])
    assert executor.calls == 1 and len(asked) == 2
