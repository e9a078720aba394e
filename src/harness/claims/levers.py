"""Sets the effects of all studies beside each other: what is left of time and energy. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.claims.model import Claim
from harness.claims.verdicts import Row
from harness.config.levers import Effect, Lever
from harness.core.errors import KvasirError

COLUMNS = (
    "lever",
    "label",
    "study",
    "quantity",
    "claim",
    "verdict",
    "value",
    "low",
    "high",
    "n",
    "source",
    "paper_low",
    "paper_high",
    "note",
)


def _of_paper(effect: Effect, claim: Claim) -> tuple[float | None, float | None]:
    """Returns the range that the paper states, as what is left; twice the same for one value."""
    paper = claim.paper
    stated = (paper.low, paper.high) if paper.value is None else (paper.value,)
    left = [effect.left(end) for end in stated if end is not None]
    return (min(left), max(left)) if left else (None, None)


def _of_runs(effect: Effect, row: Row | None) -> tuple[float | None, float | None, float | None]:
    """Returns what was left in the runs: median, least and greatest; None without evidence."""
    if row is None or row.value is None or row.low is None or row.high is None or "emulated:" in row.source:
        return None, None, None
    if effect.reads == "times less" and row.low <= 0:
        raise KvasirError(f"{row.id}: {row.low} times less is no share; expected a number above 0")
    ends = effect.left(row.low), effect.left(row.high)
    return effect.left(row.value), min(ends), max(ends)


def effects(
    levers: Mapping[str, Lever], claims: Mapping[str, Claim], rows: Mapping[str, Row]
) -> Iterator[dict[str, object]]:
    """Yields a row for each effect with what is left of its quantity: here, and by the paper.

    `rows`: verdicts by claim; a study without verdicts has none. Raises KvasirError for a claim that does not exist.
    """
    for name, lever in levers.items():
        for quantity, effect in (("time", lever.time), ("energy", lever.energy)):
            if effect is None:
                continue
            if effect.claim not in claims:
                raise KvasirError(f"levers: {name}.{quantity}.claim: no claim is called {effect.claim!r}")
            row = rows.get(effect.claim)
            value, low, high = _of_runs(effect, row)
            paper_low, paper_high = _of_paper(effect, claims[effect.claim])
            cells = (
                name,
                lever.label,
                lever.study,
                quantity,
                effect.claim,
                row.verdict if row else "not run",
                value,
                low,
                high,
                row.n if row else 0,
                row.source if row else "",
                paper_low,
                paper_high,
                row.explanation if row else "",
            )
            yield dict(zip(COLUMNS, cells, strict=True))
