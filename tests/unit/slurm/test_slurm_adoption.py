"""The ledger of submitted jobs: what the next Snakemake adopts, cancels or submits anew."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.slurm import adoption, queue
from harness.slurm.adoption import Entry, Ledger, Left, accounts, identified, read_ledger, reconcile
from harness.slurm.queue import Queued, jobs_in


def entry(key: str, job: str = "", outputs: tuple[str, ...] = ("a.json",), comment: str = "rule_a") -> Entry:
    return Entry(
        key=key,
        name="run",
        comment=comment,
        outputs=outputs,
        digest="d",
        newest_input_ns=0,
        submitted="2026-01-02T03:04:05",
        job=job,
    )


def test_a_later_line_replaces_an_earlier_one_and_a_cut_off_one_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    assert read_ledger(path) == []
    lines = [entry("1"), entry("2", outputs=("b.json",)), entry("1", job="17")]
    text = "".join(line.model_dump_json() + "\n" for line in lines)
    path.write_text(text + lines[0].model_dump_json()[:40])
    assert [(found.key, found.job) for found in read_ledger(path)] == [("1", "17"), ("2", "")]


def test_jobs_of_a_folder_whose_name_has_blanks_and_a_bar() -> None:
    folder = Path("/home/u/my run|2")
    listing = "\n".join(
        [
            "12|run|/home/u/my run|2|rule_a_wildcards_x y",
            "9|run|/home/u/my run|2|",
            "13|run|/home/u|rule_a",
        ]
    )
    assert jobs_in(listing, folder) == [Queued("9", "run", ""), Queued("12", "run", "rule_a_wildcards_x y")]


def test_who_was_killed_before_the_id_was_noted_is_told_by_name_and_comment() -> None:
    refused, submitted = entry("1"), entry("2")
    other = entry("3", job="7")
    found = identified(
        [refused, submitted, other],
        [Queued("7", "run", "rule_a"), Queued("8", "run", "rule_a"), Queued("9", "another", "rule_a")],
    )
    assert [(one.key, one.job) for one in found] == [("2", "8"), ("3", "7")]


@pytest.mark.parametrize(
    ("state", "left"),
    [("COMPLETED", "completed"), ("FAILED", ""), ("CANCELLED by 1000", ""), ("TIMEOUT", ""), (None, "")],
)
def test_what_is_left_of_a_job_that_has_ended(state: str | None, left: str) -> None:
    known = accounts(f"17|{state}|run|rule_a\n") if state else {}
    found = reconcile([entry("1", job="17")], [], known)
    assert list(found.completed) == ([("a.json",)] if left == "completed" else [])
    assert found.queued == {}


def test_the_last_attempt_counts() -> None:
    entries = [entry("1", job="17"), entry("2", job="18")]
    known = accounts("17|COMPLETED|run|rule_a\n18|FAILED|run|rule_a\n")
    assert reconcile(entries, [], known).entries == []
    found = reconcile(entries, [Queued("18", "run", "rule_a")], known)
    assert [one.job for one in found.queued.values()] == ["18"]


def test_a_job_without_an_id_that_has_ended_is_found_in_the_accounts() -> None:
    found = reconcile([entry("1")], [], accounts("17|COMPLETED|run|rule_a\n"))
    assert [one.job for one in found.completed.values()] == ["17"]


@dataclass
class Executor:
    """As the SLURM plugin's, but for sbatch."""

    run_uuid: str = "own"
    _tmpdir: str | None = "tmp.1"
    said: list[str] = field(default_factory=list)

    def run_jobs(self, jobs: list[Any]) -> None:
        for job in jobs:
            self.said.append(f"submitted {job.output[0]} as {self.run_uuid}")
            info = SimpleNamespace(job=job, external_jobid="40", aux={"slurm_logfile": Path("40.log")})
            self.report_job_submission(info)

    def run_job_pre(self, job: Any) -> None:
        self.said.append(f"began {job.output[0]}")

    def report_job_submission(self, info: Any, register_job: bool = True) -> None:
        self.said.append(f"watches {info.external_jobid}")

    def report_job_error(self, info: Any, msg: str | None = None) -> None:
        raise AssertionError("nothing fails")

    def report_job_success(self, info: Any) -> None:
        self.said.append(f"takes {info.external_jobid}")

    def check_active_jobs(self, active: list[Any]) -> None:
        raise AssertionError("nothing is asked")

    def cancel_jobs(self, active: list[Any]) -> None:
        raise AssertionError("nothing is cancelled")


