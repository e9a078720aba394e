"""Holds the values of a check against a criterion: it holds, it fails, or the values cannot tell. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import comb
from statistics import median
from typing import Literal

from harness.claims.model import Criterion
from harness.claims.observe import Sample
from harness.core.numbers import number

Outcome = Literal["holds", "fails", "undecided"]

AGREEING = 0.75
"""Share of a scenario's values that must satisfy the criterion, beside the interval of their median."""
LEAST = 3
"""Repetitions below which their own spread says little: two differ by chance as often as not."""
COVERAGE = 0.95
"""Probability with which an interval contains the median, where there are values enough: from six on."""


def meets(value: float, criterion: Criterion) -> bool:
    """Returns whether one value satisfies the criterion; bounds are accepted to within rounding."""
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


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Returns the interval of the median by order statistics, which assumes nothing of the values' distribution.

    The narrowest symmetric one with COVERAGE; the whole range where there are too few values for that: it then covers
    the median with probability 1 - 2^(1-n), 75 % with three values.
    """
    ordered = sorted(values)
    n = len(ordered)
    below = accumulate(comb(n, k) / 2**n for k in range(n))
    cut = max((k for k, share in enumerate(below) if 1 - 2 * share >= COVERAGE), default=0)
    return ordered[cut], ordered[n - 1 - cut]


def widened(values: Sequence[float], criterion: Criterion, repetitions: int = 1) -> tuple[float, float]:
    """Returns the interval of the median, the wider by the criterion's spread with fewer than LEAST repetitions."""
    low, high = interval(values)
    spread = criterion.spread if max(len(values), repetitions) < LEAST else 0.0
    return low - spread, high + spread


def scenarios(samples: Iterable[Sample]) -> dict[str, list[float]]:
    """Returns the values by label: those of one scenario are its repetitions."""
    found: dict[str, list[float]] = {}
    for sample in samples:
        found.setdefault(sample.label, []).append(sample.value)
    return found


def outcome_of(
    values: Sequence[float], criterion: Criterion, least: int = 1, repetitions: int = 1
) -> Outcome:
    """Returns the outcome of one scenario.

    With fewer than `least` values it is undecided, unless each joins as many `repetitions`. `is true` holds when all
    values are true, else it fails: each value is an answer, not a sample. Any other criterion holds when the interval
    of the median lies inside it and at least AGREEING of the values do, fails when the interval lies outside, and is
    undecided in between. With fewer than LEAST the interval is the wider by the criterion's spread. Raises ValueError
    without values.
    """
    if not values:
        raise ValueError("no values to hold against a criterion")
    if max(len(values), repetitions) < least:
        return "undecided"
    if criterion.op == "is true":
        return "holds" if all(values) else "fails"
    low, high = widened(values, criterion, repetitions)
    inside = [meets(end, criterion) for end in (low, high)]
    if all(inside):
        agree = sum(meets(value, criterion) for value in values)
        return "holds" if agree >= AGREEING * len(values) else "undecided"
    if any(inside) or (criterion.op in ("between", "=") and _around(low, high, criterion)):
        return "undecided"
    return "fails"


def _around(low: float, high: float, criterion: Criterion) -> bool:
    """Returns whether a range of accepted values lies between the ends of an interval."""
    floor = criterion.low if criterion.low is not None else criterion.value
    return floor is not None and low < floor < high


def outcome(samples: Sequence[Sample], criterion: Criterion, least: int = 1, repetitions: int = 1) -> Outcome:
    """Returns the outcome over all scenarios: it holds in each, fails in one, or one is undecided and none fails."""
    if not samples:
        raise ValueError("no values to hold against a criterion")
    found = {outcome_of(values, criterion, least, repetitions) for values in scenarios(samples).values()}
    return next(word for word in ("fails", "undecided", "holds") if word in found)


def accepted(criterion: Criterion) -> str:
    """Returns the criterion in words."""
    if criterion.op == "is true":
        return "true in every case"
    if criterion.low is not None and criterion.high is not None:
        return f"{number(criterion.low)} to {number(criterion.high)}"
    return f"{criterion.op} {number(criterion.value or 0.0)}"


def finding(samples: Sequence[Sample], criterion: Criterion, least: int = 1, repetitions: int = 1) -> str:
    """Returns the values against the criterion in words: `median 0.31, accepted: < 1 (3 of 3 values)`.

    Over several scenarios the count is theirs; of an undecided outcome it says why nothing can be told.
    """
    values = [sample.value for sample in samples]
    of = scenarios(samples)
    if criterion.op == "is true":
        told = f"true in {sum(map(bool, values))} of {len(values)} {'case' if len(values) == 1 else 'cases'}"
        return told + _doubt(of, criterion, least, repetitions)
    told = f"{'value' if len(values) == 1 else 'median'} {number(median(values))}, accepted: {accepted(criterion)}"
    if len(of) > 1:
        good = sum(outcome_of(one, criterion, least, repetitions) == "holds" for one in of.values())
        told += f" (in {good} of {len(of)} scenarios)"
    elif len(values) > 1:
        told += f" ({sum(meets(value, criterion) for value in values)} of {len(values)} values)"
    return told + _doubt(of, criterion, least, repetitions)


def _doubt(of: dict[str, list[float]], criterion: Criterion, least: int, repetitions: int) -> str:
    """Returns why scenarios are undecided, to end a sentence with; '' where none is."""
    doubtful = [
        label for label, one in of.items() if outcome_of(one, criterion, least, repetitions) == "undecided"
    ]
    if not doubtful:
        return ""
    values = of[doubtful[0]]
    where = f"{doubtful[0]}: " if doubtful[0] else ""
    if max(len(values), repetitions) < least:
        return f"; {where}{len(values)} of at least {least} repetitions"
    low, high = widened(values, criterion, repetitions)
    known = f" with a spread of {number(criterion.spread)}" if (low, high) != interval(values) else ""
    return f"; {where}the median's interval{known}, {number(low)} to {number(high)}, includes both sides"
