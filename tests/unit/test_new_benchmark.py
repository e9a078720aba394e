"""A further benchmark is a class and an entry: it is planned, sized and checked like those that ship."""

import shutil
from pathlib import Path

import pytest
import yaml

from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import CLASSES, Benchmark, Cell
from harness.hadoop.benchmarks.base import Settings
from harness.hadoop.jobs import JobResult
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.costs import size_of_cell_run
from harness.plan.planner import Planner
from harness.plan.requirements import cell_data_mb
from harness.results.records import Metric

PROJECT = Path(__file__).parents[2]


class JoinSettings(Settings):
    """Sizes of both tables."""

    left_mb: int = 8
    right_mb: int = 2


class Join(Benchmark[JoinSettings]):
    """Joins two tables."""

    name = "join"
    settings_type = JoinSettings

    @property
    def data_mb(self) -> int:
        return self.settings.left_mb + self.settings.right_mb

    @property
    def size(self) -> float:
        return float(self.settings.left_mb * self.settings.right_mb)

    def execute(self, cell: Cell, name: str) -> JobResult:
        raise NotImplementedError

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        raise NotImplementedError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration with an experiment of the benchmark, whose class is known."""
    monkeypatch.setitem(CLASSES, Join.name, Join)
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    monkeypatch.chdir(tmp_path)
    made = Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))
    (tmp_path / "src").symlink_to(PROJECT / "src")
    for file, keys, value in (
        ("studies/hpc.yaml", ("experiments", "join"), EXPERIMENT),
        ("scales/smoke.yaml", ("cells", "benchmarks", "join"), {"left_mb": 30, "right_mb": 6}),
    ):
        content = yaml.safe_load((made / file).read_text())
        place = content
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value
        (made / file).write_text(yaml.safe_dump(content, sort_keys=False))
    return made


EXPERIMENT = {
    "title": "Join",
    "where": "a test",
    "factors": {"framework": ["hadoop-ipoib", "engine-ipoib"]},
    "fixed": {"benchmark": "join"},
}


def planner_of(folder: Path) -> Planner:
    return Planner({"scale": "smoke", "site": "local", "seed": 1, "studies": ["hpc"]}, folder)


def test_a_class_and_its_entry_are_planned_and_sized(folder: Path) -> None:
    planner = planner_of(folder)
    (cell,) = planner.cells.values()
    (run,) = [run for run in cell.runs if run.benchmark == "join"]
    assert (run.framework, run.settings["left_mb"]) == ("hadoop-ipoib", 30)
    assert size_of_cell_run(run, 2) == 30 * 6 / 2
    others = cell.model_copy(update={"runs": [other for other in cell.runs if other != run]})
    assert cell_data_mb(cell) - cell_data_mb(others) > 2 * 36, "replicas of the largest data there is"
    (absent,) = planner.plan("hpc").tables["join"].not_run
    assert absent.factors["framework"] == "engine-ipoib" and "the engine runs only " in absent.reason


def test_a_setting_that_its_class_does_not_know_is_named(folder: Path) -> None:
    scale = folder / "scales/smoke.yaml"
    scale.write_text(scale.read_text().replace("left_mb:", "middle_mb:"))
    with pytest.raises(KvasirError, match=r"smoke\.yaml: cells\.benchmarks.*join.*middle_mb"):
        planner_of(folder)
