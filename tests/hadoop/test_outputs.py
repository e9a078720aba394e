"""Reading what benchmarks print: a wrong output is never taken for a right one."""

from types import SimpleNamespace
from typing import Any

import pytest

from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.hadoop import benchmarks
from harness.hadoop.benchmarks import Cell, InvalidOutput
from harness.hadoop.benchmarks.dfsio import LABELS, report
from harness.hadoop.benchmarks.terasort import verdict
from harness.hadoop.benchmarks.wordcount import counts_of, difference
from harness.hadoop.jobs import JobResult

PRINTED = """
2026-11-21 15:27:39,871 INFO fs.TestDFSIO: ----- TestDFSIO ----- : write
2026-11-21 15:27:39,871 INFO fs.TestDFSIO:             Date & time: Sat Nov 21 15:27:39 UTC 2026
2026-11-21 15:27:39,871 INFO fs.TestDFSIO:         Number of files: 2
2026-11-21 15:27:39,871 INFO fs.TestDFSIO:  Total MBytes processed: 16
2026-11-21 15:27:39,871 INFO fs.TestDFSIO:       Throughput mb/sec: 21.83
2026-11-21 15:27:39,872 INFO fs.TestDFSIO:  Average IO rate mb/sec: 21.93
2026-11-21 15:27:39,872 INFO fs.TestDFSIO:   IO rate std deviation: 1.47
2026-11-21 15:27:39,872 INFO fs.TestDFSIO:      Test exec time sec: 28.93
"""


def test_report_of_dfsio() -> None:
    found = report(PRINTED)
    assert found.keys() == LABELS.keys()
    assert (found["files"], found["processed"], found["per_stream"]) == (2, 16, 21.83)
    assert report("Throughput mb/sec: NaN") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("checksum\ta3b99\n", "a3b99"),
        ("checksum\ta3b99\nchecksum\ta3b99\n", ""),
        ("error\tmisorder in part-r-00000\nchecksum\ta3b99\n", ""),
        ("misc\t1\nchecksum\ta3b99\n", ""),
        ("checksum\n", ""),
        ("", ""),
    ],
)
def test_verdict_of_teravalidate(text: str, expected: str) -> None:
    assert verdict(text) == expected


def test_counts() -> None:
    assert counts_of("be\t2\nto\t1\n", "x") == {"be": 2, "to": 1}
    assert counts_of("2\tbe or\n", "x", word_first=False) == {"be or": 2}
    for wrong in ("be\n", "be\tx\n", "be\t2\nbe\t1\n", "be\t-1\n"):
        with pytest.raises(InvalidOutput):
            counts_of(wrong, "x")


def test_differences_of_counts() -> None:
    assert difference({"a": 1}, {"a": 1}) == ""
    assert difference({"a": 1}, {"a": 2}) == "'a' occurs 2 times, the output says 1"
    assert difference({}, {"a": 2}) == "'a' occurs 2 times, the output says 0"
    assert difference({"b": 1}, {}) == "'b' occurs 0 times, the output says 1"


class Checked(Cell):
    """A cell whose checks find what they are told to."""

    found: dict[str, dict[str, Any]]

    def check(self, main_class: str, arguments: list[str], timeout_s: float) -> dict[str, Any]:
        return self.found[main_class.rpartition(".")[2]]

    def program(self, name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        jobs: Any = SimpleNamespace(counter=lambda *_: 1000)
        return JobResult(1.0, "", [jobs], [])


RIGHT = {"lines": 7, "checksum": -5, "disorder": 0}


def validated(cell: Checked, name: str, settings: dict[str, Any]) -> dict[str, float | None]:
    """Metrics of a run whose output the cell's check has looked at."""
    benchmark = benchmarks.make(name, settings)
    metrics, _ = benchmark.validate(cell, JobResult(1.0, "", [], []))
    return {metric.name: metric.value for metric in metrics}


@pytest.fixture
def checked() -> Checked:
    hdfs, layout = SimpleNamespace(remove=lambda _: None), SimpleNamespace(workers=[1])
    cluster: Any = SimpleNamespace(hdfs=hdfs, layout=layout, parameters=Parameters())
    cell = Checked(cluster)
    cell.found = {"Lines": RIGHT, "Expected": RIGHT, "Clusters": {**RIGHT, "expected": RIGHT}}
    return cell


PUMA = ["adjacency-list", "self-join", "inverted-index", "sequence-count", "ranked-inverted-index", "kmeans"]


@pytest.mark.parametrize("name", PUMA)
def test_an_output_that_one_process_contradicts_is_invalid(checked: Checked, name: str) -> None:
    assert validated(checked, name, {})["output.checksum"] == 2**48 - 5
    wrong = {**RIGHT, "checksum": 4}
    checked.found |= {"Lines": wrong, "Clusters": {**wrong, "expected": RIGHT}}
    with pytest.raises(InvalidOutput, match=rf"{name}: checksum of .*one process: -5, of the output: 4"):
        validated(checked, name, {})


@pytest.mark.parametrize("name", PUMA)
def test_outputs_that_are_too_large_to_compare_must_agree_in_a_cell(checked: Checked, name: str) -> None:
    least = {"adjacency-list": "compare_edges", "kmeans": "compare_samples"}.get(name, "compare_mb")
    checked.found["Expected"] = {}
    validated(checked, name, {least: 0})
    validated(checked, name, {least: 0})
    other = {**RIGHT, "lines": 8}
    checked.found |= {"Lines": other, "Clusters": {**other, "expected": None}}
    with pytest.raises(InvalidOutput, match=r"lines of .*the cell's first run: 7, of the output: 8"):
        validated(checked, name, {least: 0})


def test_lines_out_of_order_are_invalid(checked: Checked) -> None:
    checked.found["Lines"] = {**RIGHT, "disorder": 2}
    with pytest.raises(InvalidOutput, match="self-join: 2 lines of the output are out of order"):
        validated(checked, "self-join", {})


def test_registry() -> None:
    assert sorted(benchmarks.CLASSES) == [
        "adjacency-list",
        "bayes",
        "dfsio-read",
        "dfsio-write",
        "grep",
        "inverted-index",
        "kmeans",
        "pagerank",
        "ranked-inverted-index",
        "self-join",
        "sequence-count",
        "sort",
        "terasort",
        "tpcx-hs",
        "wordcount",
    ]
    with pytest.raises(KvasirError, match="no benchmark 'tera', only dfsio-write"):
        benchmarks.make("tera")
    with pytest.raises(KvasirError, match="benchmark sort: rows: Extra inputs"):
        benchmarks.make("sort", {"rows": 3})
