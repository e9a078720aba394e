"""Sums up the verdicts of all studies on one screen: counts, what differs from a reference, and why claims stay open.

Pure functions; each returns lines of at most the width that it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.claims.agreement import Agreement
from harness.claims.model import VERDICTS
from harness.claims.verdicts import Row, counts

UNTESTED = ("not testable here", "not run")
SHORT = {
    "paper inconsistent": "inconsistent",
    "not testable here": "untestable",
    "check failed": "check failed",
}
"""Heads of columns, where they are not the verdict."""
MOST_REASONS = 8


def cut(text: str, width: int) -> str:
    """Returns a text in one line of at most `width` characters; what is left out ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def table(rows: Mapping[str, list[Row]], compared: Mapping[str, list[Agreement]]) -> list[str]:
    """Returns study x verdict as lines with a head and a total; last, how many claims came out as in the reference."""
    words = [
        word for word, one in VERDICTS.items() if one.always or any(word in counts(r) for r in rows.values())
    ]
    heads = ["study", *(SHORT.get(word, word) for word in words)]
    body = []
    for study, mine in rows.items():
        found = counts(mine)
        body.append([study, *(str(found.get(word, 0)) for word in words)])
    if len(body) > 1:
        body.append(["all", *(str(sum(int(row[place]) for row in body)) for place in range(1, len(heads)))])
    if compared:
        heads.append("as in reference")
        every = [one for found in compared.values() for one in found]
        for row in body:
            own = every if row[0] == "all" else compared.get(row[0], [])
            row.append(f"{sum(one.outcome == 'agrees' for one in own)} of {len(own)}" if own else "-")
    widths = [max(len(row[place]) for row in [heads, *body]) for place in range(len(heads))]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [heads, *body]
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
