"""Adopts the jobs of a Snakemake that was killed or interrupted: nothing is computed twice.

A ledger, `.snakemake/kvasir-jobs.jsonl`, gets a line before each submission and one with the job's id after it. The
next Snakemake reads it, asks squeue and sacct what became of the jobs, and takes those that wait, run or have succeeded
in place of new ones, if they make the same files of the same inputs in the same way. Who is killed between sbatch and
the second line leaves a job without an id: its name and comment in the queue tell which it is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.core.models import Strict, read_lines
from harness.slurm.client import ask
from harness.slurm.queue import Queued, cancel, queue_of
from harness.slurm.refusals import Resubmitter
from harness.slurm.status import StatusWatch

LEDGER = "kvasir-jobs.jsonl"


class Entry(Strict):
    """Records one submission."""

    key: str
    name: str
    """The job's name in SLURM."""
    comment: str
    outputs: tuple[str, ...]
    digest: str
    """Of all that says how the outputs are made; see digest_of."""
    newest_input_ns: int
    """Time of change of the newest input when it was submitted, since the epoch."""
    submitted: str
    """ISO 8601, UTC."""
    log: str = ""
    job: str = ""
    """Job id; '' before sbatch has said it."""


def read_ledger(path: Path) -> list[Entry]:
    """Reads the submissions in their order, the last line of each."""
    return list({entry.key: entry for entry in read_lines(Entry, path)}.values())


def identified(entries: Sequence[Entry], jobs: Iterable[Queued]) -> list[Entry]:
    """Returns the entries that have an id, or the one of a job of their name and comment that no other has."""
    known = {entry.job for entry in entries}
    spare = [job for job in jobs if job.job not in known]
    found = []
    # The newest first: sbatch may have refused earlier ones.
    for entry in reversed(entries):
        job = next((job for job in spare if (job.name, job.comment) == (entry.name, entry.comment)), None)
        if entry.job:
            found.append(entry)
        elif job is not None:
            spare.remove(job)
            found.append(entry.model_copy(update={"job": job.job}))
    return found[::-1]


def accounts(listing: str) -> dict[str, tuple[str, Queued]]:
    """Parses `sacct -n -P -X -o JobIDRaw,State,JobName,Comment`: state and job by id."""
    found = {}
    for line in listing.splitlines():
        job, state, name, comment = (*line.strip().split("|", 3), "", "", "")[:4]
        if state:
            found[job] = (state.split()[0], Queued(job, name, comment))
    return found


def ask_accounts(entries: Sequence[Entry]) -> dict[str, tuple[str, Queued]]:
    """Asks sacct once for all jobs of the entries' names; empty when it does not answer."""
    if not entries:
        return {}
    # sacct reads local time, entries are in UTC: a day earlier is early enough anywhere.
    since = (datetime.fromisoformat(min(entry.submitted for entry in entries)) - timedelta(days=1)).date()
    names = ",".join(sorted({entry.name for entry in entries}))
    fine, said = ask(
        "sacct",
        "-n",
        "-P",
        "-X",
        "-S",
        since.isoformat(),
        "--name",
        names,
        "-o",
        "JobIDRaw,State,JobName,Comment",
    )
    return accounts(said) if fine else {}


def newest_ns(paths: Iterable[str]) -> int:
    """Returns the newest time of change of files, in ns since the epoch; 0 where there are none."""
    return max((Path(path).stat().st_mtime_ns for path in paths if Path(path).exists()), default=0)


