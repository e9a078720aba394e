"""Compares two folders of results: of two machines, two sites, or programs of images and of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from harness.claims.terminal import value_of
from harness.claims.verdicts import Row, read_csv
from harness.core.errors import KvasirError

Kind = Literal["table", "columns", "numbers", "verdict"]
VALUE = "value"
NO_KEY = {VALUE, "order"}
"""All other columns of a table, and the row's place among rows with the same, tell one number from another."""
PLACE = "place"
EXACT = r"^(simulated:|analytic)"
"""Sources whose numbers are the same on any machine, unlike those of clocks and counters."""


@dataclass(frozen=True)
class Difference:
    """One difference: its kind, its place, and the value of either folder."""

    kind: Kind
    where: str
    one: str
    other: str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The differences between two folders, and the number of values compared."""

    tables: int
    exact: int
    """Numbers that have to be the same on any machine."""
    verdicts: int
    differences: list[Difference]

    def of(self, *kinds: Kind) -> list[Difference]:
        """Returns the differences of these kinds."""
        return [difference for difference in self.differences if difference.kind in kinds]


def _table(path: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise KvasirError(f"{path}: not a table of results: {str(error).splitlines()[0]}") from None


def exact_numbers(table: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Returns the rows of a table whose value (as text) is the same on any machine, by `key` and place."""
    if not {VALUE, "source"} <= set(table.columns):
        return pl.DataFrame(schema=dict.fromkeys([*key, VALUE], pl.String) | {PLACE: pl.Int64})
    found = table.filter(pl.col("source").str.contains(EXACT))
    return found.select(*key, VALUE, pl.int_range(pl.len()).over(key).alias(PLACE))


def numbers(name: str, one: pl.DataFrame, other: pl.DataFrame, key: list[str]) -> Iterator[Difference]:
    """Yields exact numbers that differ, or that only one folder has."""
    both = one.join(other, on=[*key, PLACE], how="full", coalesce=True, nulls_equal=True)
    unequal = both.filter(~pl.col(VALUE).eq_missing(pl.col(f"{VALUE}_right")))
    for row in unequal.iter_rows(named=True):
        where = " ".join([f"{name}:", *(row[column] for column in key if row[column])])
        yield Difference("numbers", where, row[VALUE] or "none", row[f"{VALUE}_right"] or "none")


def verdicts(one: list[Row], other: list[Row]) -> Iterator[Difference]:
    """Yields claims whose verdicts differ, or that only one folder has."""

    def text(row: Row | None) -> str:
        return "none" if row is None else f"{row.verdict}, {value_of(row)}"

    first, second = ({row.id: row for row in rows} for rows in (one, other))
    for name in first | second:
        found = first.get(name), second.get(name)
        if len({row.verdict if row else None for row in found}) > 1:
            yield Difference("verdict", name, *map(text, found))


@dataclass(frozen=True)
class Results:
    """The tables and verdicts of a folder results/<scale>, by the name of their file."""

    tables: dict[str, pl.DataFrame]
    claims: dict[str, list[Row]]


def read_results(folder: Path) -> Results:
    """Read the tables and verdicts of a folder. Raises KvasirError when there are none, or a file is none."""
    tables = {str(path.relative_to(folder)): _table(path) for path in sorted(folder.glob("tables/*/*.csv"))}
    if not tables:
        raise KvasirError(f"{folder}: expected a folder results/<scale> with tables, found none")
    claims = {str(path.relative_to(folder)): read_csv(path) for path in sorted(folder.glob("claims/*.csv"))}
    return Results(tables, claims)


def _only_in_one(one: Iterable[str], other: Iterable[str]) -> Iterator[Difference]:
    first, second = set(one), set(other)
    for name in sorted(first ^ second):
        yield Difference(
            "table", name, *("there" if name in names else "missing" for names in (first, second))
        )


def compare(one: Results, other: Results) -> Comparison:
    """Returns the differences between two folders' results."""
    differences = [*_only_in_one(one.tables, other.tables), *_only_in_one(one.claims, other.claims)]
    tables = [name for name in one.tables if name in other.tables]
    claims = [name for name in one.claims if name in other.claims]
    exact = 0
    for name in tables:
        first, second = one.tables[name], other.tables[name]
        if first.columns != second.columns:
            differences.append(Difference("columns", name, *(", ".join(t.columns) for t in (first, second))))
        key = [column for column in first.columns if column in second.columns and column not in NO_KEY]
        known = exact_numbers(first, key)
        exact += known.height
        differences += numbers(name, known, exact_numbers(second, key), key)
    for name in claims:
        differences += verdicts(one.claims[name], other.claims[name])
    return Comparison(
        tables=len(tables),
        exact=exact,
        verdicts=sum(len(one.claims[name]) for name in claims),
        differences=differences,
    )
