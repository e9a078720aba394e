from __future__ import annotations

import pytest

from harness.measure.model import Reading
from harness.measure.series import Series


def reading(t: float, value: float | None, width: float = 0.0, lasting: bool = False) -> Reading:
    return Reading(
        domain="package",
        before=t - width,
        after=t + width,
        value=value,
        problem="gone" if value is None else "",
        lasting=lasting,
    )


def test_counter_gives_rates_and_total() -> None:
    series = Series(kind="counter", period_s=0.1, must_move=True)
    series.begin(reading(0.0, 5.0))
    assert series.add(reading(0.1, 15.0)) == pytest.approx(100)
    assert series.add(reading(0.3, 19.0)) == pytest.approx(20)
    series.end(reading(0.4, 20.0))
    assert series.total == pytest.approx(15)
    assert series.mean == pytest.approx(15 / 0.4)
    assert (series.samples, series.dropped, series.rate_max) == (2, 0, pytest.approx(100))


def test_a_read_wider_than_a_tenth_of_the_period_is_dropped_but_its_energy_is_kept() -> None:
    series = Series(kind="counter", period_s=0.1)
    series.begin(reading(0.0, 0.0))
    assert series.add(reading(0.1, 10.0, width=0.0101)) is None
    assert series.add(reading(0.2, 20.0, width=0.0099)) == pytest.approx(100)
    assert (series.samples, series.dropped, series.total) == (1, 1, pytest.approx(20))


def test_energy_that_never_moves_is_no_zero() -> None:
    series = Series(kind="counter", period_s=0.1, must_move=True)
    series.begin(reading(0.0, 0.0))
    assert series.add(reading(0.1, 0.0)) is None
    series.end(reading(0.2, 0.0))
    assert series.total is None and "did not move" in series.reason
    idle = Series(kind="counter", period_s=0.1)
    idle.begin(reading(0.0, 0.0))
    assert idle.add(reading(0.1, 0.0)) == 0.0
    assert idle.total == 0.0


def test_gauge_is_integrated_by_trapezoids_over_gaps() -> None:
    series = Series(kind="gauge", period_s=1.0)
    assert series.add(reading(0.0, 100.0)) is None
    assert series.add(reading(1.0, 200.0)) == 200.0
    assert series.add(reading(2.0, None)) is None
    assert series.add(reading(3.0, 200.0)) == 200.0
    assert series.total == pytest.approx(150 + 400)
    assert (series.dropped, series.duration_s) == (1, 3.0)


def test_a_gauge_that_is_polled_covers_the_whole_run() -> None:
    series = Series(kind="gauge", period_s=1.0)
    series.add(reading(10.25, 100.0))
    series.add(reading(11.25, 200.0))
    series.cover(10.0, 12.0)
    assert series.total == pytest.approx(25 + 150 + 150)
    assert (series.duration_s, series.mean) == (2.0, pytest.approx(162.5))


def test_what_a_gauge_read_after_the_run_is_taken_off() -> None:
    series = Series(kind="gauge", period_s=1.0)
    series.add(reading(10.0, 100.0))
    series.add(reading(11.0, 100.0))
    series.cover(10.0, 10.75)
    assert (series.total, series.duration_s) == (pytest.approx(75), 0.75)


def test_a_gauge_that_fell_silent_has_no_total() -> None:
    series = Series(kind="gauge", period_s=1.0)
    series.add(reading(10.0, 100.0))
    series.add(reading(11.0, 100.0))
    series.cover(10.0, 20.0)
    assert (
        series.total is None
        and series.reason == "no value could be read for 9.0 s at the begin or end of the run"
    )


def test_a_domain_that_is_lost_has_no_total() -> None:
    series = Series(kind="counter", period_s=0.1)
    series.begin(reading(0.0, 0.0))
    series.add(reading(0.1, 10.0))
    assert series.add(reading(0.2, None, lasting=True)) is None
    assert series.add(reading(0.3, 30.0)) is None
    assert series.total is None and series.mean is None and series.reason == "gone"


def test_one_reading_is_no_measurement() -> None:
    series = Series(kind="counter", period_s=0.1)
    series.begin(reading(0.0, 3.0))
    assert series.total is None and series.reason == "read fewer than two times"
