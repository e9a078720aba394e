"""Reading what benchmarks print: a wrong output is never taken for a right one."""

import pytest

from harness.core.errors import KvasirError
from harness.hadoop import benchmarks
from harness.hadoop.benchmarks import InvalidOutput
from harness.hadoop.benchmarks.dfsio import LABELS, report
from harness.hadoop.benchmarks.terasort import verdict
from harness.hadoop.benchmarks.wordcount import counts_of, difference

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


def test_registry() -> None:
    assert sorted(benchmarks.CLASSES) == [
        "bayes",
        "dfsio-read",
        "dfsio-write",
        "grep",
        "pagerank",
        "sort",
        "terasort",
        "wordcount",
    ]
    with pytest.raises(KvasirError, match="no benchmark 'tera', only dfsio-write"):
        benchmarks.make("tera")
    with pytest.raises(KvasirError, match="benchmark sort: rows: Extra inputs"):
        benchmarks.make("sort", {"rows": 3})
