"""Efficiency of a run: work per core, CPU second and joule, from the run's own metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.efficiency import core_count, efficiency
from harness.results.records import Metric

NO_POWER = "no power source: /sys/class/powercap is not there"


def metric(name: str, value: float | None, source: str = "measured:clock", reason: str = "") -> Metric:
    return Metric(
        name=name, value=value, unit="1", source=source if value is not None else "none", reason=reason
    )


def run_on_a_cluster(joules: float | None = None, source: str = "measured:rapl-powercap") -> list[Metric]:
    return [
        metric("records", 1e6, "analytic"),
        metric("time.total", 20.0),
        metric("cpu.seconds", 32.0, "measured:procfs"),
        metric("energy.total", joules, source, "" if joules else NO_POWER),
        core_count(2),
    ]


def by_name(metrics: list[Metric]) -> dict[str, Metric]:
    return {one.name: one for one in efficiency(metrics)}


def test_records_are_counted_per_core_cpu_second_and_joule() -> None:
    found = by_name(run_on_a_cluster(joules=2000))
    assert found["records.per.core"].value == 25e3 and found["records.per.core"].source == "measured:clock"
    assert found["records.per.cpu"].value == 31250 and found["records.per.cpu"].source == "measured:procfs"
    assert found["records.per.joule"].value == 500 and found["records.per.joule"].unit == "1/J"
    assert found["records.per.joule"].source == "measured:rapl-powercap"


def test_emulated_joules_give_an_emulated_efficiency() -> None:
    assert by_name(run_on_a_cluster(2000, "emulated:knm-like"))["records.per.joule"].source == (
        "emulated:knm-like"
    )


def test_without_joules_the_reason_is_kept() -> None:
    found = by_name(run_on_a_cluster())["records.per.joule"]
    assert found.value is None and found.source == "none" and found.reason == NO_POWER


def test_a_run_of_the_engine_counts_words() -> None:
    run = [metric("words", 6e7, "measured:engine"), metric("runtime", 1.5), metric("cpu.total", 2.5)]
    found = by_name([*run, core_count(2)])
    assert set(found) == {"words.per.core", "words.per.cpu"}
    assert found["words.per.core"].value == 2e7 and found["words.per.cpu"].value == 2.4e7


def test_a_run_without_work_or_time_has_none() -> None:
    assert efficiency([metric("time.total", 3.0), core_count(2)]) == []
    assert efficiency([metric("records", 100, "analytic"), core_count(2)]) == []
    assert efficiency([metric("records", None, reason="lost"), metric("time.total", 3.0)]) == []


@given(st.floats(1, 1e12), st.floats(1e-3, 1e6), st.integers(1, 10**5))
def test_efficiency_times_cost_is_the_work(records: float, seconds: float, cores: int) -> None:
    run = [metric("records", records, "analytic"), metric("time.total", seconds), core_count(cores)]
    value = by_name(run)["records.per.core"].value
    assert value is not None and value * seconds * cores == pytest.approx(records)


@given(st.sampled_from([0.0, None]))
def test_nothing_is_divided_by_nothing(seconds: float | None) -> None:
    run = [metric("records", 5.0, "analytic"), metric("time.total", seconds, reason="lost"), core_count(2)]
    assert by_name(run)["records.per.core"].value is None
