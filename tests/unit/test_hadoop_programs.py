"""Programs on a cluster: what of theirs is killed, what is said of a history that cannot be read, whose inputs stay."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.core.errors import KvasirError
from harness.hadoop import jobs
from harness.hadoop.benchmarks import Cell
from harness.hadoop.benchmarks.dfsio import DfsioRead, DfsioSettings, DfsioWrite
from harness.hadoop.benchmarks.terasort import TeraSort, TeraSortSettings
from harness.hadoop.jobs import Application, Ended, JobError, JobResult

DONE = Application("application_1_0001", "MAPREDUCE", "FINISHED")


class Machine:
    """Plays the master: how a program ends, what the ResourceManager lists after it, and what is killed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, code: int = 0, output: str = "") -> None:
        self.code, self.output = code, output
        self.listed: list[Application] = []
        self.killed: list[str] = []
        monkeypatch.setattr(jobs, "on_master", self.on_master)
        monkeypatch.setattr(jobs, "applications", lambda _: list(self.listed))
        monkeypatch.setattr(jobs, "kill", lambda _, ids: self.killed.extend(ids))
        monkeypatch.setattr(jobs, "fetch", lambda _, job: SimpleNamespace(id=job, status="SUCCEEDED"))
        self.leaves: list[Application] = []
        self.cluster: Any = SimpleNamespace(
            layout=SimpleNamespace(master=SimpleNamespace(conf="conf")),
            hadoop=SimpleNamespace(command=lambda *_, **__: ["java"]),
            jars=[],
            environment={},
            dead=list,
        )

    def on_master(self, cluster: Any, name: str, *_: Any) -> Ended:
        self.listed += self.leaves
        return Ended(name, self.code, 1.0, self.output, Path("log"))

    def run_command(self, tmp_path: Path) -> JobResult:
        return jobs.run_command(self.cluster, "mine", ["sh"], {}, tmp_path, 9, lambda _: "")


@pytest.mark.parametrize("code", [None, 1, 137])
def test_jobs_of_a_program_that_fails_are_killed(code: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, output="Submitting tokens for job: job_1_0001\n")
    machine.code = code  # type: ignore[assignment]
    with pytest.raises(JobError):
        jobs.run_job(machine.cluster, "sort", "Main", [], 9)
    assert machine.killed == ["job_1_0001"]


def test_a_command_that_leaves_an_application_without_history_running_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(monkeypatch)
    monkeypatch.setattr(jobs, "HISTORY_WAIT_S", 0.3)
    machine.leaves = [DONE, Application("application_1_0002", "SPARK", "RUNNING")]
    with pytest.raises(JobError, match="mine: ended and left running application_1_0002, now killed"):
        machine.run_command(tmp_path)
    assert machine.killed == ["application_1_0002"]


def test_a_command_whose_applications_have_ended_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(monkeypatch)
    machine.listed = [Application("application_1_0000", "SPARK", "RUNNING")]  # not this command's
    machine.leaves = [DONE, Application("application_1_0002", "SPARK", "FINISHED")]
    result = machine.run_command(tmp_path)
    assert [job.id for job in result.jobs] == ["job_1_0001"] and machine.killed == []


def test_an_application_may_end_a_little_after_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(monkeypatch)
    states = iter(["RUNNING", "RUNNING"])

    def listed(_: Any) -> list[Application]:
        if not machine.listed:
            return []
        return [Application("application_1_0002", "SPARK", next(states, "FINISHED"))]

    monkeypatch.setattr(jobs, "applications", listed)
    machine.leaves = [DONE]
    assert machine.run_command(tmp_path).jobs == [] and machine.killed == []


def test_a_history_that_cannot_be_read_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def list_(folder: str) -> list[Any]:
        if folder != "/history/done":
            raise KvasirError(f"{folder}: no such folder")
        return [SimpleNamespace(name="job_1_0001-1-user.jhist", folder=False)]

    hdfs = SimpleNamespace(list=list_, read=lambda _: "Avro-Json\n{}\nno event\n")
    monkeypatch.setattr(jobs, "HISTORY_WAIT_S", 0.0)
    with pytest.raises(JobError, match=r"no history of it after 0 s: .*(event|history)") as caught:
        jobs.fetch(SimpleNamespace(hdfs=hdfs, by_port={}), "job_1_0001")  # type: ignore[arg-type]
    assert "no such folder" not in str(caught.value)


def written(cell: Cell) -> Any:
    """Let programs end well, with their operations in the list that is returned."""
    done: list[str] = []

    def program(name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        size = arguments[arguments.index("-size") + 1]
        done.append(f"{'write' if '-write' in arguments else 'read'} {size}")
        return JobResult(1.0, "", [], [])

    cell.program = program  # type: ignore[method-assign]
    return done


def test_files_to_read_are_those_that_were_written_last(tmp_path: Path) -> None:
    cell = Cell(SimpleNamespace(folder=tmp_path))  # type: ignore[arg-type]
    done = written(cell)
    small, large = DfsioSettings(files=2, file_mb=1), DfsioSettings(files=2, file_mb=8)
    for settings in (small, large):
        DfsioWrite(settings).execute(cell, "w")
    DfsioRead(large).prepare(cell)
    assert done == ["write 1MB", "write 8MB"], "they are there"
    DfsioRead(small).prepare(cell)
    DfsioRead(small).prepare(cell)
    assert done[2:] == ["write 1MB"], "TestDFSIO has deleted them, and writes them once"


def test_inputs_in_other_numbers_of_files_are_others() -> None:
    paths = {TeraSort(TeraSortSettings(maps=maps)).path for maps in (None, 2, 4)}
    assert len(paths) == 3
