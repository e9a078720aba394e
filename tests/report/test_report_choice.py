"""Which framework is best, and when nothing can be said."""

from pathlib import Path
from typing import Any

import pytest

from harness.report.best_framework import Best, Measure, best, choices, links, reasons
from harness.report.overview import measures, sized
from harness.results.layout import Runs, TableSpec
from harness.results.records import Identity, Metric, Outcome, Record


def measure(framework: str, value: float | None, **other: Any) -> Measure:
    known: dict[str, Any] = {
        "benchmark": "terasort",
        "settings": "",
        "studies": ("mrev",),
        "nodes": 3,
        "disk": "ssd",
        "metric": "time.total",
        "unit": "s",
        "source": "measured:clock",
        "reason": "",
    }
    return Measure(**{**known, **other}, framework=framework, value=value)


def runs(**values: list[float]) -> list[Measure]:
    return [measure(name, value) for name, found in values.items() for value in found]


def names(found: Best) -> tuple[list[str], list[str]]:
    return [one.framework for one in found.first], [one.framework for one in found.others]


@pytest.mark.parametrize(
    ("values", "first", "others"),
    [
        ({"a": [10, 11, 12], "b": [13, 14, 15]}, ["a"], ["b"]),
        ({"a": [10, 11, 12], "b": [12, 14, 15]}, ["a", "b"], []),
        # Only overlap with the best counts, not a chain of overlaps.
        ({"c": [14.5, 16, 17], "b": [11.9, 14, 15], "a": [10, 11, 12]}, ["a", "b"], ["c"]),
        ({"a": [11], "b": [10]}, ["b"], ["a"]),
        ({"a": [11], "b": [10, 10.5, 12]}, ["b", "a"], []),
        ({"a": [10]}, ["a"], []),
    ],
)
def test_overlapping_ranges_are_ties(
    values: dict[str, list[float]], first: list[str], others: list[str]
) -> None:
    assert names(best(runs(**values))) == (first, others)


def test_alone_and_single() -> None:
    assert best(runs(a=[1, 2])).alone
    assert not best(runs(a=[1, 2], b=[5, 6])).alone
    assert not best(runs(a=[1, 2], b=[5, 6])).single
    assert best(runs(a=[1, 2], b=[5])).single


def test_what_people_read() -> None:
    (one,) = best(runs(a=[10.0, 12.5, 11.25])).first
    assert (one.text, one.spread, one.n) == ("11.2 s", "10 … 12.5", 3)
    assert best(runs(a=[10.0])).first[0].spread == ""


def test_nobody_measured_says_why() -> None:
    found = best([measure("a", None, source="none", reason="no meter")])
    assert (found.first, found.reason) == ([], "no meter")
    assert best([]).reason == "no run has it"


def test_emulated_numbers_are_known_as_such() -> None:
    assert best([measure("a", 5.0, source="emulated:knm-like"), measure("b", 6.0)]).emulated


def test_lines_by_benchmark_size_disk_and_settings() -> None:
    other = {"settings": "-fe0aa6", "studies": ("hpc",), "benchmark": "grep"}
    table = choices(
        [
            measure("a", 1.0, nodes=5),
            measure("a", 1.0),
            measure("a", 1.0, benchmark="grep"),
            measure("b", 2.0, **other),
        ]
    )
    assert [(one.benchmark, one.nodes, one.disk) for one in table] == [
        ("grep, as in hpc", 3, "ssd"),
        ("grep, as in mrev", 3, "ssd"),
        ("terasort", 3, "ssd"),
        ("terasort", 5, "ssd"),
    ]
    assert reasons(table) == ["no run has it"]
    assert table[2].best["ed2p"].reason == "no run has it"


def test_frameworks_are_compared_whoever_asked_for_their_runs() -> None:
    [row] = choices([measure("a", 1.0, studies=("hpc", "mrev")), measure("b", 2.0)])
    assert row.benchmark == "terasort"
    assert names(row.best["time.total"]) == (["a"], ["b"])


def test_rows_of_one_study_with_other_settings_have_other_names() -> None:
    table = choices([measure("a", 1.0), measure("a", 2.0, settings="-fe0aa6")])
    assert [row.benchmark for row in table] == ["terasort, as in mrev", "terasort, as in mrev (-fe0aa6)"]


def test_links_that_are_emulated() -> None:
    rate = {"metric": "link.rate", "source": "emulated:tbf"}
    found = [measure("b", 30.0, **rate), measure("a", 30.0, **rate), measure("c", 300.0, **rate)]
    assert links([*found, measure("d", 5.0, metric="link.rate")]) == [
        ("30 Mbit/s", "a, b"),
        ("300 Mbit/s", "c"),
    ]


def record(status: Any) -> Record:
    metrics = [
        Metric(name="time.total", value=4.0, unit="s", source="measured:clock"),
        Metric(name="energy.total", value=None, unit="J", source="none", reason="no meter"),
    ]
    factors: dict[str, Any] = {"framework": "x", "nodes": "3", "disk": "ssd", "benchmark": "grep"}
    identity = Identity(
        study="cells", experiment="c", point="p", rep=1, seed=1, scale="smoke", site="local", factors=factors
    )
    return Record(identity=identity, environment={}, outcome=Outcome(status=status), metrics=metrics)


def test_each_run_counts_once_and_only_if_it_says_something() -> None:
    def table(study: str, *folders: str) -> TableSpec:
        points = {f"p{i}": Runs(folder=name, repetitions=1) for i, name in enumerate(folders)}
        return TableSpec(
            study=study, experiment="e", scale="smoke", factors=[], runs=points, not_run=[], repetitions=1
        )

    good, bad, other = (
        f"cells/{name}"
        for name in ("3n_ssd_ib/runs/x_grep", "3n_ssd_eth/runs/x_grep", "3n_ssd_ib_nvm/runs/x_grep-1a")
    )
    records = {
        Path(good, "1/run.json"): record("ok"),
        Path(bad, "1/run.json"): record("failed"),
        Path(other, "1/run.json"): record("ok"),
    }
    tables = [table("mrev", good, bad), table("hpc", good), table("nvm", other)]
    rows = measures(tables, records.__getitem__, {"x": "Framework X"})
    assert [(r.framework, r.settings, r.studies, r.metric, r.value, r.reason) for r in rows] == [
        ("Framework X", "", ("hpc", "mrev"), "time.total", 4.0, ""),
        ("Framework X", "", ("hpc", "mrev"), "energy.total", None, "no meter"),
        ("Framework X", "nvm_-1a", ("nvm",), "time.total", 4.0, ""),
        ("Framework X", "nvm_-1a", ("nvm",), "energy.total", None, "no meter"),
    ]


def test_runs_of_other_sizes_are_other_benchmarks() -> None:
    assert [sized("sort", size) for size in (None, 1, 1.0, 0.5)] == ["sort"] * 3 + [
        "sort, 0.5 times the data"
    ]
