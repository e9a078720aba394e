"""Runs one check over the tables: its values, where they come from, and why there are none."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from harness.claims.database import EMULATED, Database, Schema, quoted
from harness.claims.missing import Gap, gap
from harness.claims.query import Query

COLUMNS = ("value", "source", "label")
ANALYTIC = "analytic"
LINK_RATE = "link.rate"
"""Metric of the rate that a run's links were limited to."""


@dataclass(frozen=True)
class Sample:
    """One value of a check, with its label if the check gives one."""

    value: float
    label: str = ""


@dataclass(frozen=True)
class Observed:
    """The values of a check. `emulated`: there are values, but only by emulated numbers, so they are no evidence.

    `gap` tells why there is no evidence; it is None exactly when there is.
    """

    samples: tuple[Sample, ...]
    source: str
    gap: Gap | None = None
    emulated: bool = False
    repetitions: int = 1
    """Repetitions of the runs behind the values, which a check may have joined to one; 1 without runs."""

    @property
    def values(self) -> list[float]:
        """Returns all values."""
        return [sample.value for sample in self.samples]

    @property
    def evidence(self) -> bool:
        """Returns whether there are values that are evidence."""
        return self.gap is None


def bind(database: Database, query: Query) -> list[str]:
    """Returns the columns of a query's result. Raises duckdb.Error when a name in it is not known."""
    return [row[0] for row in database.answer(f"DESCRIBE {query.text}", schema="evidence")]


def rows(database: Database, query: Query, schema: Schema) -> list[tuple[Sample, str]]:
    """Returns values with their sources, in a fixed order; empty values and those that are no numbers are left out."""
    given = bind(database, query)
    wanted = ", ".join(
        f"CAST({name} AS {'DOUBLE' if name == 'value' else 'VARCHAR'})" if name in given else "NULL"
        for name in COLUMNS
    )
    database.use(schema)
    found = database.connection.execute(f"SELECT {wanted} FROM ({query.text}) AS checked").fetchall()
    kept = [
        (Sample(value, label or ""), source or "")
        for value, source, label in found
        if value is not None and math.isfinite(value)
    ]
    return sorted(kept, key=lambda row: (row[0].label, row[0].value, row[1]))


def metrics_in(database: Database, query: Query, name: str) -> list[str]:
    """Returns metrics of table `name` that a query uses, as a column of the wide form or as a constant."""
    known = database.metrics.get(name, {})
    return [
        metric for metric, column in known.items() if column in query.columns or metric in query.constants
    ]


def sources_in(database: Database, query: Query, schema: Schema) -> set[str]:
    """Returns sources of the numbers that a query can have used, from the metrics and samples it names."""
    found: set[str] = set()
    for name, table in database.tables.items():
        if not {name, table.wide} & query.tables or table.kind == "other":
            continue
        used = metrics_in(database, query, name)
        if table.kind == "trace":
            column = database.answer(f"SELECT DISTINCT metric FROM {schema}.{quoted(name)}")
            used = [row[0] for row in column if row[0] in query.constants] or [row[0] for row in column]
        rows_of = f"{schema}.{quoted(name)}"
        sql = f"SELECT DISTINCT source FROM {rows_of} WHERE value IS NOT NULL AND list_contains(?, metric)"
        found |= {row[0] for row in database.answer(sql, used)}
    return found


def repetitions(database: Database, query: Query) -> int:
    """Returns the good repetitions of the point with the fewest, of those in the tables that a query reads.

    Which points a query joins into one value cannot be seen: one that lost repetitions may be among them.
    """
    found = [1]
    for name, table in database.tables.items():
        if {name, table.wide} & query.tables and table.kind == "runs":
            good = (
                f"SELECT count(DISTINCT rep) AS n FROM raw.{quoted(name)} WHERE status = 'ok' GROUP BY point"
            )
            ((fewest,),) = database.answer(f"SELECT min(n) FROM ({good})")
            found.append(int(fewest or 1))
    return min(found[1:], default=1)


def link_rates(database: Database, tables: frozenset[str]) -> set[float]:
    """Returns the rates, Mbit/s, to which runs in the tables had their links limited by an emulator."""
    found: set[float] = set()
    for name, table in database.tables.items():
        if {name, table.wide} & tables and table.kind == "runs":
            limited = f"SELECT DISTINCT value FROM raw.{quoted(name)} WHERE metric = ? AND {EMULATED}"
            found |= {float(rate) for (rate,) in database.answer(limited, LINK_RATE) if rate is not None}
    return found


def emulations(database: Database, query: Query) -> set[str]:
    """Returns the emulated sources in the tables that a query reads."""
    found: set[str] = set()
    for name, table in database.tables.items():
        if {name, table.wide} & query.tables and "source" in database.columns[name]:
            sql = f"SELECT DISTINCT source FROM raw.{quoted(name)} WHERE contains(source, 'emulated:')"
            found |= {row[0] for row in database.answer(sql)}
    return found


def observe(
    database: Database, query: Query, absent: str | None = None, pending: Collection[str] = ()
) -> Observed:
    """Returns values of a check over the evidence; over all numbers, marked as emulated, if the evidence gives none.

    `absent` is the reason when the runs are there and none has what the check selects, `pending` the claim file's
    levels that a scale may leave out. Raises duckdb.Error.
    """
    for schema in ("evidence", "everything"):
        found = rows(database, query, schema)
        if not found:
            continue
        named = {source for _, source in found if source}
        sources = named or sources_in(database, query, schema)
        if not query.tables:
            sources = sources or {ANALYTIC}
        samples = tuple(sample for sample, _ in found)
        if schema == "evidence":
            return Observed(samples, "; ".join(sorted(sources)), repetitions=repetitions(database, query))
        profiles = sorted(emulations(database, query))
        return Observed(
            samples,
            "; ".join(sorted(sources | set(profiles))),
            Gap("not testable here", f"only emulated numbers ({', '.join(profiles)}), which are no evidence"),
            emulated=True,
        )
    used = {name: metrics_in(database, query, name) for name in database.metrics}
    return Observed((), "none", gap(database, query, used, absent, pending))


__all__ = ["Gap", "Observed", "Sample", "bind", "link_rates", "observe"]
