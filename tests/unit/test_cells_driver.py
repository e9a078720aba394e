"""The life of a cell without a cluster: what is made again, and what happens when daemons die."""

import contextlib
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from harness.cells import driver, measure
from harness.cells.driver import Driver
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.hadoop.history import JobHistory
from harness.hadoop.jobs import JobResult
from harness.hosts import hosts
from harness.plan.spec import CellRun, CellSpec
from harness.results.records import Identity, Metric, Outcome, Record, read, save, write_folder

PROGRAMS = {"hadoop": {"version": "3.4.2", "digest": "d"}, "engine": {"sha256": "e"}}


def cell(folder: Path, benchmarks: tuple[str, ...] = ("wordcount", "sort", "grep")) -> CellSpec:
    def run(benchmark: str) -> CellRun:
        who = Identity(
            study="cells",
            experiment="c",
            point=f"h_{benchmark}",
            rep=1,
            seed=1,
            scale="s",
            site="l",
            factors={"framework": "h", "nodes": 3, "disk": "ssd", "benchmark": benchmark},
        )
        place = str(folder / "runs" / f"h_{benchmark}" / "1")
        return CellRun(
            identity=who, framework="h", benchmark=benchmark, settings={"data_mb": 1}, folder=place
        )

    return CellSpec(
        cell="c",
        folder=str(folder),
        nodes=3,
        disk="ssd",
        interface="ib",
        hadoop="3.4.2",
        built=[],
        hosts={"kind": "emulated"},
        power={},
        parameters={},
        frameworks={"h": {"class": "hadoop", "label": "h", "interface": "ib"}},
        studies=["mrev"],
        period_s=1,
        minutes=1,
        runs=[run(benchmark) for benchmark in benchmarks],
    )


def changed(spec: CellSpec, what: dict[str, Any]) -> CellSpec:
    """The same cell but for some fields."""
    return CellSpec.model_validate({**spec.model_dump(), **what})


class Machine:
    """Plays hosts, clusters and runs; `deaths` are the runs after which a daemon is dead."""

    def __init__(self) -> None:
        self.clusters = 0
        self.made: list[str] = []
        self.deaths: set[str] = set()
        self.refused_from = 99
        self.dead: list[str] = []

    @contextlib.contextmanager
    def hosts(self, *_: Any, **__: Any) -> Iterator[Any]:
        yield []

    @contextlib.contextmanager
    def cluster(self, *_: Any, **__: Any) -> Iterator[Any]:
        self.clusters += 1
        if self.clusters >= self.refused_from:
            raise KvasirError("port 1 of host n0 is taken")
        self.dead = []
        yield SimpleNamespace(start_seconds=1.0, dead=lambda: self.dead)

    def measure(self, here: Any, run: CellRun, _: Any) -> Outcome:
        self.made.append(run.benchmark)
        outcome = Outcome(status="ok", started=datetime.now(UTC).isoformat(), seconds=1.0)
        with write_folder(Path(run.folder)) as folder:
            dump_json(measure.specification(here.spec, run, PROGRAMS), folder / measure.SPECIFICATION)
            save(Record(identity=run.identity, environment={}, outcome=outcome, metrics=[]), folder)
        if run.benchmark in self.deaths:
            self.dead = ["nodemanager-1"]
        return outcome


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    played = Machine()
    monkeypatch.setattr(driver, "hosts", played.hosts)
    monkeypatch.setattr(driver, "cluster", played.cluster)
    monkeypatch.setattr(driver, "measure", played.measure)
    monkeypatch.setattr(driver, "Distribution", lambda folder: folder)
    return played


def statuses(spec: CellSpec) -> list[tuple[str, str]]:
    found = [read(Path(run.folder) / "run.json").outcome for run in spec.runs]
    return [(outcome.status, outcome.reason) for outcome in found]


