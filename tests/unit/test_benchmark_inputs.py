"""Inputs of benchmarks are generated once in a cell, anew after a generator that failed."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.hadoop.benchmarks import CLASSES, Benchmark, Cell, make
from harness.hadoop.cluster import Cluster
from harness.hadoop.jobs import JobError, JobResult

PRINTED = """mapreduce.Job: Counters: 2
\tkvasir.graph.Generate$Count
\t\tEDGES=3
\torg.apache.hadoop.examples.terasort.TeraGen$Counters
\t\tCHECKSUM=5
"""
RESULT = JobResult(seconds=1.0, output=PRINTED, jobs=[], disturbed=[])


class FakeCell(Cell):
    """A cell of two workers that notes its calls instead of doing them; the first `failing` programs fail."""

    def __init__(self, failing: int = 0) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.failing = failing
        hdfs = SimpleNamespace(remove=lambda path: self.calls.append(("remove", path)))
        parameters = SimpleNamespace(mappers_per_node=2)
        layout = SimpleNamespace(workers=["a", "b"])
        cluster = SimpleNamespace(hdfs=hdfs, parameters=parameters, layout=layout)
        super().__init__(cast(Cluster, cluster))

    def program(self, name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        self.calls.append((name, *arguments))
        if self.failing:
            self.failing -= 1
            raise JobError(f"{name} failed")
        return RESULT

    def check(self, main_class: str, arguments: list[str], timeout_s: float) -> dict[str, Any]:
        return {}


GENERATED = sorted(name for name, kind in CLASSES.items() if kind.input is not Benchmark.input)


@pytest.mark.parametrize("name", GENERATED)
def test_inputs_are_written_once_where_nothing_is_left(name: str) -> None:
    cell = FakeCell()
    make(name).prepare(cell)
    removed = [call[1] for call in cell.calls if call[0] == "remove"]
    written = [call[-1] for call in cell.calls if call[0] != "remove"]
    assert written and removed == written
    assert [call[0] == "remove" for call in cell.calls] == [True, False] * len(written)
    calls = list(cell.calls)
    make(name).prepare(cell)
    assert cell.calls == calls


@pytest.mark.parametrize("name", GENERATED)
def test_inputs_are_written_again_after_a_failure(name: str) -> None:
    cell = FakeCell(failing=1)
    with pytest.raises(JobError, match="failed"):
        make(name).prepare(cell)
    failed = cell.calls[:2]
    make(name).prepare(cell)
    assert cell.calls[2:4] == failed
