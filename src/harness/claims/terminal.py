"""Prints verdicts as a table on a terminal, or as plain lines where the output is none."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.claims.model import VERDICTS
from harness.claims.verdicts import Row, counts, headline
from harness.core.numbers import number


def mark_of(row: Row) -> str:
    """Returns what follows a value that is only emulated; '' for others."""
    return " (emulated)" if "emulated:" in row.source else ""


def value_of(row: Row) -> str:
    """Returns median, interval, unit and count in a few characters, with a mark where they are only emulated."""
    if row.value is None:
        return "-"
    unit = "" if row.unit in ("", "1") else f" {row.unit}"
    spread = ""
    if row.low is not None and row.high is not None and row.n > 1:
        spread = f" [{number(row.low)}, {number(row.high)}] n={row.n}"
    return f"{number(row.value)}{unit}{spread}{mark_of(row)}"


def summary(rows: list[Row]) -> str:
    """Returns the counts per verdict in one line, zeros included, and of checks that failed if there are any."""
    found = counts(rows)
    return ", ".join(
        f"{found.get(one.word, 0)} {one.word}" for one in VERDICTS.values() if one.always or one.word in found
    )


def plain_lines(rows: list[Row]) -> Iterator[str]:
    """Yields one line a claim: id, verdict, value, reason, with tabs between."""
    for row in rows:
        yield "\t".join((row.id, row.verdict, value_of(row), row.reason))


def rich_table(rows: list[Row]) -> Table:
    """Returns the verdicts as a table as wide as the terminal, one line a claim; long texts end in an ellipsis."""
    table = Table(
        title=f"Verdicts: study {rows[0].study}" if rows else None, title_justify="left", expand=True
    )
    widths = {
        "claim": max((len(row.id) for row in rows), default=0),
        "verdict": 18,
        "here": 26,
        "the paper": 16,
    }
    for name, width in widths.items():
        table.add_column(name, no_wrap=True, width=width)
    table.add_column("statement", no_wrap=True, ratio=1)
    for row in rows:
        style = VERDICTS[row.verdict].colour
        cells = (value_of(row), row.paper, row.statement)
        table.add_row(row.id, f"[{style}]{row.verdict}[/{style}]", *(escape(cell) for cell in cells))
    return table


def show(rows: list[Row], console: Console) -> None:
    """Print the verdicts of one study and how many there are of each."""
    if console.is_terminal:
        console.print(rich_table(rows))
    else:
        console.file.writelines(
            f"{line}\n" for line in plain_lines(rows)
        )  # the console would expand the tabs
    name = rows[0].study if rows else "no claims"
    console.out(f"{name}: {len(rows)} claims: {summary(rows)}", highlight=False)
    console.out(f"{name}: {headline(rows)}", highlight=False)
