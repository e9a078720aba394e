"""Runs that no job will make any more: SLURM ended each attempt. They are recorded as failed, with what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.cells.driver import Driver
from harness.cells.programs import programs_of
from harness.core.environment import git_state
from harness.plan.planner import Planner
from harness.results.records import Outcome, Record, save, write_folder
from harness.slurm.attempts import FOLDER, SUFFIX, Attempt, ends_of, given_up, read_note, with_ends

LOG_TAIL = 300
"""Characters of the job's own log that go into the reason."""


@dataclass(frozen=True)
class Lost:
    """A run, or a cell, that was given up."""

    name: str
    reason: str


def reason_of(attempts: list[Attempt], log: str) -> str:
    """Why there is no result, in one line."""
    ends = "; ".join(attempt.text for attempt in attempts)
    last = " ".join(log.strip()[-LOG_TAIL:].split())
    return f"no attempt ended with a record: {ends}" + (f" (its log ends: {last})" if last else "")


def record_lost(planner: Planner) -> Iterator[Lost]:
    """Record what was given up; notes about runs that were recorded after all go without a word."""
    results = Path(planner.config.results)
    notes = results / FOLDER
    known = {note: read_note(note) for note in sorted(notes.rglob(f"*{SUFFIX}"))}
    ends = ends_of(attempt for attempts in known.values() for attempt in attempts)
    for note, noted in known.items():
        about = note.relative_to(notes)
        name = str(about).removesuffix(SUFFIX)
        done = results / name / ("cell.json" if about.parts[0] == "cells" else "run.json")
        if not done.is_file():
            attempts = with_ends(noted, ends)
            if not given_up(attempts):
                continue  # it may be running, or the user has cancelled it
            log = results / "logs" / f"{name}.log"
            text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
            reason = reason_of(attempts, text)
            if about.parts[0] == "cells":
                spec = planner.cell(name.removeprefix("cells/"))
                Driver(spec, programs_of(spec)).give_up(reason)
            else:
                _fail(planner, name, attempts, reason, results / name)
            yield Lost(name, reason)
        note.unlink()


def _fail(planner: Planner, name: str, attempts: list[Attempt], reason: str, target: Path) -> None:
    _, study, experiment, point, rep = name.split("/")
    spec = planner.run(study, experiment, point, int(rep))
    ends = {attempt.ended for attempt in attempts}
    outcome = Outcome(
        status="timeout" if ends == {"TIMEOUT"} else "failed",
        reason=reason,
        started=attempts[0].started or datetime.now(UTC).isoformat(),
    )
    batch = {"scheduler": "slurm", "earlier_attempts": [attempt.model_dump() for attempt in attempts]}
    record = Record(
        identity=spec.identity, environment={"git": git_state(), "batch": batch}, outcome=outcome, metrics=[]
    )
    with write_folder(target) as folder:
        (folder / "log.txt").write_text(reason + "\n", encoding="utf-8")
        save(record, folder)
