"""Submits jobs again that SLURM refuses for the time being: full queue, closed partition, no answer of the controller.

Snakemake's plugin takes a refusal for a failure of the job. With a queue shorter than the profile's `jobs:`, each job
beyond it would lose all its retries within seconds.
"""

from __future__ import annotations

import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from harness.core.errors import KvasirError

WAIT_S = 60.0
"""Between two attempts; only one job is submitted at each until SLURM accepts it."""
REFUSALS = {
    r"MaxSubmit": "the queue is full: raise the limit, or lower `jobs:` in slurm/config.yaml",
    r"not available \(inactive or drain\)": "the partition takes no jobs now",
    r"Socket timed out|Unable to contact slurm|Zero Bytes were|Transport endpoint|onnection (refused|failure)": (
        "the controller does not answer"
    ),
}
"""Parts of sbatch's messages, and their meaning."""


def refusal(message: str) -> str:
    """Returns sbatch's own word and its meaning if it refuses a job for the time being, else ''."""
    for pattern, meaning in REFUSALS.items():
        if found := re.search(rf"\w*(?:{pattern})\w*", message):
            return f"{found[0]}: {meaning}"
    return ""


class Resubmitter:
    """Stands before the executor of Snakemake's SLURM plugin and keeps refused jobs until SLURM accepts them."""

    def __init__(self, executor: Any, accepted: Callable[[Any], Any | None], wait_s: float = WAIT_S) -> None:
        """`accepted` looks in the queue for a job whose submission got no answer; None: it is not there."""
        self._executor = executor
        self._accepted = accepted
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Any, bool]] = deque()
        """Jobs, and whether each was submitted before."""
        self._trial: Any = None
        """The job whose submission decides whether the others follow."""
        self._said = ""

    def attach(self) -> None:
        """Takes the place of the executor's methods."""
        self._run_jobs = self._executor.run_jobs
        self._report_submission = self._executor.report_job_submission
        self._report_error = self._executor.report_job_error
        self._executor.run_jobs = self.run_jobs
        self._executor.report_job_submission = self.report_job_submission
        self._executor.report_job_error = self.report_job_error

    def run_jobs(self, jobs: Sequence[Any]) -> None:
        """Submits jobs, behind those that were refused."""
        with self._lock:
            behind = bool(self._waiting) or self._trial is not None
            if behind:
                self._waiting.extend((job, False) for job in jobs)
        if not behind:
            self._run_jobs(jobs)

    def report_job_submission(self, info: Any, **options: Any) -> None:
        """Hands on that a job was submitted; the next of those that wait follows it."""
        self._report_submission(info, **options)
        self._after(info.job)

    def report_job_error(self, info: Any, msg: str | None = None, **options: Any) -> None:
        """Hands on that a job failed; keeps it instead if SLURM has refused it for the time being."""
        why = "" if info.external_jobid else refusal(msg or "")
        if not why:
            self._report_error(info, msg=msg, **options)
            self._after(info.job)
            return
        with self._lock:
            first = not self._waiting and self._trial is None
            again = info.job is self._trial
            if again:
                self._trial = None
                self._waiting.appendleft((info.job, True))
            else:
                self._waiting.append((info.job, True))
            news, self._said = why != self._said, why
        if news:
            print(
                f"SLURM refuses jobs: {why}; one is submitted again every {self._wait_s:.0f} s until it takes them",
                file=sys.stderr,
                flush=True,
            )
        if first or again:
            self._later()

    def _after(self, job: Any) -> None:
        with self._lock:
            if job is not self._trial:
                return
            self._trial = None
            self._said = self._said if self._waiting else ""
        # Not in the thread that reports: sbatch takes its time.
        threading.Thread(target=self._submit_next, daemon=True).start()

    def _later(self) -> None:
        timer = threading.Timer(self._wait_s, self._submit_next)
        timer.daemon = True
        timer.start()

    def _submit_next(self) -> None:
        with self._lock:
            if not self._waiting or self._trial is not None:
                return
            job, before = self._waiting.popleft()
            self._trial = job
        try:
            info = self._accepted(job) if before else None
        except KvasirError:
            with self._lock:
                self._waiting.appendleft((job, before))
                self._trial = None
            self._later()
            return
        if info is not None:
            self._executor.report_job_submission(info)
        elif before:
            self._executor.run_job(job)
        else:
            self._run_jobs([job])
