"""Frameworks by class: a class of the user's own is planned and run like ours, and a wrong one is one clear message."""

import ast
import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from harness.cells import driver, measure
from harness.cells.driver import Driver
from harness.config import CellsStudy, FrameworkEntry, load_config
from harness.core.errors import KvasirError
from harness.core.models import without_defaults
from harness.plan.capabilities import Refusals
from harness.plan.cells import check_benchmarks, plan
from harness.plan.spec import Plan
from harness.results.records import read
from tests.unit.test_cells_driver import PROGRAMS, Unchecked, cell, changed

PROJECT = Path(__file__).parents[2]

SPARK = '''
from harness.cells.frameworks import Framework
from harness.hadoop.jobs import JobResult


class Spark(Framework):
    """Takes half a second for everything."""

    built = ("build/spark.json",)

    @classmethod
    def refusal(cls, benchmark):
        return "" if benchmark == "terasort" else "no such program"

    def execute(self, benchmark, cell, name):
        return JobResult(seconds=0.5, output="", jobs=[], disturbed=[], own_work_s=0.25)


class Unfinished(Framework):
    pass


class Stranger:
    pass
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module on PYTHONPATH that the project does not know."""
    name = f"strangers_{tmp_path.name.replace('-', '_')}"
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / f"{name}.py").write_text(SPARK)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    return name


def plan_of(folder: Path, scale: str = "laptop", **entries: dict[str, Any]) -> Plan:
    """The plan of study hpc at a scale, where `entries` take the place of frameworks."""
    shutil.copytree(PROJECT / "config", folder / "config")
    file = folder / "config/frameworks.yaml"
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **entries}))
    values = yaml.safe_load((folder / "config/config.yaml").read_text())
    config = load_config({**values, "scale": scale, "studies": ["hpc"]}, folder / "config")
    check_benchmarks(config, str(folder / "config"))
    study = config.studies["hpc"]
    assert isinstance(study, CellsStudy)
    return plan(study, config, Refusals())


def test_class_from_elsewhere_is_planned(module: str, tmp_path: Path) -> None:
    name = "hadoop-ipoib"
    made = plan_of(tmp_path, **{name: {"class": f"{module}:Spark", "label": "Spark", "interface": "ib"}})
    cells = [cell for cell in made.cells.values() if name in cell.frameworks]
    assert {run.benchmark for cell in cells for run in cell.runs if run.framework == name} == {"terasort"}
    assert all("build/spark.json" in cell.built for cell in cells)
    absent = [a for table in made.tables.values() for a in table.not_run if a.factors["framework"] == name]
    assert {a.reason for a in absent} == {f"{name}: no such program"}


def test_class_from_elsewhere_runs(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def cluster(*_: Any, **__: Any) -> Iterator[Any]:
        yield SimpleNamespace(start_seconds=1.0, dead=list, log=lambda name: tmp_path / name)

    monkeypatch.setattr(driver, "cluster", cluster)
    monkeypatch.setattr(driver, "Distribution", lambda folder: folder)
    monkeypatch.setattr(driver, "Cell", lambda cluster: SimpleNamespace(cluster=cluster))
    monkeypatch.setattr(measure, "make", lambda *_: Unchecked())
    monkeypatch.setattr(measure, "settle", lambda _: None)
    monkeypatch.setattr(measure, "storage_bytes", lambda _: {})
    (tmp_path / "scratch").mkdir()
    spec = changed(
        cell(tmp_path / "cell", ("wordcount",)),
        {
            "hosts": {"kind": "local", "scratch": str(tmp_path / "scratch")},
            "power": {"source": "none"},
            "nodes": 1,
            "period_s": 0.1,
            "frameworks": {"h": {"class": f"{module}:Spark", "label": "Spark", "interface": "ib"}},
        },
    )
    Driver(spec, {**PROGRAMS, "spark": {"version": "4"}}).make()
    record = read(Path(spec.runs[0].folder) / "run.json")
    assert record.outcome.status == "ok", record.outcome.reason
    assert {m.name: m.value for m in record.metrics}["time.work"] == 0.25
    assert len(Driver(spec, {**PROGRAMS, "spark": {"version": "5"}}).pending) == 1, "its own programs count"
    assert Driver(spec, {**PROGRAMS, "spark": {"version": "4"}, "engine": {}}).pending == []


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("no.such:Thing", "No module named 'no'.*PYTHONPATH"),
        ("{module}:Nothing", "module {module} has no Nothing"),
        ("{module}:Stranger", "expected a subclass of harness.cells.frameworks:Framework, found <class"),
        ("{module}:Unfinished", "expected a class that defines execute"),
    ],
)
def test_wrong_class_is_one_message(module: str, tmp_path: Path, reference: str, said: str) -> None:
    entry = {"class": reference.format(module=module), "label": "X"}
    with pytest.raises(
        KvasirError, match=rf"config/frameworks\.yaml: framework homr: class: .*{said.format(module=module)}"
    ) as caught:
        plan_of(tmp_path, homr=entry)
    assert "\n" not in str(caught.value)


JOBS = {"wordcount", "terasort"}
PAPERS = {*JOBS, "dfsio-write", "dfsio-read", "pagerank"}


@pytest.mark.parametrize(
    ("name", "plugin", "benchmarks"),
    [("hadoop-uda", "levitated", PAPERS), ("rdma-hadoop", "rdma", PAPERS), ("homr", "homr", JOBS)],
)
def test_framework_runs_at_the_scales_that_do_not_leave_it_out(
    tmp_path: Path, name: str, plugin: str, benchmarks: set[str]
) -> None:
    entry = yaml.safe_load((PROJECT / "config/frameworks.yaml").read_text())[name]
    left = plan_of(tmp_path / "left", **{name: {**entry, "missing_at": {"laptop": "left to scale night"}}})
    assert not [cell for cell in left.cells.values() if name in cell.frameworks]
    absent = [a for table in left.tables.values() for a in table.not_run if a.factors["framework"] == name]
    assert {a.reason for a in absent} == {f"{name}: left to scale night"}
    cells = plan_of(tmp_path / "night", "night").cells.values()
    ours = [cell for cell in cells if name in cell.frameworks]
    runs = [run for cell in ours for run in cell.runs if run.framework == name]
    assert {run.benchmark for run in runs} == benchmarks
    for one in ours:
        assert one.frameworks[name].plugins == [plugin, "transport"]
        assert {plugin, "transport"} <= set(one.plugins)
        assert not one.frameworks["hadoop-ipoib"].plugins


def test_own_binaries_run_at_every_scale(tmp_path: Path) -> None:
    entry = {
        "class": "hadoop",
        "label": "UDA",
        "interface": "ib",
        "missing_at": {"laptop": "left to scale night"},
    }
    made = plan_of(tmp_path, **{"hadoop-uda": {**entry, "home": "/opt/uda"}})
    cells = [cell for cell in made.cells.values() if "hadoop-uda" in cell.frameworks]
    assert cells and {cell.hadoop for cell in cells} == {"hadoop-uda"}
    assert all(cell.frameworks["hadoop-uda"].home == Path("/opt/uda") and not cell.plugins for cell in cells)


def test_scale_that_is_not_there_leaves_nothing_out(tmp_path: Path) -> None:
    entry = {"class": "hadoop", "label": "X", "missing_at": {"lapdog": "too large"}}
    with pytest.raises(
        KvasirError,
        match=r"frameworks\.yaml: homr\.missing_at: found 'lapdog': allowed: kick, laptop, .*; did you mean 'laptop'",
    ):
        plan_of(tmp_path, homr=entry)


@pytest.mark.parametrize("word", ["tez", "package:", ":Class", "a b:C", "package.Class"])
def test_class_is_a_known_word_or_a_dotted_name(word: str) -> None:
    with pytest.raises(ValidationError):
        FrameworkEntry.model_validate({"class": word, "label": "X"})


def test_plans_do_not_import_cells() -> None:
    for path in sorted((PROJECT / "src/harness/plan").glob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text()))
        names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not [name for name in names if name.startswith("harness.cells")], path


def entry_of(folder: Path, text: str, **own: Any) -> FrameworkEntry:
    """An entry as loaded, with a profile of such a content."""
    (folder / "profile.yaml").write_text(text)
    shutil.copytree(PROJECT / "config", folder / "config")
    file = folder / "config/frameworks.yaml"
    entry = {"class": "hadoop", "label": "X", "profiles": [str(folder / "profile.yaml")], **own}
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), "x": entry}))
    values = yaml.safe_load((folder / "config/config.yaml").read_text())
    return load_config(values, folder / "config").frameworks["x"]


def test_profiles_are_job_properties_that_an_entrys_own_win_over(tmp_path: Path) -> None:
    text = "kvasir.nvm: {write: {times-dram: 10, latency-ns: 5}, shared: true}\nplain.key: word\n"
    entry = entry_of(tmp_path, text, job_properties={"kvasir.nvm.write.latency-ns": 7})
    assert entry.job_properties == {
        "kvasir.nvm.write.times-dram": "10",
        "kvasir.nvm.write.latency-ns": "7",
        "kvasir.nvm.shared": "true",
        "plain.key": "word",
    }
    assert without_defaults(entry).keys() == {"class", "label", "job_properties"}, (
        "runs depend on the content"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kvasir.nvm: [1, 2]", r"kvasir\.nvm: found \[1, 2\]"),
        ("", "found 'None', expected properties with their values"),
        ("a b: 1", "a b.*should match pattern"),
    ],
)
def test_wrong_profile_is_one_message(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(
        KvasirError, match=rf"frameworks\.yaml: x\.profiles: .*profile\.yaml: {said}"
    ) as caught:
        entry_of(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_missing_profile_is_named(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match=r"x\.profiles: /no/such\.yaml: cannot be read"):
        entry_of(tmp_path, "", profiles=["/no/such.yaml"])


@pytest.mark.parametrize("file", sorted((PROJECT / "config/nvm").glob("*.yaml")), ids=lambda file: file.stem)
def test_profiles_of_devices_are_properties(tmp_path: Path, file: Path) -> None:
    entry = entry_of(tmp_path, file.read_text())
    assert {name.rpartition(".")[0] for name in entry.job_properties} <= {
        "kvasir.nvm",
        "kvasir.nvm.read",
        "kvasir.nvm.write",
    }
