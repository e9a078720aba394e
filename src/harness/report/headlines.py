"""Writes the README's table of studies: question, answer and verdicts of our own runs, from their archive."""

from __future__ import annotations

from collections.abc import Mapping

from harness.claims.model import VERDICTS
from harness.claims.terminal import value_of
from harness.claims.verdicts import Row, counts
from harness.config import Study
from harness.core.errors import KvasirError

BEGIN, END = "<!-- verdicts: made by `make readme` -->", "<!-- end of verdicts -->"


def answer(row: Row) -> str:
    """Returns the verdict on a claim with the value found and the paper's."""
    if row.value is None:
        return f"{row.verdict}: {row.statement}"
    return f"{row.verdict}: {row.statement} Here {value_of(row)}; the paper: {row.paper}."


def table(studies: Mapping[str, Study], rows: Mapping[str, list[Row]]) -> str:
    """Returns the table as Markdown. Raises KvasirError when a study has no verdict on its key claim."""
    lines = ["| study | asks | answer by its key claim | all verdicts |", "| --- | --- | --- | --- |"]
    for name, study in studies.items():
        found = {row.id: row for row in rows[name]}
        if study.key_claim not in found:
            raise KvasirError(f"study {name}: no verdict on its key claim {study.key_claim}")
        told = counts(rows[name])
        every = ", ".join(f"{told[word]} {word}" for word in VERDICTS if word in told)
        cells = (f"`{name}`", study.question, answer(found[study.key_claim]), every)
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines)


def replaced(text: str, made: str, marks: tuple[str, str] = (BEGIN, END)) -> str:
    """Returns a text with what is between two marks replaced. Raises KvasirError when there are no marks."""
    head, begin, rest = text.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not begin or not end:
        raise KvasirError(f"expected the marks {marks[0]} and {marks[1]}")
    return f"{head}{begin}\n\n{made}\n\n{end}{tail}"