class Params(list[str]):
    """As Snakemake's, without names."""

    def items(self) -> list[tuple[str, str]]:
        return []


def job(folder: Path, param: str = "p", forced: bool = False) -> Any:
    return SimpleNamespace(
        dag=SimpleNamespace(reason=lambda job: SimpleNamespace(forced=forced)),
        name="make",
        rule=SimpleNamespace(name="make", shellcmd="cmd"),
        params=Params([param]),
        input=[str(folder / "in")],
        output=[str(folder / "out")],
        wildcards=["x/y", "z"],
        is_group=lambda: False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / "in").write_text("")
    return tmp_path


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    """Answers of SLURM's commands; scancel ends a job at once."""
    answers = {"squeue": "", "sacct": ""}

    def ask(command: str, *arguments: str, timeout_s: float = 60) -> tuple[bool, str]:
        if command == "scancel":
            answers["scancel"] = " ".join(arguments)
            answers["squeue"] = ""
        return True, answers[command]

    monkeypatch.setattr(queue, "ask", ask)
    monkeypatch.setattr(adoption, "ask", ask)
    monkeypatch.setattr("time.sleep", lambda _: None)
    return answers


def submitted(folder: Path) -> Executor:
    """Let a Snakemake submit the job, and forget that Snakemake."""
    executor = Executor(run_uuid="first")
    adoption.adopt(executor, folder, alone=True)
    executor.run_jobs([job(folder)])
    assert executor.said == [f"submitted {folder / 'out'} as first", "watches 40"]
    return Executor(run_uuid="second")


def succeeded(folder: Path, slurm: dict[str, str]) -> Executor:
    """Let the job succeed and leave its file while no Snakemake is there."""
    second = submitted(folder)
    slurm["sacct"] = "40|COMPLETED|first|rule_make_wildcards_x_y_z"
    (folder / "out").write_text("")
    return second


WAITS = "40|first|{}|rule_make_wildcards_x_y_z"


def test_a_job_that_waits_is_adopted(folder: Path, slurm: dict[str, str]) -> None:
    second = submitted(folder)
    slurm["squeue"] = WAITS.format(folder)
    adoption.adopt(second, folder, alone=True)
    second.run_jobs([job(folder)])
    assert second.said == [f"began {folder / 'out'}", "watches 40"]
    assert second.run_uuid == "first", "the status query asks for the job's name"
    third = Executor(run_uuid="third")
    adoption.adopt(third, folder, alone=True)
    third.run_jobs([job(folder)])
    assert third.said == [f"began {folder / 'out'}", "watches 40"]


def test_a_job_that_has_succeeded_is_taken_if_its_files_are_there(
    folder: Path, slurm: dict[str, str]
) -> None:
    second = succeeded(folder, slurm)
    adoption.adopt(second, folder, alone=True)
    second.run_jobs([job(folder)])
    assert second.said == [f"began {folder / 'out'}", "takes 40"]


def test_a_job_that_has_succeeded_is_submitted_anew_when_that_is_forced(
    folder: Path, slurm: dict[str, str]
) -> None:
    second = succeeded(folder, slurm)
    adoption.adopt(second, folder, alone=True)
    second.run_jobs([job(folder, forced=True)])
    assert second.said[0].startswith("submitted")


