"""What MREv leaves behind: summary and statistics from records."""

from typing import Any

from harness.cells.summary import STATISTICS, exclusion, statistics, summary
from harness.plan.spec import CellRun, CellSpec
from harness.results.records import Identity, Metric, Outcome, Record

HOSTS = {"kind": "emulated", "interfaces": {"ib": {"rate_mbit_s": 300.0}}, "disks": {"ssd": {}}}


def run(rep: int, benchmark: str = "terasort") -> CellRun:
    point = f"hadoop-ipoib_{benchmark}"
    identity = Identity(
        study="cells", experiment="3n", point=point, rep=rep, seed=1, scale="smoke", site="local", factors={}
    )
    settings = {"timeout_s": 60.0}
    return CellRun(
        identity=identity,
        framework="hadoop-ipoib",
        benchmark=benchmark,
        settings=settings,
        folder=f"{point}/{rep}",
    )


def record(one: CellRun, seconds: float, status: Any = "ok", reason: str = "") -> Record:
    metrics = [
        Metric(name="time.total", value=seconds, unit="s", source="measured:clock"),
        Metric(name="energy.total", value=None, unit="J", source="none", reason="no meter"),
    ]
    facts = {"programs": {"hadoop": {"version": "3.4.2"}}}
    return Record(
        identity=one.identity,
        environment=facts,
        outcome=Outcome(status=status, reason=reason),
        metrics=metrics,
    )


RUNS = [run(1), run(2), run(3), run(4), run(1, "grep")]
RECORDS = {
    RUNS[0].folder: record(RUNS[0], 10.0),
    RUNS[1].folder: record(RUNS[1], 12.0),
    RUNS[2].folder: record(RUNS[2], 20.0),
    RUNS[3].folder: record(RUNS[3], 99.0, "failed", "disturbed: a daemon died"),
    RUNS[4].folder: record(RUNS[4], 98.0, "timeout", "took longer than 60 s"),
}
CELL = CellSpec(
    cell="3n_ssd_ib",
    folder="cells/3n_ssd_ib",
    nodes=3,
    disk="ssd",
    interface="ib",
    hadoop="3.4.2",
    built=[],
    hosts=HOSTS,
    power={},
    parameters={"heap_mb": 321},
    frameworks={},
    studies=["mrev"],
    period_s=1,
    minutes=5,
    runs=RUNS,
)


def test_statistics_are_of_good_runs() -> None:
    (row,) = statistics([CELL], RECORDS)
    assert tuple(row) == STATISTICS
    assert [row[key] for key in ("n", "min", "mean", "median", "max")] == [3, 10.0, 14.0, 12.0, 20.0]
    assert (row["metric"], row["unit"], row["source"]) == ("time.total", "s", "measured:clock")


def test_summary_has_parameters_results_and_what_went_wrong() -> None:
    text = summary([CELL], RECORDS, "All of it")
    assert text.startswith("# All of it\n\n## Cell 3n_ssd_ib\n")
    for line in (
        "| interface | ib, 300 Mbit/s |",
        "| program hadoop | 3.4.2 |",
        "| heap_mb | 321 |",
        "| terasort | hadoop-ipoib | 3 | 12 (10 … 20) |",
        "- hadoop-ipoib_terasort, repetition 4: failed: disturbed: a daemon died",
        "- hadoop-ipoib_grep, repetition 1: timeout: took longer than 60 s",
    ):
        assert line in text.splitlines(), line
    assert "timeout_s 60.0" in text


def test_times_on_clusters_of_several_sizes_stand_side_by_side() -> None:
    larger = [run(1), run(2)]
    larger = [one.model_copy(update={"folder": f"larger/{one.folder}"}) for one in larger]
    cells = [CELL, CELL.model_copy(update={"cell": "5n_ssd_ib", "nodes": 5, "runs": larger})]
    records = {**RECORDS, larger[0].folder: record(larger[0], 7.0), larger[1].folder: record(larger[1], 9.0)}
    text = summary(cells, records, "x")
    assert (
        "## Times by cluster size\n\n| benchmark | framework | disk | 3 nodes (s) | 5 nodes (s) |\n" in text
    )
    assert "| terasort | hadoop-ipoib | ssd | 12 (10 … 20) | 8 (7 … 9) |" in text.splitlines()
    failed = {**records, **{one.folder: record(one, 1.0, "failed", "no") for one in larger}}
    assert "by cluster size" not in summary(cells, failed, "x"), "one size has times"


def test_nothing_to_say() -> None:
    assert exclusion(RECORDS[RUNS[0].folder]) == ""
    assert summary([], {}, "None").endswith("No cell can be made here.\n")
    failed = {folder: record(RUNS[0], 1.0, "failed", "no") for folder in RECORDS}
    assert "No run has ended well." in summary([CELL], failed, "x")
