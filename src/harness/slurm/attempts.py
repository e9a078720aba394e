"""Notes each attempt of a SLURM job when it starts, and asks accounting (sacct) for its state when it has ended.

A job that SLURM ends cannot say so itself. So each attempt leaves a line in a note, `attempts/...jsonl` of the scale's
results; the next attempt reads it and takes it into the record, and if there is none, whoever looks after the workflow
does. A note goes when its run is recorded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.core.environment import git_state
from harness.core.models import Strict, read_lines
from harness.plan.planner import Planner
from harness.results.records import record_failure
from harness.slurm.client import ask

FOLDER = "attempts"
SUFFIX = ".jsonl"
GIVEN_UP = frozenset(
    {"TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL", "DEADLINE", "FAILED", "PREEMPTED"}
)
"""States of a job that SLURM or the job itself ended; CANCELLED is what the user did."""


class Attempt(Strict):
    """Records one SLURM job that was submitted to make a run."""

    job: str
    nodes: str
    """Names, separated by blanks."""
    started: str
    """ISO 8601, UTC."""
    ended: str = ""
    """SLURM's final state of the job, such as TIMEOUT; '' as long as it is not known."""

    @property
    def text(self) -> str:
        """Returns job, nodes and final state as text."""
        return f"job {self.job} on {self.nodes or 'unknown nodes'}: {self.ended or 'unknown end'}"


def note_of(output: Path, results: Path) -> Path:
    """Returns the path of the note about the job that makes `output`, a file below the scale's `results`."""
    about = output.parent.relative_to(results)
    return results / FOLDER / about.parent / f"{about.name}{SUFFIX}"


def read_note(note: Path) -> list[Attempt]:
    """Reads the attempts so far."""
    return read_lines(Attempt, note)


def states(listing: str) -> dict[str, str]:
    """Parses states by job from `sacct -n -P -X -o JobID,State`; takes the first word of `CANCELLED by 1000`."""
    rows = (line.strip().split("|") for line in listing.splitlines())
    return {row[0]: row[1].split()[0] for row in rows if len(row) > 1 and row[1].strip()}


def ends_of(attempts: Iterable[Attempt]) -> dict[str, str]:
    """Asks sacct once for the states of all jobs of `attempts`; empty when it does not answer."""
    jobs = sorted({attempt.job for attempt in attempts})
    if not jobs:
        return {}
    fine, said = ask("sacct", "-n", "-P", "-X", "-j", ",".join(jobs), "-o", "JobID,State")
    return states(said) if fine else {}


def with_ends(attempts: Sequence[Attempt], ends: Mapping[str, str]) -> list[Attempt]:
    """Returns copies of the attempts with the final states `ends` of their jobs."""
    return [attempt.model_copy(update={"ended": ends.get(attempt.job, "")}) for attempt in attempts]


def begin(output: Path, results: Path, nodes: Sequence[str]) -> dict[str, Any] | None:
    """Notes the start of an attempt to make `output` on `nodes`; returns the record's facts about it and earlier ones.

    None outside a job of SLURM.
    """
    job = os.environ.get("SLURM_JOB_ID")
    if job is None:
        return None
    note = note_of(output, results)
    before = read_note(note)
    # A job that SLURM queued again has its old number; what the accounts say is its present state.
    earlier = with_ends(before, {**ends_of(before), job: "REQUEUED"})
    own = Attempt(job=job, nodes=" ".join(nodes), started=datetime.now(UTC).isoformat())
    note.parent.mkdir(parents=True, exist_ok=True)
    with note.open("a", encoding="utf-8") as file:
        file.write(own.model_dump_json() + "\n")
    return {
        "scheduler": "slurm",
        "job": own.job,
        "nodes": own.nodes,
        "earlier_attempts": [attempt.model_dump() for attempt in earlier],
    }


def finish(output: Path, results: Path) -> None:
    """Removes the note of a run that is recorded."""
    note_of(output, results).unlink(missing_ok=True)


@contextlib.contextmanager
def noted(output: Path, results: Path, nodes: Sequence[str]) -> Iterator[dict[str, Any] | None]:
    """Notes that `output` is being made on these nodes of a job, and removes the note when the block ends well.

    The block gets what `begin` returns; None where there are no nodes, outside a job.
    """
    batch = begin(output, results, nodes) if nodes else None
    yield batch
    if batch is not None:
        finish(output, results)


def given_up(attempts: Sequence[Attempt]) -> bool:
    """Returns True if the last attempt ended without a record, and not because the user cancelled it."""
    return bool(attempts) and attempts[-1].ended in GIVEN_UP


RESULT_OF = {"runs": "run.json", "batches": "batch.json", "cells": "cell.json"}
"""The file that a job has made when it is done, by the first folder of its place among the results."""
LOG_TAIL = 300
"""Characters of the job's own log that go into the reason."""


@dataclass(frozen=True)
class Lost:
    """Names a run, a batch or a cell that was given up, with the reason."""

    name: str
    reason: str


def reason_of(attempts: list[Attempt], log: str) -> str:
    """Returns the reason of the missing result in one line: the attempts' states and the end of the job's log."""
    ends = "; ".join(attempt.text for attempt in attempts)
    last = " ".join(log.strip()[-LOG_TAIL:].split())
    return f"no attempt ended with a record: {ends}" + (f" (its log ends: {last})" if last else "")


def record_lost(planner: Planner) -> Iterator[Lost]:
    """Records runs, batches and cells that were given up; removes notes about those that were recorded after all."""
    results = Path(planner.config.results)
    notes = results / FOLDER
    known = {note: read_note(note) for note in sorted(notes.rglob(f"*{SUFFIX}"))}
    ends = ends_of(attempt for attempts in known.values() for attempt in attempts)
    for note, noted in known.items():
        about = note.relative_to(notes)
        name = str(about).removesuffix(SUFFIX)
        done = results / name / RESULT_OF[about.parts[0]]
        if not done.is_file():
            attempts = with_ends(noted, ends)
            if not given_up(attempts):
                continue  # it may be running, or the user has cancelled it
            log = results / "logs" / f"{name}.log"
            text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
            reason = reason_of(attempts, text)
            if about.parts[0] == "cells":
                # Only here: each job of a run imports this module, and needs nothing of the cells'.
                from harness.cells.driver import Driver
                from harness.cells.measure import programs_of

                spec = planner.cell(name.removeprefix("cells/"))
                Driver(spec, programs_of(spec)).give_up(reason)
            elif about.parts[0] == "batches":
                from harness.runs.batch import BatchDriver

                _, study, batch = name.split("/")
                BatchDriver.of(planner.batch(study, batch)).give_up(reason)
            else:
                _fail(planner, name, attempts, reason, results / name)
            yield Lost(name, reason)
        note.unlink()


def _fail(planner: Planner, name: str, attempts: list[Attempt], reason: str, target: Path) -> None:
    _, study, experiment, point, rep = name.split("/")
    spec = planner.run(study, experiment, point, int(rep))
    ends = {attempt.ended for attempt in attempts}
    batch = {"scheduler": "slurm", "earlier_attempts": [attempt.model_dump() for attempt in attempts]}
    record_failure(
        target,
        spec.identity,
        {"git": git_state(), "batch": batch},
        reason,
        status="timeout" if ends == {"TIMEOUT"} else "failed",
        started=attempts[0].started,
    )
