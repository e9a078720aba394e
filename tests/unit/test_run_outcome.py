"""What the record of a failed run says of its reason, with the real mpirun."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.core.process import how_ended, start, wait
from harness.runs.run import Finished, launch_environment, outcome_of

LAUNCHER = ["mpirun", "--oversubscribe", "-n", "2"]
DATE = datetime(2026, 1, 1, tzinfo=UTC)


def finished(folder: Path, script: str) -> Finished:
    log = folder / "log.txt"
    log.write_text("$ the command\n")
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    ended = wait(start([*LAUNCHER, str(program)], log, launch_environment()), 60, None)
    return Finished(
        ended=ended, started=DATE, clock_origin=0.0, summary=None, log=log.read_text(errors="replace")
    )


pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs Open MPI")


def test_the_reason_holds_what_a_rank_said_and_not_only_what_mpirun_adds(tmp_path: Path) -> None:
    outcome = outcome_of(finished(tmp_path, "echo 'a disk on fire' >&2; exit 3"))
    assert outcome.status == "failed" and outcome.exit_code == 3
    assert outcome.reason.startswith("exit code 3: ")
    assert "a disk on fire" in outcome.reason
    assert "Primary job" not in outcome.reason and "mpirun detected" not in outcome.reason


def test_a_rank_that_was_killed_is_told_from_one_that_failed(tmp_path: Path) -> None:
    outcome = outcome_of(finished(tmp_path, '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || kill -9 $$; sleep 20'))
    assert outcome.status == "failed"
    # Of some jobs mpirun says no more than that a process returned a non-zero exit code.
    known = ("rank 1 was killed", "exit code 137, that of a program killed")
    assert outcome.reason.startswith(tuple(f"{words} by signal 9 (SIGKILL): " for words in known))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "exit code 3"),
        (128, "exit code 128"),
        (137, "exit code 137, that of a program killed by signal 9 (SIGKILL)"),
        (255, "exit code 255"),
        (-9, "killed by signal 9 (SIGKILL)"),
        (-60, "killed by signal 60"),
    ],
)
def test_how_a_program_ended(code: int, words: str) -> None:
    assert how_ended(code, "nothing of ranks") == words


def test_messages_of_mpirun_itself_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("")
    ended = wait(start([*LAUNCHER, str(tmp_path / "missing")], log, launch_environment()), 60, None)
    outcome = outcome_of(
        Finished(ended=ended, started=DATE, clock_origin=0.0, summary=None, log=log.read_text())
    )
    assert outcome.status == "failed"
    assert "missing" in outcome.reason
