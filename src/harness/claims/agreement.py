"""Holds the verdicts of one's own run against those of reference runs, claim by claim, and says what differs and why.

Pure functions of two tables of verdicts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.claims.terminal import value_of
from harness.claims.verdicts import Row

Outcome = Literal["agrees", "value", "verdict", "gained", "lost", "new", "unexpected"]

TOLERANCE = 0.25
"""Relative difference of two medians of measured values: machines of one kind differ as much from day to day."""
ROUNDING = 1e-9
"""Relative difference of two simulated or computed values: they are the same on any machine."""
EXACT = re.compile(r"(simulated:[a-z0-9-]+|analytic)( [a-z]*)?")

MEANINGS: dict[Outcome, str] = {
    "agrees": "same verdict, same value within tolerance",
    "value": "same verdict, another value",
    "verdict": "another verdict, as machines and few repetitions can make",
    "gained": "tested here, not in the reference",
    "lost": "tested in the reference, not here",
    "new": "not among the reference's claims",
    "unexpected": "not expected: look at it",
}

TESTED = ("reproduced", "direction", "contradicted")
OPEN = ("undecided",)


@dataclass(frozen=True)
class Agreement:
    """One claim held against the reference: what came out, and in words why that may be."""

    id: str
    outcome: Outcome
    here: str
    reference: str
    words: str


def exact(row: Row) -> bool:
    """Returns whether a value rests on simulations or arithmetic alone."""
    parts = [part.strip() for part in re.split(r"[,;]", row.source) if part.strip()]
    return bool(parts) and all(EXACT.fullmatch(part) for part in parts)


def close(here: Row, reference: Row) -> bool:
    """Returns whether two values are the same within tolerance: their ranges, widened by it, overlap."""
    if here.value is None or reference.value is None:
        return here.value is None and reference.value is None
    width = ROUNDING if exact(here) and exact(reference) else TOLERANCE
    margin = width * max(abs(here.value), abs(reference.value))
    low, high = (
        (reference.value, reference.value)
        if reference.low is None or reference.high is None
        else (reference.low, reference.high)
    )
    mine = (here.value, here.value) if here.low is None or here.high is None else (here.low, here.high)
    return mine[0] <= high + margin and mine[1] >= low - margin


def _times(here: Row, reference: Row) -> str:
    """Returns how far apart two values are, in words; '' where a ratio says nothing."""
    if here.value is None or reference.value is None or here.value * reference.value <= 0:
        return ""
    return f"{here.value / reference.value:.2g} times the reference's"


def judge(here: Row, reference: Row) -> tuple[Outcome, str]:
    """Returns the outcome of one claim and why, in words."""
    same = here.verdict == reference.verdict
    alike = close(here, reference)
    if same and alike:
        return "agrees", ""
    if exact(here) and exact(reference) and not alike:
        return (
            "unexpected",
            "a simulated or computed number is the same on any machine at the same scale and seed",
        )
    if same and here.value is None:
        return "lost", here.reason
    if same and reference.value is None:
        return "gained", f"the reference: {reference.reason}"
    if same:
        far = _times(here, reference)
        return (
            "value",
            f"{far}: absolute values depend on the machine" if far else "the sign differs: near zero",
        )
    if here.verdict not in (*TESTED, *OPEN):
        return "lost", here.reason
    if reference.verdict not in (*TESTED, *OPEN):
        return "gained", f"the reference: {reference.reason}"
    if "undecided" in (here.verdict, reference.verdict):
        undecided = here if here.verdict == "undecided" else reference
        return "verdict", f"open {'here' if undecided is here else 'in the reference'}: {undecided.reason}"
    if "contradicted" not in (here.verdict, reference.verdict):
        return "verdict", "the effect goes the same way; its size meets the tolerance in one of them only"
    if alike:
        return "verdict", "the values agree; the claim's limit lies between them"
    return "unexpected", f"the effect goes another way ({_times(here, reference) or 'other sign'})"


def agreements(here: list[Row], reference: list[Row]) -> Iterator[Agreement]:
    """Yields one agreement a claim, in the order of one's own verdicts."""
    known = {row.id: row for row in reference}
    for row in here:
        other = known.get(row.id)
        if other is None:
            yield Agreement(row.id, "new", _said(row), "-", "the reference is of an older claim file")
            continue
        outcome, words = judge(row, other)
        yield Agreement(row.id, outcome, _said(row), _said(other), words)
    for missing in known.keys() - {row.id for row in here}:
        words = "the claim file here does not have it"
        yield Agreement(missing, "lost", "-", _said(known[missing]), words)


def _said(row: Row) -> str:
    return f"{row.verdict}, {value_of(row)}"


def summary(found: list[Agreement]) -> str:
    """Returns how many claims came out which way, in one line."""
    counts = Counter(one.outcome for one in found)
    return "; ".join(f"{counts[name]} {text}" for name, text in MEANINGS.items() if counts[name])
