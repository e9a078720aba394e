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


def plan_of(folder: Path, **entries: dict[str, Any]) -> Plan:
    """The plan of study hpc at scale laptop, where `entries` take the place of frameworks."""
    shutil.copytree(PROJECT / "config", folder / "config")
    file = folder / "config/frameworks.yaml"
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **entries}))
    values = yaml.safe_load((folder / "config/config.yaml").read_text())
    config = load_config({**values, "scale": "laptop", "studies": ["hpc"]}, folder / "config")
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


@pytest.mark.parametrize("word", ["tez", "package:", ":Class", "a b:C", "package.Class"])
def test_class_is_a_known_word_or_a_dotted_name(word: str) -> None:
    with pytest.raises(ValidationError):
        FrameworkEntry.model_validate({"class": word, "label": "X"})


def test_plans_do_not_import_cells() -> None:
    for path in sorted((PROJECT / "src/harness/plan").glob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text()))
        names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not [name for name in names if name.startswith("harness.cells")], path
