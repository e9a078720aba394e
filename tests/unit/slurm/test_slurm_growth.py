"""What the next attempt at a job gets more of, by how SLURM ended the earlier ones."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from harness.slurm import growth as module
from harness.slurm.adoption import LEDGER, Entry
from harness.slurm.growth import Growth, growth, growth_of


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], Growth()),
        (["TIMEOUT"], Growth(time=1)),
        (["OUT_OF_MEMORY", "OUT_OF_MEMORY"], Growth(memory=2)),
        (["OUT_OF_MEMORY", "TIMEOUT"], Growth(time=1, memory=1)),
        (["NODE_FAIL"], Growth()),
        (["FAILED"], Growth()),
        ([""], Growth(time=1, memory=1)),
    ],
)
def test_time_grows_after_a_timeout_and_memory_where_it_ended(states: list[str], expected: Growth) -> None:
    assert growth(states) == expected


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """What sacct says of jobs, in a folder with a ledger of three submissions; None: it does not answer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    Path(".snakemake").mkdir()
    lines = [
        Entry(
            key=str(number),
            name="run",
            comment="rule_a",
            outputs=(output,),
            digest="d",
            newest_input_ns=0,
            submitted="2026-01-02T03:04:05",
            job=job,
        )
        for number, (output, job) in enumerate([("a", "7"), ("b", "8"), ("a", "9"), ("a", "")])
    ]
    Path(".snakemake", LEDGER).write_text("".join(line.model_dump_json() + "\n" for line in lines))
    said: dict[str, str | None] = {"7": "7|TIMEOUT|n1", "9": "9|OUT_OF_MEMORY|n[1-2]"}

    def ask(*command: str) -> tuple[bool, str]:
        found = [said[job] for job in command[command.index("-j") + 1].split(",") if job in said]
        return None not in found, "\n".join(line or "" for line in found)

    monkeypatch.setattr(module, "ask", ask)
    growth_of.cache_clear()
    return said


def test_attempts_of_one_output_are_found_in_the_ledger(
    answers: dict[str, str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert growth_of("a", 1) == Growth()
    assert capsys.readouterr().err == ""
    assert growth_of("a", 3) == Growth(time=1, memory=1)
    assert growth_of("a", 2) == Growth(memory=1), "the last attempt, not one of a Snakemake before this"
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "a: job 9 on n[1-2] ended OUT_OF_MEMORY; attempt 3 has 2 x time and 2 x memory"
    assert growth_of("a", 2) and capsys.readouterr().err == "", "said once"


@pytest.mark.parametrize(("output", "silent"), itertools.product(["a", "never submitted"], [True, False]))
def test_an_unknown_end_grows_both(answers: dict[str, str | None], output: str, silent: bool) -> None:
    answers["9"] = None if silent else "9||"
    assert growth_of(output, 2) == Growth(time=1, memory=1)


def test_a_node_that_failed_asks_for_no_more(
    answers: dict[str, str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    answers["9"] = "9|NODE_FAIL|n1"
    assert growth_of("a", 2) == Growth()
    assert "job 9 on n1 ended NODE_FAIL; attempt 2 has the same limits" in capsys.readouterr().err


def test_a_job_does_not_ask_the_accounts(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str | None]
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    answers["9"] = "9|NODE_FAIL|n1"
    assert growth_of("a", 2) == Growth(time=1, memory=1)
