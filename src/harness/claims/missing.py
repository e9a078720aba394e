"""Explains a check without values: nothing was run, a metric or level is not to be had here, or runs failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from harness.claims.database import IDENTITY, Database, Table, factors_of, quoted
from harness.claims.query import Query, plain

LONGEST = 300
"""Characters of a reason that are kept; a failed run's log can be long."""
NOTHING_SELECTED = "no run has what the check selects"


@dataclass(frozen=True)
class Gap:
    """The verdict on a check without values, and its reason."""

    verdict: Literal["not testable here", "not run"]
    reason: str


@dataclass(frozen=True)
class Absent:
    """A run without numbers: its status, its reason, and its levels as text."""

    status: str
    reason: str
    levels: frozenset[str]


def joined(reasons: list[str]) -> str:
    """Returns distinct reasons as one text; those that differ only before the first colon are merged."""
    heads: dict[str, list[str]] = {}
    for reason in dict.fromkeys(" ".join(reason.split()) for reason in reasons):
        head, colon, tail = reason.partition(": ")
        heads.setdefault(tail if colon else "", []).append(head)
    texts = [", ".join(names) + (f": {tail}" if tail else "") for tail, names in heads.items()]
    text = "; ".join(texts)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _by_count(reasons: list[str]) -> list[str]:
    return [reason for reason, _ in sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0]))]


def _absent(database: Database, table: Table) -> list[Absent]:
    """Returns all runs of a table without numbers."""
    factors = factors_of(database.columns[table.name])
    levels = [name for name in factors if name not in IDENTITY]
    columns = ", ".join(quoted(name) for name in ("point", "rep", "status", "reason", *levels))
    rows = database.answer(
        f"SELECT DISTINCT {columns} FROM raw.{quoted(table.name)} WHERE status <> 'ok' ORDER BY ALL"
    )
    return [
        Absent(status, reason or f"{status}, no reason recorded", _levels(cells))
        for _, _, status, reason, *cells in rows
    ]


def _levels(cells: Iterable[object]) -> frozenset[str]:
    return frozenset(plain(cell) for cell in cells if cell is not None)


def _levels_run(database: Database, tables: list[Table]) -> frozenset[str]:
    """Returns all levels, of any factor, under which a run of the tables ended well."""
    found: set[str] = set()
    for table in tables:
        for name in factors_of(database.columns[table.name]):
            if name not in IDENTITY:
                sql = f"SELECT DISTINCT {quoted(name)} FROM raw.{quoted(table.name)} WHERE status = 'ok'"
                found |= _levels(row[0] for row in database.answer(sql))
    return frozenset(found)


def _unmeasured(database: Database, table: Table, metrics: list[str]) -> list[str]:
    """Returns reasons for metrics that no run of a table has a value for."""
    reasons = []
    for metric in metrics:
        rows = database.answer(
            f"SELECT value, reason FROM raw.{quoted(table.name)} WHERE status = 'ok' AND metric = ?", metric
        )
        if not rows:
            reasons.append(f"no run has metric {metric}")
        elif all(value is None for value, _ in rows):
            reasons += _by_count([reason or f"{metric} was not measured" for _, reason in rows])[:1]
    return reasons


def _has_runs(database: Database, table: Table) -> bool:
    """Returns whether a run of the table ended well."""
    ((found,),) = database.answer(f"SELECT count(*) > 0 FROM raw.{quoted(table.name)} WHERE status = 'ok'")
    return bool(found)


def _verdict_of(runs: list[Absent]) -> Gap:
    """Returns the gap that absent runs leave: failed ones are `not run`, levels that cannot be run are not testable."""
    failed = [run for run in runs if run.status != "not-run"]
    if failed:
        reasons = joined(_by_count([run.reason for run in failed]))
        return Gap("not run", f"{len(failed)} of the runs it needs failed: {reasons}")
    return Gap("not testable here", joined(_by_count([run.reason for run in runs])))


def gap(
    database: Database,
    query: Query,
    metrics: dict[str, list[str]],
    absent: str | None,
    pending: Collection[str],
) -> Gap:
    """Returns the gap of a query without values. `metrics` are those it uses by table, `absent` the claim's own word.

    `pending` are levels that a scale may leave out: a query that names one without runs is `not run`, whatever else
    is missing.
    Where several things are missing, the runs that share most levels with the query's constants tell the reason.
    """
    tables = [
        table
        for name, table in sorted(database.tables.items())
        if table.kind == "runs" and {name, table.wide} & query.tables
    ]
    ran = _levels_run(database, tables)
    waiting = [
        f"{level}: this scale makes none of the runs that the check looks at, or none ended well"
        for level in pending
        if level in query.constants and level not in ran
    ]
    if waiting:
        return Gap("not run", joined(waiting))
    missing = [run for table in tables for run in _absent(database, table)]
    filled = [table for table in tables if _has_runs(database, table)]
    empty = ", ".join(table.name for table in tables if table not in filled)
    left_out = Gap("not run", f"no runs in {empty}: left out at this scale, or not made yet")
    if not filled:
        if not tables:
            return Gap("not run", absent or "its tables have no rows that the check selects")
        if not missing:
            return left_out
        failed = [run for run in missing if run.status != "not-run"]
        reasons = joined(_by_count([run.reason for run in failed or missing]))
        return Gap("not run", f"none of the runs it needs ended well: {reasons}")
    unmeasured = [reason for table in filled for reason in _unmeasured(database, table, metrics[table.name])]
    if unmeasured:
        return Gap("not testable here", joined(unmeasured))
    if empty and not missing:
        return left_out
    needed = [
        run for run in missing if run.status != "not-run" or (run.levels - ran) & query.constants
    ]  # a level that was not run matters only to a check that names it
    most = max((len(run.levels & query.constants) for run in needed), default=0)
    nearest = [run for run in needed if len(run.levels & query.constants) == most]
    return _verdict_of(nearest) if nearest else Gap("not testable here", absent or NOTHING_SELECTED)
