"""Jobs are cancelled and waited for, and what became of each attempt is known afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.plan.planner import Planner
from harness.results.records import read
from harness.slurm import attempts
from harness.slurm.attempts import Attempt, record_lost
from harness.slurm.queue import cancel, queue_of


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs stand in for SLURM's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def test_jobs_are_cancelled_and_waited_for(programs: Path, tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    rest = "6|own|/elsewhere|"
    queue.write_text(f"5|run|{tmp_path}|rule_a\n{rest}\n")
    program(programs, "squeue", f"cat '{queue}'")
    program(programs, "scancel", f"echo \"$@\" >> '{tmp_path}/cancelled'; echo '{rest}' > '{queue}'")
    cancel(["5"], tmp_path)
    assert (tmp_path / "cancelled").read_text().split() == ["5"]
    cancel([], tmp_path)
    assert (tmp_path / "cancelled").read_text().split() == ["5"]


def test_a_queue_that_does_not_answer_is_an_error(programs: Path, tmp_path: Path) -> None:
    program(programs, "squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(KvasirError, match=r"in the queue: Unable to contact slurm controller"):
        queue_of(tmp_path)


def test_states_are_read_as_sacct_writes_them() -> None:
    listing = "12|TIMEOUT\n13|CANCELLED by 1000\n14|NODE_FAIL\n\nbroken\n"
    assert attempts.states(listing) == {"12": "TIMEOUT", "13": "CANCELLED", "14": "NODE_FAIL"}


def test_a_second_attempt_tells_of_the_first(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(programs, "sacct", "echo '7|TIMEOUT'")
    output = tmp_path / "runs/mimir/a/b.c/1/run.json"
    assert attempts.begin(output, tmp_path, ["n1"]) is None  # no job of SLURM
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    first = attempts.begin(output, tmp_path, ["n1", "n2"])
    monkeypatch.setenv("SLURM_JOB_ID", "8")
    second = attempts.begin(output, tmp_path, ["n3"])
    assert first is not None and first["earlier_attempts"] == [] and first["nodes"] == "n1 n2"
    assert second is not None
    assert [(a["job"], a["nodes"], a["ended"]) for a in second["earlier_attempts"]] == [
        ("7", "n1 n2", "TIMEOUT")
    ]
    note = attempts.note_of(output, tmp_path)
    assert len(attempts.read_note(note)) == 2
    note.write_text(note.read_text() + '{"job": "9", "no')  # its job died while it wrote
    assert len(attempts.read_note(note)) == 2
    attempts.finish(output, tmp_path)
    assert attempts.read_note(note) == []


@pytest.mark.parametrize(
    ("state", "lost"), [("TIMEOUT", True), ("NODE_FAIL", True), ("CANCELLED by 7", False)]
)
def test_what_was_given_up_is_recorded_as_failed(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, lost: bool
) -> None:
    program(programs, "sacct", f"echo '7|{state}'")
    choices = {"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["eee"]}
    planner = Planner(choices, Path("config").resolve())
    spec = planner.plan("eee").runs[0].identity
    monkeypatch.chdir(tmp_path)
    results = Path(planner.config.results)
    run = results / f"runs/eee/{spec.experiment}/{spec.point}/{spec.rep}/run.json"
    note = attempts.note_of(run, results)
    note.parent.mkdir(parents=True)
    note.write_text(
        Attempt(job="7", nodes="n1", started="2026-01-01T00:00:00+00:00").model_dump_json() + "\n"
    )
    found = list(record_lost(planner))
    assert bool(found) == lost == run.is_file()
    assert note.exists() != lost
    if lost:
        outcome = read(run).outcome
        assert outcome.status == ("timeout" if state == "TIMEOUT" else "failed")
        assert f"job 7 on n1: {state}" in outcome.reason
        assert list(record_lost(planner)) == []


def test_a_note_about_a_recorded_run_goes_without_a_word(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = {"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["eee"]}
    planner = Planner(choices, Path("config").resolve())
    monkeypatch.chdir(tmp_path)
    results = Path(planner.config.results)
    run = results / "runs/eee/link/nopa_5/1/run.json"
    run.parent.mkdir(parents=True)
    run.write_text("{}")
    note = attempts.note_of(run, results)
    note.parent.mkdir(parents=True)
    note.write_text("")
    assert list(record_lost(planner)) == []
    assert not note.exists()


def test_only_what_slurm_or_the_job_ended_is_given_up() -> None:
    def ended(state: str) -> bool:
        return attempts.given_up([Attempt(job="1", nodes="", started="", ended=state)])

    assert not attempts.given_up([])
    assert [ended(state) for state in ("TIMEOUT", "FAILED", "RUNNING", "CANCELLED", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]