def test_a_job_that_has_succeeded_without_files_is_submitted_anew(
    folder: Path, slurm: dict[str, str]
) -> None:
    second = submitted(folder)
    slurm["sacct"] = "40|COMPLETED|first|rule_make_wildcards_x_y_z"
    adoption.adopt(second, folder, alone=True)
    second.run_jobs([job(folder)])
    assert second.said[0].startswith("submitted")


@pytest.mark.parametrize("changed", ["parameter", "input"])
def test_a_job_of_something_else_is_cancelled_and_submitted_anew(
    folder: Path, slurm: dict[str, str], changed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    second = submitted(folder)
    slurm["squeue"] = WAITS.format(folder)
    adoption.adopt(second, folder, alone=True)
    if changed == "input":
        later = (folder / "in").stat().st_mtime + 1
        os.utime(folder / "in", (later, later))
    second.run_jobs([job(folder, "q" if changed == "parameter" else "p")])
    assert slurm["scancel"] == "40"
    assert second.said[0].startswith("submitted")
    assert "cancelled job 40" in capsys.readouterr().err


def test_an_end_by_the_user_leaves_the_jobs_and_the_folder_that_they_wait_for(
    folder: Path, slurm: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    executor = Executor()
    adoption.adopt(executor, folder, alone=True)
    executor.cancel_jobs([SimpleNamespace(external_jobid="40"), SimpleNamespace(external_jobid=None)])
    assert executor._tmpdir is None
    assert "left in the queue: 40;" in capsys.readouterr().err


def test_what_was_made_without_a_snakemake_is_recorded(
    folder: Path, slurm: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    second = succeeded(folder, slurm)
    left = adoption.adopt(second, folder, alone=True)

    def recorded(one: Any, needed: bool) -> list[Any]:
        found: list[Any] = []
        dag = SimpleNamespace(jobs=[one], needrun_jobs=lambda: [one] if needed else [])
        record = SimpleNamespace(finished=lambda made: made)
        adoption.record_made(left, SimpleNamespace(dag=dag, persistence=record, async_run=found.append))
        return found

    class Job(SimpleNamespace):
        __hash__ = object.__hash__  # type: ignore[assignment]

    same, changed = Job(**vars(job(folder))), Job(**vars(job(folder, "q")))
    assert recorded(same, needed=False) == [same]
    assert recorded(same, needed=True) == [], "adopted when it is to run"
    assert recorded(changed, needed=False) == []
    assert "have changed since: delete it" in capsys.readouterr().err
    (folder / "out").unlink()
    assert recorded(same, needed=False) == []


def test_the_ledger_forgets_what_is_of_no_more_use(folder: Path, slurm: dict[str, str]) -> None:
    second = submitted(folder)
    ledger = folder / ".snakemake" / adoption.LEDGER
    adoption.adopt(Executor(), folder, alone=False)
    assert len(read_ledger(ledger)) == 1, "another Snakemake may be writing"
    adoption.adopt(second, folder, alone=True)
    assert read_ledger(ledger) == []


def test_cancel_ends_what_the_ledger_knows_and_nothing_else(folder: Path, slurm: dict[str, str]) -> None:
    submitted(folder)
    slurm["squeue"] = WAITS.format(folder) + f"\n41|interactive|{folder}|"
    assert adoption.cancel_left(folder) == ["40"]
    assert slurm["scancel"] == "40"
    assert adoption.cancel_left(folder) == []


def test_another_executor_is_left_alone(folder: Path) -> None:
    executor = SimpleNamespace(run_jobs=None)
    adoption.adopt(executor, folder, alone=True)
    assert executor.run_jobs is None


def test_a_group_is_handed_on(folder: Path) -> None:
    executor = Executor()
    Ledger(folder / "ledger", folder, Left(), executor).attach()
    group = SimpleNamespace(is_group=lambda: True, output=["g"])
    executor.run_jobs([group])
    assert executor.said == ["submitted g as own", "watches 40"]
    assert not (folder / "ledger").exists()
