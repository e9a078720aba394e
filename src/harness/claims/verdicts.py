"""Writes and reads the verdict table, one checked row a claim, as CSV and JSON."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import model_validator

from harness.claims.files import Broken
from harness.claims.judge import Judged, basis, explanation
from harness.claims.model import BASES, EVIDENCE, VERDICTS, Basis, Claim, Verdict
from harness.config.load import parse
from harness.core.errors import KvasirError
from harness.core.files import replacing, write_text
from harness.core.models import Strict
from harness.core.rows import as_number, read_rows


class Row(Strict):
    """One verdict. `value` is the median, `low` and `high` the least and the greatest of `n` values."""

    id: str
    study: str
    tier: int
    where: str
    statement: str
    verdict: Verdict
    basis: Basis | None
    """What the verdict rests on; None without values."""
    reason: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str
    paper: str
    source: str
    figure: str
    explanation: str

    @model_validator(mode="after")
    def _verdict_fits_its_numbers(self) -> Row:
        judged = self.verdict in ("reproduced", "direction", "undecided", "contradicted")
        if judged and (self.n < 1 or "emulated:" in self.source):
            raise ValueError(f"{self.id}: verdict '{self.verdict}' on {self.n} values from {self.source}")
        if not judged and not self.reason:
            raise ValueError(f"{self.id}: verdict '{self.verdict}' without a reason")
        if (self.n == 0) != (self.value is None):
            raise ValueError(f"{self.id}: {self.n} values and value {self.value}")
        return self


COLUMNS = tuple(Row.model_fields)


def row_of(study: str, claim: Claim, judged: Judged, tags: set[str], rates: Collection[float] = ()) -> Row:
    """Returns the row of a judged claim; `rates`: of the emulated links of its runs, Mbit/s."""
    values = judged.observed.values
    return Row(
        id=claim.id,
        study=study,
        tier=claim.tier,
        where=claim.where,
        statement=claim.statement,
        verdict=judged.verdict,
        basis=basis(claim, judged.observed) if values else None,
        reason=judged.reason,
        value=median(values) if values else None,
        low=min(values, default=None),
        high=max(values, default=None),
        n=len(values),
        unit=judged.unit,
        paper=claim.paper.text,
        source=judged.observed.source,
        figure=claim.figure,
        explanation=explanation(claim, judged, tags, rates),
    )


def row_of_broken(study: str, broken: Broken, judged: Judged) -> Row:
    """Returns the row of an invalid entry, with the fields that can be read."""
    entry = broken.entry
    paper = entry.get("paper")
    words = {name: str(entry.get(name) or "") for name in ("where", "statement", "figure")}
    return Row(
        id=broken.id,
        study=study,
        tier=entry["tier"] if isinstance(entry.get("tier"), int) else 1,
        verdict=judged.verdict,
        basis=None,
        reason=judged.reason,
        value=None,
        low=None,
        high=None,
        n=0,
        unit="",
        paper=str(paper.get("text") or "") if isinstance(paper, dict) else "",
        source=judged.observed.source,
        explanation="",
        **words,
    )


def counts(rows: list[Row]) -> dict[str, int]:
    """Returns the number of claims by verdict."""
    return dict(Counter(row.verdict for row in rows))


def headline(rows: list[Row]) -> str:
    """Returns the number of claims that runs reproduced, and apart from it those without evidence of runs."""
    found = Counter(row.basis for row in rows if row.verdict == "reproduced")
    runs = ", ".join(f"{found[name]} {BASES[name]}" for name in EVIDENCE)
    named = [name for name in BASES if name not in EVIDENCE and (found[name] or name != "calibration")]
    *rest, last = [f"{found[name]} as {BASES[name]}" for name in named]
    apart = f"{', '.join(rest)} and {last}"
    return f"{sum(found[name] for name in EVIDENCE)} reproduced by runs ({runs}); apart from these {apart}"


def figures_of(row: Row) -> list[str]:
    """Returns the ids of the study's figures that a claim refers to."""
    return [name.removeprefix(f"{row.study}/") for name in re.split(r"[;,\s]+", row.figure) if name]


def text_of(value: object) -> str:
    """Returns a field of a row as its cell."""
    return f"{value:.12g}" if isinstance(value, float) else "" if value is None else str(value)


def write_csv(rows: list[Row], path: Path) -> None:
    """Write the table; nothing appears under `path` unless it is whole. Raises KvasirError."""
    with replacing(path) as scratch, scratch.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([text_of(getattr(row, name)) for name in COLUMNS] for row in rows)


def write_json(rows: list[Row], judged: list[Judged], tags: set[str], path: Path) -> None:
    """Write the table with every single value; nothing appears under `path` unless it is whole."""
    claims: list[dict[str, Any]] = [
        {
            **row.model_dump(),
            "values": [{"value": s.value, "label": s.label} for s in one.observed.samples],
        }
        for row, one in zip(rows, judged, strict=True)
    ]
    data = {"format": 1, "tags": sorted(tags), "counts": counts(rows), "claims": claims}
    write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", path)


def read_csv(path: Path, study: str | None = None) -> list[Row]:
    """Returns the rows of a verdict table, in the order of the file; `study` is the one that all claims must be of.

    Raises KvasirError naming the file, and the line where there is one.
    """
    rows: list[Row] = []
    for line, cells in read_rows(path, "the table of verdicts", COLUMNS):
        if cells["verdict"] not in VERDICTS:
            raise KvasirError(
                f"{path}: line {line}: unknown verdict '{cells['verdict']}'; known: {', '.join(VERDICTS)}"
            )
        if study is not None and cells["study"] != study:
            raise KvasirError(
                f"{path}: line {line}: a claim of study '{cells['study']}' among those of '{study}'"
            )
        if not cells["id"] or any(row.id == cells["id"] for row in rows):
            raise KvasirError(f"{path}: line {line}: claim id '{cells['id']}' is empty or given twice")
        numbers = {name: as_number(cells, name, path, line) for name in ("value", "low", "high", "tier", "n")}
        found = {**cells, **numbers, "basis": cells["basis"] or None}
        rows.append(parse(Row, found, f"{path}: line {line}"))
    return rows
