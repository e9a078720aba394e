"""Checks all claims of a file against the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from harness.claims import query as sql
from harness.claims.database import Database, Table, build, discover
from harness.claims.judge import Judged, Observations, judge
from harness.claims.model import Claim, ClaimFile
from harness.claims.observe import COLUMNS, Observed, bind, observe
from harness.claims.verdicts import Row, row_of
from harness.config.load import parse, read_yaml
from harness.core.errors import KvasirError


@dataclass(frozen=True)
class Check:
    """One SQL text of a claim file and where it stands: `claim MIMIR-01: direction 1`."""

    where: str
    text: str


def read_claims(path: Path) -> ClaimFile:
    """The claim file at `path`. Raises KvasirError naming file, key, what was found and what is allowed."""
    return parse(ClaimFile, read_yaml(path), str(path))


def checks_of(claim: Claim) -> Iterator[Check]:
    """Every SQL text of a claim."""
    yield Check(f"claim {claim.id}: check", claim.check)
    for place, direction in enumerate(claim.direction, 1):
        if direction.check:
            yield Check(f"claim {claim.id}: direction {place}", direction.check)
    if claim.inconsistent:
        yield Check(f"claim {claim.id}: inconsistent", claim.inconsistent.check)


def all_checks(file: ClaimFile) -> Iterator[Check]:
    """Every SQL text of a claim file."""
    for claim in file.claims:
        yield from checks_of(claim)
    for name, tag in file.tags.items():
        if tag.check:
            yield Check(f"tag {name}: check", tag.check)


def tables_used(file: ClaimFile, path: Path, known: dict[str, Table]) -> list[Table]:
    """Tables that the checks name. Raises KvasirError for SQL that is no SELECT or names an unknown table."""
    used: dict[str, Table] = {}
    for check in all_checks(file):
        try:
            names = sql.parse(check.text).tables
        except sql.SqlError as error:
            raise KvasirError(f"{path}: {check.where}: {_one_line(error)}") from None
        for name in sorted(names):
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                raise KvasirError(f"{path}: {check.where}: no table {name}; there are: {there}")
            used[known[name].name] = known[name]
    return list(used.values())


def _one_line(error: Exception) -> str:
    """An error of DuckDB as one line; its picture of the SQL with a caret says nothing more on one line."""
    return " ".join(str(error).split("\nLINE ")[0].split())


def _available(database: Database, names: Collection[str]) -> str:
    lists = [f"{name}({', '.join(database.columns[name])})" for name in sorted(names)]
    return f"; available: {'; '.join(lists)}" if lists else ""


def _bound(database: Database, path: Path, check: Check) -> None:
    """Refuse a check that names what is not there or gives other columns than a check may."""
    query = sql.parse(check.text)
    try:
        given = bind(database, query)
    except duckdb.Error as error:
        raise KvasirError(
            f"{path}: {check.where}: {_one_line(error)}{_available(database, query.tables)}"
        ) from None
    if "value" not in given or set(given) - set(COLUMNS) or len(set(given)) < len(given):
        raise KvasirError(
            f"{path}: {check.where}: gives columns {', '.join(given)}; expected value and, if wanted, source, label"
        )


def _observed(
    database: Database, path: Path, check: Check, absent: str | None, pending: Mapping[str, str]
) -> Observed:
    try:
        return observe(database, sql.parse(check.text), absent, pending)
    except duckdb.Error as error:
        query = sql.parse(check.text)
        raise KvasirError(
            f"{path}: {check.where}: {_one_line(error)}{_available(database, query.tables)}"
        ) from None


def proven(database: Database, path: Path, file: ClaimFile) -> set[str]:
    """Tags whose SQL says that the tables prove them."""
    found = set()
    for name, tag in file.tags.items():
        if tag.check:
            seen = _observed(database, path, Check(f"tag {name}: check", tag.check), None, {})
            if seen.evidence and all(seen.values):
                found.add(name)
    return found


def observations(database: Database, path: Path, claim: Claim, pending: Mapping[str, str]) -> Observations:
    """What all checks of a claim give; `pending` are the file's levels that cannot run yet."""
    seen = {
        check.where: _observed(database, path, check, claim.absent, pending) for check in checks_of(claim)
    }
    return Observations(
        main=seen[f"claim {claim.id}: check"],
        directions=tuple(
            seen.get(f"claim {claim.id}: direction {place}") for place in range(1, len(claim.direction) + 1)
        ),
        inconsistent=seen.get(f"claim {claim.id}: inconsistent"),
    )


@dataclass(frozen=True)
class Checked:
    """All claims of a file, judged: rows in the file's order, what decided each, and the tags that held."""

    rows: list[Row]
    judged: list[Judged]
    tags: set[str]


def check_claims(path: Path, tables: Path, have: Collection[str]) -> Checked:
    """Judge every claim of the file `path` by the tables below `tables`; `have` is what the site says it has.

    Raises KvasirError, one message, for a wrong claim file, a table that is not whole, or SQL that cannot run.
    """
    file = read_claims(path)
    database = build(tables_used(file, path, discover(tables)), file.metrics)
    for check in all_checks(file):
        _bound(database, path, check)
    tags = set(have) | proven(database, path, file)
    judged = [judge(claim, observations(database, path, claim, file.pending), tags) for claim in file.claims]
    rows = [row_of(file.study, claim, one, tags) for claim, one in zip(file.claims, judged, strict=True)]
    return Checked(rows, judged, tags)