def test_runs_that_are_there_are_not_made_again(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    Driver(spec, PROGRAMS).make()
    assert machine.made == ["wordcount", "sort", "grep"] and machine.clusters == 1
    facts = json.loads((tmp_path / "cell.json").read_text())
    assert [run["status"] for run in facts["runs"]] == ["ok"] * 3
    Driver(spec, PROGRAMS).make()
    assert len(machine.made) == 3 and machine.clusters == 1, "not even a cluster"
    log = (tmp_path / "events.log").read_text()
    assert "[3/3] h grep 1: ok after 1.0 s" in log and "0 runs to make, 3 are there" in log


@pytest.mark.parametrize(
    ("what", "again"),
    [
        ({"parameters": {"heap_mb": 500}}, 3),
        ({"hosts": {"kind": "local"}}, 3),
        (
            {
                "frameworks": {
                    "h": {"class": "hadoop", "label": "h", "interface": "ib", "java_home": "/opt/jdk"}
                }
            },
            3,
        ),
        ({"frameworks": {**cell(Path()).frameworks, "other": {"class": "engine", "label": "other"}}}, 0),
        ({"minutes": 99}, 0),
    ],
)
def test_a_change_makes_again_what_it_concerns(
    machine: Machine, tmp_path: Path, what: dict[str, Any], again: int
) -> None:
    spec = cell(tmp_path)
    Driver(spec, PROGRAMS).make()
    assert len(Driver(changed(spec, what), PROGRAMS).pending) == again


def test_another_hadoop_concerns_all_another_engine_only_its_own(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    Driver(spec, PROGRAMS).make()
    assert len(Driver(spec, {**PROGRAMS, "hadoop": {"version": "3.4.2", "digest": "x"}}).pending) == 3
    assert Driver(spec, {**PROGRAMS, "engine": {"sha256": "x"}}).pending == []
    settings = spec.runs[1].model_copy(update={"settings": {"data_mb": 2}})
    changed = spec.model_copy(update={"runs": [spec.runs[0], settings, spec.runs[2]]})
    assert [run.benchmark for run in Driver(changed, PROGRAMS).pending] == ["sort"]


def test_a_cluster_that_dies_is_started_once_more(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    machine.deaths = {"wordcount"}
    Driver(spec, PROGRAMS).make()
    assert machine.clusters == 2 and machine.made == ["wordcount", "sort", "grep"]
    assert "the cluster has lost nodemanager-1" in (tmp_path / "events.log").read_text()


def test_what_two_clusters_could_not_make_has_failed_and_says_so(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    machine.deaths = {"wordcount", "sort"}
    Driver(spec, PROGRAMS).make()
    assert statuses(spec) == [("ok", ""), ("ok", ""), ("failed", "two clusters died before its turn")]
    assert (tmp_path / "cell.json").is_file()


def test_a_second_cluster_that_does_not_start_is_the_reason(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    machine.deaths, machine.refused_from = {"sort"}, 2
    Driver(spec, PROGRAMS).make()
    status, reason = statuses(spec)[-1]
    assert status == "failed" and reason.endswith("port 1 of host n0 is taken")


def test_no_cluster_at_all_is_an_error_and_no_result(machine: Machine, tmp_path: Path) -> None:
    spec = cell(tmp_path)
    machine.refused_from = 1
    with pytest.raises(KvasirError, match="port 1 of host n0 is taken"):
        Driver(spec, PROGRAMS).make()
    assert not (tmp_path / "cell.json").exists() and not list(tmp_path.glob("runs/*/*/run.json"))


class Played:
    """A framework that needs nothing and says nothing of its conditions."""

    def __init__(self) -> None:
        self.runs = 0

    def prepare(self, *_: Any) -> None:
        pass

    def conditions(self, *_: Any) -> list[Metric]:
        return []


class Faulty(Played):
    """A framework whose first run meets a defect of ours, and whose second one leaves reduces to the stock shuffle."""

    def execute(self, *_: Any) -> JobResult:
        self.runs += 1
        if self.runs == 1:
            raise ValueError("invalid literal")
        left = {"Levitated": {"Left to the stock shuffle": 2, "Outputs": 4}, "TaskCounter": {"OTHER": 1}}
        job = JobHistory(
            id="job_1_0001", name="sort", status="SUCCEEDED", reason="", submitted_ms=0, master_s=1, launched_s=2,
            finished_s=3, maps=6, reduces=2, counters=left if self.runs == 2 else {}, spans=[], failures=[],
        )  # fmt: skip
        return JobResult(seconds=0.5, output="", jobs=[job], disturbed=[], own_work_s=0.4)


class Ending(Played):
    """A framework whose first run takes the power source's sampler with it, and whose third one a daemon."""

    def execute(self, *_: Any) -> JobResult:
        self.runs += 1
        if self.runs == 1:
            [sampler] = [
                child
                for child in psutil.Process().children()
                if child.cmdline()[1:4] == ["-m", "harness.measure", "sample"]
            ]
            sampler.kill()
        time.sleep(0.5)  # as long as it says: a busy machine's sampler needs the time for its samples
        dead = ["datanode-1"] if self.runs == 3 else []
        return JobResult(seconds=0.5, output="", jobs=[], disturbed=dead, own_work_s=0.4)


class Unchecked:
    """A benchmark that prepares nothing and believes every output."""

    def prepare(self, _: Any) -> None:
        pass

    def input(self, _: Any) -> str:
        return ""

    def validate(self, *_: Any) -> tuple[list[Metric], dict[str, Any]]:
        return [], {}


def make_with(framework: Any, folder: Path, power: str, monkeypatch: pytest.MonkeyPatch) -> CellSpec:
    """Make three runs of a framework on this machine, without a cluster."""
    (folder / "scratch").mkdir()
    monkeypatch.setattr(driver, "hosts", hosts)
    monkeypatch.setattr(driver, "measure", measure.measure)
    monkeypatch.setattr(driver, "Cell", lambda cluster: SimpleNamespace(cluster=cluster))
    monkeypatch.setattr(driver, "framework_of", lambda *_: framework)
    monkeypatch.setattr(measure, "make", lambda *_: Unchecked())
    monkeypatch.setattr(measure, "settle", lambda _: None)
    monkeypatch.setattr(measure, "storage_bytes", lambda _: {})

    @contextlib.contextmanager
    def cluster(*_: Any) -> Iterator[Any]:
        yield SimpleNamespace(start_seconds=1.0, dead=list, log=lambda name: folder / name)

    monkeypatch.setattr(driver, "cluster", cluster)
    spec = changed(
        cell(folder / "cell", ("wordcount", "sort", "grep")),
        {
            "hosts": {"kind": "local", "scratch": str(folder / "scratch")},
            "power": {"source": power},
            "nodes": 1,
            "disk": "ssd",
            "period_s": 0.1,
        },
    )
    Driver(spec, PROGRAMS).make()
    return spec


def test_a_defect_and_a_stock_shuffle_cost_their_runs_and_not_the_cell(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_with(Faulty(), tmp_path, "none", monkeypatch)
    defect, left, made = statuses(spec)
    assert defect == ("failed", "ValueError: invalid literal")
    assert "Traceback" in (Path(spec.runs[0].folder) / "log.txt").read_text()
    assert left[0] == "failed" and "left 2 reduce attempts to Hadoop's own shuffle" in left[1]
    assert made == ("ok", "")


def test_a_power_source_or_daemon_that_fails_costs_its_run_and_not_the_cell(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_with(Ending(), tmp_path, "emulated:knm-like", monkeypatch)
    lost, made, disturbed = statuses(spec)
    assert (
        lost[0] == "failed"
        and "the power sampler ended unexpectedly (killed by signal 9 (SIGKILL))" in lost[1]
    )
    assert "\n" not in lost[1]
    assert made == ("ok", "")
    assert disturbed[0] == "failed" and disturbed[1].startswith("disturbed: a daemon of the cluster died")
    second = read(Path(spec.runs[1].folder) / "run.json")
    assert {m.name: m.source for m in second.metrics}["energy.total"] == "emulated:knm-like"
    assert json.loads((tmp_path / "cell" / "cell.json").read_text())["runs"][0]["status"] == "failed"
    log = (tmp_path / "cell" / "events.log").read_text()
    assert "[1/3] h wordcount 1: failed" in log and "[2/3] h sort 1: ok" in log