def digest_of(job: Any) -> str:
    """Returns a digest of a job's rule, command, parameters, inputs and outputs: what Snakemake itself compares."""
    facts = [
        job.rule.name,
        job.rule.shellcmd,
        sorted((str(name), str(value)) for name, value in job.params.items()),
        [str(value) for value in job.params],
        sorted(map(str, job.input)),
        sorted(map(str, job.output)),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


@dataclass
class Left:
    """Holds what a Snakemake before this one has submitted and may still be of use."""

    queued: dict[tuple[str, ...], Entry] = field(default_factory=dict)
    """Jobs that wait, run or are ending, by their outputs."""
    completed: dict[tuple[str, ...], Entry] = field(default_factory=dict)
    """Jobs that have succeeded."""

    @property
    def entries(self) -> list[Entry]:
        """Returns all of them."""
        return [*self.completed.values(), *self.queued.values()]


def reconcile(
    entries: Sequence[Entry], queue: Sequence[Queued], known: Mapping[str, tuple[str, Queued]]
) -> Left:
    """Returns what is left of the ledger, by the queue and the accounts. Of several attempts the last counts."""
    waiting = {job.job for job in queue}
    left = Left()
    for entry in identified(entries, [*queue, *(job for _, job in known.values())]):
        left.queued.pop(entry.outputs, None)
        left.completed.pop(entry.outputs, None)
        if entry.job in waiting:
            left.queued[entry.outputs] = entry
        elif known.get(entry.job, ("",))[0] == "COMPLETED":
            left.completed[entry.outputs] = entry
    return left


class Ledger:
    """Stands before the executor of Snakemake's SLURM plugin: notes what it submits and adopts what is left."""

    def __init__(self, path: Path, folder: Path, left: Left, executor: Any) -> None:
        self.path = path
        self.folder = folder
        self.left = left
        self._executor = executor
        self._lock = threading.Lock()
        self._submitting: dict[int, Entry] = {}

    def attach(self) -> None:
        """Takes the place of the executor's methods. Jobs of one folder have one name: the status query asks for it."""
        Resubmitter(self._executor, self.accepted).attach()
        StatusWatch(self._executor).attach()
        self._run_jobs = self._executor.run_jobs
        self._report_submission = self._executor.report_job_submission
        if entries := self.left.entries:
            self._executor.run_uuid = entries[-1].name
        self._executor.run_jobs = self.run_jobs
        self._executor.report_job_submission = self.report_job_submission
        self._executor.cancel_jobs = self.leave

    def run_jobs(self, jobs: Sequence[Any]) -> None:
        """Adopts the jobs that can be, notes the others and submits them."""
        rest = [job for job in jobs if job.is_group() or not self._adopt(job)]
        for job in rest:
            if not job.is_group():
                entry = self._entry(job)
                self._submitting[id(job)] = entry
                self._write(entry)
        if rest:
            self._run_jobs(rest)

    def report_job_submission(self, info: Any, **options: Any) -> None:
        """Notes the id of a job that was submitted, and hands it on."""
        entry = self._submitting.pop(id(info.job), None)
        if entry is not None and info.external_jobid:
            log = (info.aux or {}).get("slurm_logfile", "")
            self._write(entry.model_copy(update={"job": str(info.external_jobid), "log": str(log)}))
        self._report_submission(info, **options)

    def accepted(self, job: Any) -> Any | None:
        """Returns the submission of a job that is in the queue though sbatch gave no id, None if it is not there.

        Raises KvasirError when squeue does not answer.
        """
        entry = self._submitting.get(id(job))
        if entry is None:
            return None
        known = identified(read_ledger(self.path), queue_of(self.folder))
        found = next((one.job for one in known if one.key == entry.key), "")
        return _submitted(job, entry.model_copy(update={"job": found})) if found else None

    def leave(self, active: Sequence[Any]) -> None:
        """Leaves jobs in the queue where the executor would cancel them."""
        # Each job waits for this folder to be there; the executor removes it when it ends.
        self._executor._tmpdir = None
        jobs = sorted(str(info.external_jobid) for info in active if info.external_jobid)
        if jobs:
            self._say(
                f"left in the queue: {', '.join(jobs)}; the same command adopts them, make cancel cancels them"
            )

    def _adopt(self, job: Any) -> bool:
        outputs = tuple(map(str, job.output))
        queued, done = self.left.queued.pop(outputs, None), self.left.completed.pop(outputs, None)
        if job.dag.reason(job).forced:
            done = None  # --forcerun asks for it once more
        entry = queued or done
        if entry is None:
            return False
        same = entry.digest == digest_of(job) and newest_ns(job.input) <= entry.newest_input_ns
        if not same:
            if queued is not None:
                self._say(f"cancelled job {entry.job}: what it makes {outputs[0]} of has changed since")
                cancel([entry.job], self.folder)
            return False
        info = _submitted(job, entry)
        if queued is not None:
            self._executor.run_job_pre(job)
            self._report_submission(info)
        elif all(Path(output).exists() for output in outputs):
            self._executor.run_job_pre(job)
            self._executor.report_job_success(info)
        else:
            return False
        self._say(f"adopted job {entry.job}, which makes {outputs[0]}")
        return True

    def _entry(self, job: Any) -> Entry:
        wildcards = "_".join(job.wildcards).replace("/", "_") if job.wildcards else ""
        return Entry(
            key=uuid.uuid4().hex,
            name=self._executor.run_uuid,
            comment=f"rule_{job.name}" + (f"_wildcards_{wildcards}" if wildcards else ""),
            outputs=tuple(map(str, job.output)),
            digest=digest_of(job),
            newest_input_ns=newest_ns(job.input),
            submitted=datetime.now(UTC).isoformat(),
        )

    def _write(self, entry: Entry) -> None:
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(entry.model_dump_json() + "\n")

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _submitted(job: Any, entry: Entry) -> Any:
    from snakemake_interface_executor_plugins.executors.base import (  # type: ignore[import-untyped]
        SubmittedJobInfo,
    )

    return SubmittedJobInfo(job, external_jobid=entry.job, aux={"slurm_logfile": Path(entry.log)})


def adopt(executor: Any, folder: Path, alone: bool) -> Left:
    """Has the executor of Snakemake's SLURM plugin adopt what earlier ones left in the queue from `folder`.

    alone: no other Snakemake works there: the ledger may be shortened. Raises KvasirError when squeue does not answer.
    """
    if not hasattr(executor, "run_uuid"):
        return Left()  # not the SLURM plugin's
    state = folder / ".snakemake"
    path = state / LEDGER
    entries = read_ledger(path)
    left = reconcile(entries, queue_of(folder) if entries else [], ask_accounts(entries))
    if alone and entries:
        draft = path.with_suffix(".new")
        draft.write_text("".join(entry.model_dump_json() + "\n" for entry in left.entries), encoding="utf-8")
        draft.replace(path)
    if alone and not left.queued:
        # Jobs wait for the one of the Snakemake that submitted them, which removes it unless it is killed.
        for scripts in state.glob("tmp.*"):
            shutil.rmtree(scripts, ignore_errors=True)
    Ledger(path, folder, left, executor).attach()
    return left


def record_made(left: Left, workflow: Any) -> None:
    """Records how files were made whose jobs succeeded when no Snakemake was there to do so.

    Snakemake finds such files up to date, and without the record would never make them again when a parameter changes.
    """
    wanted = set(workflow.dag.needrun_jobs())
    for job in workflow.dag.jobs:
        entry = left.completed.get(tuple(map(str, job.output)))
        if entry is None or job in wanted or not all(Path(output).exists() for output in entry.outputs):
            continue
        if entry.digest == digest_of(job):
            workflow.async_run(workflow.persistence.finished(job))
        else:
            print(
                f"{entry.outputs[0]} is of job {entry.job}, whose command or parameters have changed since:"
                " delete it to have it made again",
                file=sys.stderr,
                flush=True,
            )


def cancel_left(folder: Path) -> list[str]:
    """Cancels all jobs of a folder's ledger that wait or run; returns their ids when all have ended.

    Raises KvasirError when squeue does not answer or jobs do not end.
    """
    entries = read_ledger(folder / ".snakemake" / LEDGER)
    queue = queue_of(folder) if entries else []
    ours = {entry.job for entry in identified(entries, queue)}
    jobs = [queued.job for queued in queue if queued.job in ours]
    cancel(jobs, folder)
    return jobs
