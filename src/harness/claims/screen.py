"""Sums up the verdicts of all studies on one screen: counts, what differs from a reference, and why claims stay open.

Pure functions; each returns lines of at most the width that it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from harness.claims.agreement import Agreement
from harness.claims.model import BASES, EVIDENCE, VERDICTS
from harness.claims.verdicts import Row

UNTESTED = ("not testable here", "not run")
MOST_REASONS = 5


def cut(text: str, width: int) -> str:
    """Returns a text in one line of at most `width` characters; what is left out ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def _rests_on(bases: Sequence[str]) -> Callable[[Row], bool]:
    return lambda row: row.verdict == "reproduced" and row.basis in bases


def _counted(rows: Mapping[str, list[Row]]) -> Iterator[tuple[str, list[int]]]:
    """Yields each verdict with its number of claims by study; what reproductions rest on stands below them."""
    every = [row for own in rows.values() for row in own]

    def line(words: str, holds: Callable[[Row], bool]) -> tuple[str, list[int]]:
        return words, [sum(map(holds, own)) for own in rows.values()]

    for word, one in VERDICTS.items():
        if one.always or any(row.verdict == word for row in every):
            yield line(word, lambda row, word=word: row.verdict == word)  # type: ignore[misc]
        if word == "reproduced":
            yield line("  by runs", _rests_on(EVIDENCE))
            for basis, said in BASES.items():
                if basis not in EVIDENCE and any(map(_rests_on((basis,)), every)):
                    yield line(f"  {said}", _rests_on((basis,)))


def table(rows: Mapping[str, list[Row]], compared: Mapping[str, list[Agreement]]) -> list[str]:
    """Returns verdict x study as lines with a head and totals; last, how many claims came out as in the reference."""
    total = len(rows) > 1
    body = [["verdict", *rows, *(["all"] if total else [])]]
    for word, found in _counted(rows):
        body.append([word, *map(str, found), *([str(sum(found))] if total else [])])
    if compared:
        agreeing = {study: sum(one.outcome == "agrees" for one in own) for study, own in compared.items()}
        cells = [f"{agreeing[study]}/{len(compared[study])}" if study in compared else "-" for study in rows]
        every = f"{sum(agreeing.values())}/{sum(map(len, compared.values()))}"
        body.append(["as in the reference", *cells, *([every] if total else [])])
    widths = [max(len(row[place]) for row in body) for place in range(len(body[0]))]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in body
    ]


def differing(compared: Mapping[str, list[Agreement]], width: int) -> list[str]:
    """Returns the claims that came out otherwise than expected from the reference; none where all is as expected."""
    found = [one for own in compared.values() for one in own if one.outcome == "unexpected"]
    if not found:
        return []
    lines = [f"{len(found)} not as the reference, where it was expected to be:"]
    return lines + [
        "  " + cut(f"{one.id}: here {one.here}; there {one.reference}: {one.words}", width - 2)
        for one in found
    ]


def untested(rows: Mapping[str, list[Row]], width: int) -> list[str]:
    """Returns why claims were not tested: each reason once, with the number of claims that it keeps open."""
    reasons = Counter(row.reason for own in rows.values() for row in own if row.verdict in UNTESTED)
    if not reasons:
        return []
    lines = [f"{reasons.total()} claims were not tested:"]
    common = reasons.most_common(MOST_REASONS)
    lines += [f"  {number:>3}  " + cut(reason, width - 7) for reason, number in common]
    if rest := reasons.total() - sum(number for _, number in common):
        lines.append(f"  {rest:>3}  for other reasons: the report has them")
    return lines


def screen(
    rows: Mapping[str, list[Row]], compared: Mapping[str, list[Agreement]], width: int
) -> Sequence[str]:
    """Returns all of it, with a blank line between parts."""
    parts = [table(rows, compared), differing(compared, width), untested(rows, width)]
    return [line for part in parts if part for line in (*part, "")]
