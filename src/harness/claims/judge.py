"""Derives the verdict on a claim from the values of its checks. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from harness.claims.model import Claim, Criterion, Verdict
from harness.claims.observe import Gap, Observed, Sample
from harness.core.numbers import number

PAPER_SCALE = "paper-scale"
"""The tag that makes a claim's `scaled` text unnecessary."""
MOST_LABELS = 6
"""Readings that a reason lists one by one."""


@dataclass(frozen=True)
class Observations:
    """The values of one claim's checks. `directions` follows the claim's; None where one uses the claim's own check."""

    main: Observed
    directions: tuple[Observed | None, ...] = ()
    inconsistent: Observed | None = None


@dataclass(frozen=True)
class Judged:
    """A verdict, why, and the values that decided it."""

    verdict: Verdict
    reason: str
    observed: Observed
    unit: str


def _needs(lacking: Sequence[str]) -> str:
    return f"a literal check needs {' and '.join(lacking)}"


def _why_no_more(claim: Claim, main: Observed, lacking: Sequence[str]) -> str:
    """Returns the reason why a check with values is no literal reproduction, to begin a text with."""
    if main.gap is not None:
        return main.gap.reason
    if lacking:
        return _needs(lacking)
    return f"the paper's own value: {finding(main.values, claim.literal)}"


def decide(claim: Claim, seen: Observations, lacking: Sequence[str]) -> Judged:
    """Returns the verdict by evidence alone: literal check, then the directions in turn, then why there is none."""
    main = seen.main
    if main.gap is None and not lacking and holds(main.values, claim.literal):
        return Judged("reproduced", finding(main.values, claim.literal), main, claim.unit)
    for direction, own in zip(claim.direction, seen.directions, strict=True):
        observed = own or main
        if observed.gap is not None:
            continue
        words = f"direction: {finding(observed.values, direction)}"
        if direction.proxy:
            words = f"by a proxy, {direction.proxy}: {finding(observed.values, direction)}"
        unit = claim.unit if direction.unit is None else direction.unit
        reason = f"{_why_no_more(claim, main, lacking)}; {words}"
        verdict: Verdict = "direction" if holds(observed.values, direction) else "contradicted"
        return Judged(verdict, reason, observed, unit)
    if main.gap is not None:
        return Judged(main.gap.verdict, main.gap.reason, main, claim.unit)
    if lacking:
        return Judged("not testable here", _needs(lacking), main, claim.unit)
    return Judged("contradicted", finding(main.values, claim.literal), main, claim.unit)


def readings(samples: Sequence[Sample], expected: Criterion) -> str:
    """Returns the recomputed numbers with their labels, and the range that was expected, in words."""
    told = [f"{number(s.value)} ({s.label})" if s.label else number(s.value) for s in samples[:MOST_LABELS]]
    return f"computed {', '.join(told)}; expected {accepted(expected)}"


def judge(claim: Claim, seen: Observations, tags: set[str]) -> Judged:
    """Returns the verdict on a claim; `tags` are those that hold here, on which a literal check may rely."""
    lacking = [tag for tag in claim.needs if tag not in tags]
    own = decide(claim, seen, lacking)
    against = seen.inconsistent
    if claim.inconsistent is None or against is None or not against.values:
        return own
    expected = claim.inconsistent.expected
    if any(meets(value, expected) for value in against.values):
        return own
    reason = f"{claim.inconsistent.text}: {readings(against.samples, expected)}"
    if own.observed.source == against.source and own.observed.values:
        return Judged("paper inconsistent", reason, own.observed, own.unit)
    alone = f"the claim alone would read {own.verdict} ({own.reason})"
    return Judged("paper inconsistent", f"{reason}. By what was run here, {alone}", own.observed, own.unit)


def explanation(claim: Claim, judged: Judged, tags: set[str]) -> str:
    """Returns the report's text beside a verdict: the claim's note, its word on this verdict, and on the scale."""
    parts = [claim.note, claim.explain.get(judged.verdict)]
    if PAPER_SCALE not in tags:
        parts.append(claim.scaled)
    return " ".join(" ".join(part.split()) for part in parts if part)


__all__ = ["Gap", "Judged", "Observations", "explanation", "judge"]

AGREEING = 0.75
"""Share of the values that must lie on the paper's side of a one-sided bound. With three repetitions: all three."""


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


def agreeing(values: Sequence[float], criterion: Criterion) -> int:
    """Returns the number of values that satisfy the criterion."""
    return sum(meets(value, criterion) for value in values)


def holds(values: Sequence[float], criterion: Criterion) -> bool:
    """Returns whether the values as a whole satisfy the criterion.

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


def accepted(criterion: Criterion) -> str:
    """Returns the criterion in words."""
    if criterion.op == "is true":
        return "true in every case"
    if criterion.low is not None and criterion.high is not None:
        return f"{number(criterion.low)} to {number(criterion.high)}"
    return f"{criterion.op} {number(criterion.value or 0.0)}"


def finding(values: Sequence[float], criterion: Criterion) -> str:
    """Returns the values against the criterion, in words: `median 0.31, accepted: < 1 (3 of 3 values)`."""
    of = f"{agreeing(values, criterion)} of {len(values)}"
    if criterion.op == "is true":
        return f"true in {of} {'case' if len(values) == 1 else 'cases'}"
    what = "value" if len(values) == 1 else "median"
    count = "" if len(values) == 1 else f" ({of} values)"
    return f"{what} {number(median(values))}, accepted: {accepted(criterion)}{count}"
