from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.rapl import CounterBroken, Unwrapper


@given(
    range_uj=st.integers(2, 2**40),
    start=st.integers(0, 2**40),
    steps=st.lists(st.floats(0, 0.999), max_size=50),
)
def test_sum_of_steps_survives_any_number_of_turns(range_uj: int, start: int, steps: list[float]) -> None:
    true_uj = start % range_uj
    counter = Unwrapper(true_uj, range_uj, max_w=1e12, now=0.0)
    begin, turns = true_uj, 0
    for index, share in enumerate(steps):
        before = true_uj
        true_uj += int(share * range_uj)
        turns += true_uj // range_uj - before // range_uj
        joules = counter.add(true_uj % range_uj, float(index + 1))
        assert joules == pytest.approx((true_uj - begin) / 1e6, rel=1e-12)
    assert counter.wraps == turns


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**9), min_size=1, max_size=20))
def test_joules_never_fall(start: int, values: list[int]) -> None:
    counter = Unwrapper(start % 10**9, 10**9, max_w=1e12, now=0.0)
    seen = [counter.add(value, float(i + 1)) for i, value in enumerate(values)]
    assert seen == sorted(seen)


@pytest.mark.parametrize("range_uj", [0, -1])
def test_a_zone_without_range_counts_nothing(range_uj: int) -> None:
    with pytest.raises(CounterBroken, match="does not count energy"):
        Unwrapper(0, range_uj, 1000.0, 0.0)


def test_one_torn_read_is_passed_over() -> None:
    counter = Unwrapper(50_000_000, 10**12, max_w=500.0, now=0.0)
    assert counter.add(3, 0.1) == 0.0
    assert counter.add(60_000_000, 0.2) == pytest.approx(10.0)
    assert counter.rejected == 1


def test_a_counter_that_was_reset_is_broken_not_guessed() -> None:
    counter = Unwrapper(50_000_000, 10**12, max_w=500.0, now=0.0)
    counter.add(3, 0.1)
    with pytest.raises(CounterBroken, match="jumped from 50000000 to 10"):
        counter.add(10, 0.2)
