"""Runs whose ranks had to wait for processors are made again, a bounded number of times, and say so."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.config.power import PowerSettings
from harness.core.process import Ended
from harness.plan.spec import RunSpec, Watch
from harness.results.records import Identity, Metric, read
from harness.runs import run as runs
from harness.runs.reference_counts import Counts, in_passes

WHO = Identity(
    study="s", experiment="e", point="p", rep=1, seed=1, scale="laptop", site="local", factors={"ranks": 2}
)


def spec(ranks: int = 2, attempts: int = 3, nodes: int = 1) -> RunSpec:
    return RunSpec(
        identity=WHO,
        program=["program"],
        built="built.json",
        timeout_s=9,
        ranks=ranks,
        nodes=nodes,
        attempts=attempts,
        watch=Watch(period_ms=100, power=PowerSettings(), cap_w=None),
    )


class Machine:
    """Stands for programs whose ranks had these shares of their runtime, attempt by attempt."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, shares: list[float], cores: int = 2) -> None:
        self.shares = shares
        self.made = 0
        monkeypatch.setattr(runs, "execute", self.execute)
        monkeypatch.setattr(runs, "metrics_of", self.metrics_of)
        monkeypatch.setattr(runs, "environment_of", lambda *_: {})
        monkeypatch.setattr(runs.os, "sched_getaffinity", lambda _: set(range(cores)))

    def execute(self, spec: RunSpec, folder: Path, nodes: list[str]) -> runs.Finished:
        assert not (folder / "output").exists(), (
            "the engine refuses a folder with parts of an earlier attempt"
        )
        (folder / "output").mkdir()
        self.made += 1
        ended = Ended(exit_code=0, seconds=1.0, stopped="")
        return runs.Finished(ended, datetime.now(UTC), 0.0, None, "")

    def metrics_of(self, spec: RunSpec, finished: runs.Finished, folder: Path) -> list[Metric]:
        share = self.shares[self.made - 1]
        return [Metric(name="cpu.share.min", value=share, unit="1", source="measured:rusage")]


def recorded(target: Path) -> tuple[list[float], dict[str, float | None]]:
    record = read(target / "run.json")
    return record.outcome.set_aside, {metric.name: metric.value for metric in record.metrics}


def test_a_run_whose_ranks_shared_a_core_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(monkeypatch, [0.5, 0.98])
    runs.run(spec(), {}, tmp_path / "1")
    set_aside, metrics = recorded(tmp_path / "1")
    assert machine.made == 2
    assert set_aside == [0.5]
    assert metrics == {"cpu.share.min": 0.98, "attempts": 2}


def test_attempts_are_bounded_and_the_last_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(monkeypatch, [0.5, 0.6, 0.7, 0.99])
    runs.run(spec(), {}, tmp_path / "1")
    set_aside, metrics = recorded(tmp_path / "1")
    assert machine.made == 3
    assert set_aside == [0.5, 0.6]
    assert metrics == {"cpu.share.min": 0.7, "attempts": 3}


@pytest.mark.parametrize(("run", "cores"), [(spec(ranks=4), 2), (spec(attempts=1), 2), (spec(ranks=1), 0)])
def test_where_there_are_too_few_cores_sharing_is_no_reason_to_repeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: RunSpec, cores: int
) -> None:
    machine = Machine(monkeypatch, [0.5], cores)
    runs.run(run, {}, tmp_path / "1")
    assert machine.made == 1
    assert json.loads((tmp_path / "1/run.json").read_text())["outcome"]["set_aside"] == []


def test_ranks_on_several_nodes_have_cores_of_their_own() -> None:
    share = [Metric(name="cpu.share.min", value=0.5, unit="1", source="measured:rusage")]
    assert runs.waited(spec(ranks=4, nodes=2), share, 2) == 0.5
    assert runs.waited(spec(ranks=4), share, 2) is None


def test_counts_of_a_text_grow_with_its_passes() -> None:
    assert in_passes(Counts(10, 3, None, "s"), 4) == Counts(40, 3, None, "s")


def test_captions_have_the_same_bound_as_runs() -> None:
    library = (Path(__file__).parents[2] / "scripts/figures/lib/caption.R").read_text(encoding="utf-8")
    assert f"least_share <- {runs.LEAST_SHARE}\n" in library


def mpirun(folder: Path) -> Path:
    """Write a program named mpirun that leaves a file in its temporary folder, and that folder's name in `seen`."""
    folder.mkdir()
    program = folder / "mpirun"
    program.write_text(
        '#!/bin/sh\ntouch "$TMPDIR/left"\necho "$TMPDIR" > "$(dirname "$0")/seen"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return program


def test_each_mpirun_has_a_session_directory_of_its_own_that_goes_with_it(tmp_path: Path) -> None:
    seen = []
    for name in ("a", "b"):
        program = mpirun(tmp_path / name)
        assert runs.supervise([str(program)], tmp_path / "log", 9, lambda _: None).exit_code == 0
        seen.append(Path((tmp_path / name / "seen").read_text(encoding="utf-8").strip()))
    assert seen[0] != seen[1]
    assert not any(folder.exists() for folder in seen)


def test_other_programs_keep_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = mpirun(tmp_path / "a").rename(tmp_path / "a" / "other")
    assert runs.supervise([str(program)], tmp_path / "log", 9, lambda _: None).exit_code == 0
    assert (tmp_path / "left").exists()
