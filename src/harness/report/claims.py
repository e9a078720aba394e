"""Formats verdicts for the page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.claims.model import BASES, VERDICTS, Wording
from harness.claims.verdicts import Row, figures_of, text_of
from harness.report import numbers

_KINDS = ("measured", "emulated", "simulated", "analytic", "model")


@dataclass(frozen=True)
class Source:
    """The source of a number. `kind` is one of measured, emulated, simulated, analytic, model, other."""

    text: str
    kind: str


@dataclass(frozen=True)
class FigureLink:
    """A figure a claim refers to; `anchor` is empty where the page does not hold it."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Claim:
    """One row of the verdict table: words to show, and the raw value of each column to sort by."""

    anchor: str
    id: str
    study: str
    tier: str
    where: str
    statement: str
    verdict: Wording
    basis: str
    """What a reproduction or a direction rests on, in words; empty for other verdicts."""
    reason: str
    explanation: str
    query: str
    """The SQL of its check; empty where it is not known."""
    value: str
    value_raw: str
    interval: str
    n: str
    unit: str
    paper: str
    paper_raw: str
    sources: tuple[Source, ...]
    figures: tuple[FigureLink, ...]

    @property
    def emulated(self) -> bool:
        """Returns whether any of the number comes from an emulated meter."""
        return any(source.kind == "emulated" for source in self.sources)

    @property
    def value_in_words(self) -> bool:
        """Returns whether the value is a text, which may wrap, and not a number."""
        return numbers.as_number(self.value_raw) is None

    @property
    def paper_in_words(self) -> bool:
        """Returns whether the paper's value is a text, which may wrap, and not a number."""
        return numbers.as_number(self.paper_raw) is None


@dataclass(frozen=True)
class VerdictCount:
    """The number of claims with a verdict, and their share of all in percent."""

    verdict: Wording
    count: int
    share: float


def sources(text: str) -> tuple[Source, ...]:
    """Returns the sources named in a cell, separated by commas, semicolons or blanks; "none" is no source."""
    names = [name for name in re.split(r"[;,\s]+", text) if name and name != "none"]
    kinds = [name.partition(":")[0] for name in names]
    return tuple(
        Source(name, kind if kind in _KINDS else "other") for name, kind in zip(names, kinds, strict=True)
    )


def anchor_of_claim(claim_id: str) -> str:
    """Returns the link target of a claim."""
    return f"claim-{re.sub(r'[^A-Za-z0-9._-]', '-', claim_id)}"


def anchor_of_figure(study: str, figure: str) -> str:
    """Returns the link target of a figure; also the scope of its ids and styles, hence without dots."""
    return f"fig-{study}-{figure}".replace(".", "-")


def claim(row: Row, figures: dict[str, str], query: str = "") -> Claim:
    """Returns one row of a verdict table; `figures` are the titles of the study's figures on the page, by id.

    `query`: the SQL of its check.
    """
    study = row.study
    links = [
        FigureLink(figure, anchor_of_figure(study, figure) if figure in figures else "")
        for figure in figures_of(row)
    ]
    return Claim(
        anchor=anchor_of_claim(row.id),
        id=row.id,
        study=study,
        tier=str(row.tier),
        where=row.where,
        statement=row.statement,
        verdict=VERDICTS[row.verdict],
        basis=BASES[row.basis] if row.basis and row.verdict in ("reproduced", "direction") else "",
        reason=row.reason,
        explanation=row.explanation,
        query=query.strip(),
        value="" if row.value is None else numbers.number(row.value),
        value_raw=text_of(row.value),
        interval=numbers.interval(text_of(row.low), text_of(row.high)) if row.n > 1 else "",
        n=numbers.number(row.n),
        unit=numbers.unit(row.unit),
        paper=numbers.cell(row.paper),
        paper_raw=row.paper,
        sources=sources(row.source),
        figures=tuple(links),
    )


def counts(claims: list[Claim]) -> list[VerdictCount]:
    """Returns claims per verdict, in the order of the verdicts; also those that no claim has."""
    return [
        VerdictCount(verdict, n, 100 * n / len(claims) if claims else 0.0)
        for verdict in VERDICTS.values()
        for n in [sum(one.verdict is verdict for one in claims)]
        if verdict.always or n
    ]
