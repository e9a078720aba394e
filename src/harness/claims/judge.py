"""Derives the verdict on a claim from the values of its checks. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from harness.claims.criterion import LEAST, Outcome, accepted, finding, meets, outcome
from harness.claims.model import Basis, Claim, Criterion, Verdict
from harness.claims.observe import ANALYTIC, Gap, Observed, Sample
from harness.core.numbers import number

PAPER_SCALE = "paper-scale"
"""The tag that makes a claim's `scaled` text unnecessary."""
NETWORKS = "infiniband"
"""The tag of claims that two networks decide."""
MOST_LABELS = 6
"""Readings that a reason lists one by one."""
MODEL = "model"
"""Kind of source of values that a model makes of what runs measured."""
EFFECTS = ("number", "ratio", "ordering", "shape")
"""Kinds of claims about the size of an effect, as against what a program can do."""
WEAKER: dict[Outcome, Verdict] = {"holds": "direction", "fails": "contradicted", "undecided": "undecided"}
"""The verdict by the outcome of a direction."""


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


def basis(claim: Claim, observed: Observed) -> Basis:
    """Returns what a verdict on these values rests on. Measured and simulated values together are measured ones."""
    if claim.about != "effect":
        return claim.about
    kinds = {source.partition(":")[0] for source in observed.source.split("; ")}
    if kinds == {ANALYTIC}:
        return "arithmetic"
    # What a model makes of measured values is no measurement.
    return "simulated" if kinds <= {"simulated", ANALYTIC} or MODEL in kinds else "measured"


def least(claim: Claim, observed: Observed) -> int:
    """Returns the fewest repetitions that decide a claim: LEAST for sizes of an effect by measured runs, else 1."""
    if claim.least is not None:
        return claim.least
    measured = basis(claim, observed) == "measured" or f"{MODEL}:" in observed.source
    return LEAST if claim.kind in EFFECTS and measured else 1


def _why_no_more(claim: Claim, main: Observed, lacking: Sequence[str]) -> str:
    """Returns the reason why a check with values is no literal reproduction, to begin a text with."""
    if main.gap is not None:
        return main.gap.reason
    if lacking:
        return _needs(lacking)
    return (
        f"the paper's own value: {finding(main.samples, claim.literal, least(claim, main), main.repetitions)}"
    )


def decide(claim: Claim, seen: Observations, lacking: Sequence[str]) -> Judged:
    """Returns the verdict by evidence alone: literal check, then the directions in turn, then why there is none."""
    main = seen.main
    literal = None
    if main.gap is None and not lacking:
        literal = outcome(main.samples, claim.literal, least(claim, main), main.repetitions)
        if literal == "holds":
            reason = finding(main.samples, claim.literal, least(claim, main), main.repetitions)
            return Judged("reproduced", reason, main, claim.unit)
    for direction, own in zip(claim.direction, seen.directions, strict=True):
        observed = own or main
        if observed.gap is not None:
            continue
        enough = least(claim, observed)
        way = f"by a proxy, {direction.proxy}" if direction.proxy else "direction"
        words = f"{way}: {finding(observed.samples, direction, enough, observed.repetitions)}"
        unit = claim.unit if direction.unit is None else direction.unit
        reason = f"{_why_no_more(claim, main, lacking)}; {words}"
        return Judged(
            WEAKER[outcome(observed.samples, direction, enough, observed.repetitions)], reason, observed, unit
        )
    if main.gap is not None:
        return Judged(main.gap.verdict, main.gap.reason, main, claim.unit)
    if literal is None:
        return Judged("not testable here", _needs(lacking), main, claim.unit)
    reason = finding(main.samples, claim.literal, least(claim, main), main.repetitions)
    return Judged("undecided" if literal == "undecided" else "contradicted", reason, main, claim.unit)


def readings(samples: Sequence[Sample], expected: Criterion) -> str:
    """Returns the recomputed numbers with their labels, and the range that was expected, in words."""
    told = [f"{number(s.value)} ({s.label})" if s.label else number(s.value) for s in samples[:MOST_LABELS]]
    return f"computed {', '.join(told)}; expected {accepted(expected)}"


def judge(claim: Claim, seen: Observations, tags: set[str]) -> Judged:
    """Returns the verdict on a claim; `tags` are those that hold here, on which a literal check may rely."""
    lacking = [tag for tag in claim.needs if tag not in tags]
    if claim.construction is not None and lacking:
        return Judged(
            "not testable here",
            f"{_needs(lacking)}; here it holds by construction: {claim.construction}",
            seen.main,
            claim.unit,
        )
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


def explanation(claim: Claim, judged: Judged, tags: set[str], rates: Collection[float] = ()) -> str:
    """Returns the report's text beside a verdict: the claim's note, its word on this verdict, and on the scale.

    `rates` are those of emulated links, Mbit/s, which a claim about networks is told with.
    """
    parts = [claim.note, claim.explain.get(judged.verdict)]
    if PAPER_SCALE not in tags:
        parts.append(claim.scaled)
    if rates and NETWORKS in claim.needs and NETWORKS not in tags and judged.observed.values:
        parts.append(f"Emulated links, limited to {' and '.join(map(number, sorted(rates)))} Mbit/s.")
    return " ".join(" ".join(part.split()) for part in parts if part)


__all__ = ["Gap", "Judged", "Observations", "basis", "explanation", "judge"]
