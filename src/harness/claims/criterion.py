"""Do values satisfy a criterion? Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from harness.claims.model import Criterion

AGREEING = 0.75
"""Share of the values that must lie on the paper's side of a one-sided bound. With three repetitions: all three."""


def meets(value: float, criterion: Criterion) -> bool:
    """Whether one value satisfies the criterion; bounds are accepted to within rounding."""
    bound = criterion.value if criterion.value is not None else 0.0
    low = criterion.low if criterion.low is not None else 0.0
    high = criterion.high if criterion.high is not None else 0.0
    slack = 1e-9 * max(abs(bound), abs(low), abs(high))
    return {
        "<": value < bound,
        "<=": value <= bound + slack,
        ">": value > bound,
        ">=": value >= bound - slack,
        "=": abs(value - bound) <= slack,
        "between": low - slack <= value <= high + slack,
        "is true": value != 0,
    }[criterion.op]


def agreeing(values: Sequence[float], criterion: Criterion) -> int:
    """How many of the values satisfy the criterion."""
    return sum(meets(value, criterion) for value in values)


def holds(values: Sequence[float], criterion: Criterion) -> bool:
    """Whether the values as a whole satisfy the criterion.

    `is true`: all do. A range or an equality: the median does. A one-sided bound: the median and at least three of
    four values do, so that a difference which changes its sign from one repetition to the next is none.
    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values to hold against a criterion")
    if criterion.op == "is true":
        return all(value != 0 for value in values)
    if not meets(median(values), criterion):
        return False
    return criterion.op in ("between", "=") or agreeing(values, criterion) >= AGREEING * len(values)


def number(value: float) -> str:
    """A number for a sentence: four significant digits, whole numbers in full."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def accepted(criterion: Criterion) -> str:
    """The criterion in words."""
    if criterion.op == "is true":
        return "true in every case"
    if criterion.low is not None and criterion.high is not None:
        return f"{number(criterion.low)} to {number(criterion.high)}"
    return f"{criterion.op} {number(criterion.value or 0.0)}"


def finding(values: Sequence[float], criterion: Criterion) -> str:
    """What the values say about the criterion, in words: `median 0.31, accepted: < 1 (3 of 3 values)`."""
    of = f"{agreeing(values, criterion)} of {len(values)}"
    if criterion.op == "is true":
        return f"true in {of} {'case' if len(values) == 1 else 'cases'}"
    what = "value" if len(values) == 1 else "median"
    count = "" if len(values) == 1 else f" ({of} values)"
    return f"{what} {number(median(values))}, accepted: {accepted(criterion)}{count}"
