"""TPCx-HS's rules: two valid runs, the slower counts, all phases are timed, data are checked between them."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cells.measure import times
from harness.cells.summary import summary
from harness.cli.comparison import lines, rules
from harness.config.hadoop import Parameters
from harness.hadoop.benchmarks import Cell, InvalidOutput, make
from harness.hadoop.benchmarks.tpcx_hs import GENERATED, SORTED, TpcxHs, hsph, outcome
from harness.hadoop.jobs import JobResult
from harness.plan.planner import choose
from harness.results.records import Metric, Record
from tests.unit.test_outputs import CELL, record, run

PROJECT = Path(__file__).parents[2]
POSITIVE = st.floats(1e-6, 1e6)


@given(st.dictionaries(st.integers(1, 5), POSITIVE))
def test_of_the_first_two_runs_the_slower_counts(runs: dict[int, float]) -> None:
    found = outcome(runs)
    assert (found is None) == (not {1, 2} <= runs.keys())
    if found:
        assert (found.performance, found.repeatability) == tuple(sorted((runs[1], runs[2])))
        assert runs[found.counts] == found.performance and found.apart >= 0


@given(st.integers(1, 10**12), POSITIVE)
def test_the_metric_falls_with_the_time_and_grows_with_the_data(rows: int, seconds: float) -> None:
    assert hsph(rows, 2 * seconds) == pytest.approx(hsph(rows, seconds) / 2)
    assert hsph(2 * rows, seconds) == pytest.approx(2 * hsph(rows, seconds))


def test_the_metric_is_the_specifications() -> None:
    assert hsph(10**10, 3600) == 1, "a terabyte in an hour"


class Phases(Cell):
    """A cell whose programs take as long as their place in the run says, and write what `sizes` says."""

    def __init__(self, sizes: dict[str, int], replicas: int = 2) -> None:
        def stored(path: str, begins: str) -> Any:
            assert begins == "part-", "TeraSort leaves its ranges beside the data"
            return SimpleNamespace(size=sizes[path], replication=replicas)

        hdfs: Any = SimpleNamespace(remove=lambda _: None, stored=stored)
        layout = SimpleNamespace(workers=[1, 2])
        self.programs: list[list[str]] = []
        cluster: Any = SimpleNamespace(parameters=Parameters(), layout=layout, hdfs=hdfs)
        super().__init__(cluster)

    def program(self, name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        self.programs.append([name, arguments[0]])
        return JobResult(float(len(self.programs)), f"{name}\n", [], [name])


def test_a_run_is_three_programs_whose_times_are_told() -> None:
    size = 3 * 2**20 // 100 * 100
    cell = Phases({GENERATED: size, SORTED: size})
    result = make("tpcx-hs", {"data_mb": 3}).execute(cell, "x")
    assert cell.programs == [["x-generate", "teragen"], ["x", "terasort"], ["x-validate", "teravalidate"]]
    assert {name: result.parts[name] for name in ("generation", "sort", "validation")} == {
        "generation": 1,
        "sort": 2,
        "validation": 3,
    }
    assert sum(result.parts.values()) == pytest.approx(result.seconds)
    assert result.output == "x-generate\nx\nx-validate\n" and len(result.disturbed) == 3
    names = [metric.name for metric in times(replace(result, seconds=9.0), 0.0)]
    assert names[:4] == ["time.total", "time.work", "time.startup", "time.between"]
    assert names[4:] == ["time.generation", "time.sort", "time.validation", "time.data_checks"]


@pytest.mark.parametrize("path", [GENERATED, SORTED])
def test_data_that_are_too_few_end_the_run(path: str) -> None:
    size = 2**20 // 100 * 100
    short = Phases({GENERATED: size, SORTED: size} | {path: size - 100})
    with pytest.raises(InvalidOutput, match=f"^tpcx-hs: {path} has {size - 100} bytes, expected {size}$"):
        make("tpcx-hs", {"data_mb": 1}).execute(short, "x")
    with pytest.raises(InvalidOutput, match="has 1 replicas, expected 2"):
        make("tpcx-hs", {"data_mb": 1}).execute(Phases({GENERATED: size, SORTED: size}, 1), "x")


def rated(rep: int, value: float, **how: Any) -> tuple[Any, Record]:
    one = run(rep, TpcxHs.name)
    made = record(one, 10.0, **how)
    metric = Metric(name="hsph", value=value, unit="TB/h", source="measured:clock")
    return one, made.model_copy(update={"metrics": [*made.metrics, metric]})


def summarised(*made: tuple[Any, Record]) -> str:
    cell = CELL.model_copy(update={"runs": [one for one, _ in made]})
    return summary([cell], {one.folder: found for one, found in made}, "x")


def test_the_summary_has_both_runs_and_says_that_it_is_no_tpc_result() -> None:
    text = summarised(rated(1, 0.05), rated(2, 0.04), rated(3, 0.01))
    assert "### TPCx-HS's rules, not a TPC result\n" in text
    assert "| hadoop-ipoib, 256 MB | 0.04 | 0.05 | 25.0% | run 2 |" in text.splitlines()
    spoiled = rated(2, 0.04, status="failed", reason="no")
    assert "| none: the rules want two valid runs |" in summarised(rated(1, 0.05), spoiled)
    assert "TPCx-HS" not in summary([CELL.model_copy(update={"runs": []})], {}, "x")


def table(values: dict[int, float], benchmark: str = "tpcx-hs") -> list[dict[str, str]]:
    return [
        {
            "benchmark": benchmark, "framework": "tez", "rep": str(rep), "metric": metric, "value": str(value),
            "status": "ok", "reason": "", "source": "measured:clock",
        }
        for rep, value in values.items()
        for metric in ("time.total", "hsph")
    ]  # fmt: skip


def test_a_comparison_says_which_run_counts() -> None:
    (said,) = rules(lines(table({1: 0.5, 2: 0.4})))
    assert said == "tez: 0.4 TB/h of run 2, the slower of two that are 25.0% apart; not a TPC result"
    assert rules(lines(table({1: 0.5}))) == ["tez: TPCx-HS's rules want two valid runs"]
    assert rules(lines(table({1: 0.5}, "terasort"))) == []


@pytest.mark.parametrize(("scale", "there"), [("night", True), ("laptop", False), ("smoke", False)])
def test_it_runs_twice_at_night(scale: str, there: bool) -> None:
    found = choose([f"scale={scale}", "studies=mrev"], PROJECT / "config").config
    assert found.scale.cells is not None
    left_out = "rules" in getattr(found.scale.studies["mrev"], "leave_out", [])
    assert left_out != there
    if there:
        assert found.scale.cells.more_repetitions["tpcx-hs"] == 2
