"""Numbers for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.25, "0.25"), (1.2003, "1.20"), (999.6, "1,000"), (12345.67, "12,300"), (-3.14159, "−3.14"),
        (5000, "5,000"), (41666688, "41,666,688"), (0.00012345, "0.000123"), (9.999, "10.0"), (1e-7, "1.00 × 10⁻⁷"),
        (1.5e20, "1.50 × 10²⁰"), (float("inf"), "∞"), (float("nan"), "not a number"),
    ],
)  # fmt: skip
def test_number(value: float, text: str) -> None:
    assert numbers.number(value) == text


@given(st.floats(min_value=1e-4, max_value=1e14))
def test_a_shown_number_is_within_half_a_percent_of_the_real_one(value: float) -> None:
    shown = float(numbers.number(value).replace(",", ""))
    assert abs(shown - value) <= 0.005 * value * (1 + 1e-9)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (0.05, "0.05 s"), (0.84, "0.84 s"), (9.999, "10.0 s"), (12.34, "12.3 s"), (59.96, "1 min 00 s"),
        (61, "1 min 01 s"), (3599.7, "1 h 00 min"), (7384, "2 h 03 min"),
    ],
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


def test_size_and_count() -> None:
    assert numbers.size(16 * 2**30) == "16 GiB"
    assert numbers.size(812.34 * 2**20) == "812 MiB"
    assert numbers.size(1000) == "1,000 bytes"
    assert [numbers.count(n, "run") for n in (0, 1, 1200)] == ["0 runs", "1 run", "1,200 runs"]
    assert numbers.count(2, "study", "studies") == "2 studies"


def test_interval_and_cells() -> None:
    assert numbers.interval("1.23456", "2") == "1.23 … 2"
    assert numbers.interval("", "") == ""
    assert numbers.interval("1", "") == "1 … ?"
    assert numbers.cell("almost twice") == "almost twice"
    assert numbers.unit("1") == ""
    assert numbers.unit("W") == "W"
