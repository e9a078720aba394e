"""The tables a claim file refers to, in DuckDB, in two forms: all numbers, and only those that are evidence.

Schema `everything` holds the tables as they are. Schema `evidence` holds the same without emulated numbers: their
values are empty, runs under a cap that only an emulator enforces are gone, emulated samples as well. A check sees one
schema or the other under the same names, so no check can take an emulated number for a measured one by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import duckdb

from harness.claims.catalogue import Table
from harness.claims.loading import IDENTITY, METRIC, STATE, load, quoted
from harness.core.errors import KvasirError

Schema = Literal["evidence", "everything"]
EMULATED = "contains(source, 'emulated:')"


@dataclass(frozen=True)
class Database:
    """Loaded tables. `metrics` gives the column of the wide form for each metric of each table of runs."""

    connection: duckdb.DuckDBPyConnection
    tables: dict[str, Table]
    columns: dict[str, list[str]]
    metrics: dict[str, dict[str, str]]

    def use(self, schema: Schema) -> None:
        """Let unqualified names mean the tables of `schema`."""
        self.connection.execute(f"SET schema = '{schema}'")


def factors_of(columns: list[str]) -> list[str]:
    """The columns that say which run a row belongs to, factors included."""
    return [name for name in columns if name not in (*STATE, *METRIC)]


def metric_column(metric: str, factors: Collection[str]) -> str:
    """Column of a metric in the wide form: `kv.in` is kv_in; one named like a factor, as `words`, metric_words."""
    column = re.sub(r"[^A-Za-z0-9_]", "_", metric)
    return f"metric_{column}" if column in factors else column


def _emulated_cap(table: Table, columns: list[str]) -> str:
    """SQL condition: the row's run is under a cap that an emulator enforces. The highest level imposes none."""
    if "cap_w" not in columns:
        return "false"
    raw = f"raw.{quoted(table.name)}"
    lower = f"cap_w < (SELECT max(cap_w) FROM {raw})"
    return f"coalesce({lower}, false) AND (point, rep) IN (SELECT (point, rep) FROM {raw} WHERE {EMULATED})"


def _evidence(table: Table, columns: list[str]) -> str:
    """SELECT of the rows of a table that are evidence."""
    raw = f"raw.{quoted(table.name)}"
    if table.kind == "other":
        return f"SELECT * FROM {raw}" + (
            f" WHERE NOT coalesce({EMULATED}, false)" if "source" in columns else ""
        )
    kept = f"WHERE NOT ({_emulated_cap(table, columns)})"
    if table.kind == "trace":
        return f"SELECT * FROM {raw} {kept} AND NOT {EMULATED}"
    return f"SELECT * REPLACE (CASE WHEN {EMULATED} THEN NULL ELSE value END AS value) FROM {raw} {kept}"


def _wide(schema: Schema, table: Table, columns: list[str], metrics: dict[str, str]) -> str:
    """SELECT of one row a run that ended well, metrics as columns."""
    factors = ", ".join(quoted(name) for name in factors_of(columns))
    parts = [
        f"max(value) FILTER (metric = '{metric.replace(chr(39), chr(39) * 2)}') AS {quoted(column)}"
        for metric, column in metrics.items()
    ]
    select = ", ".join([factors, *parts])
    return f"SELECT {select} FROM {schema}.{quoted(table.name)} WHERE status = 'ok' GROUP BY {factors}"


def _metrics(
    connection: duckdb.DuckDBPyConnection, table: Table, columns: list[str], declared: Collection[str]
) -> dict[str, str]:
    """Metric -> column of a table of runs. Raises KvasirError if a run has a metric twice."""
    raw = f"raw.{quoted(table.name)}"
    identity = ", ".join(IDENTITY)
    double = connection.execute(
        f"SELECT {identity}, metric FROM {raw} WHERE metric IS NOT NULL GROUP BY ALL HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if double:
        raise KvasirError(
            f"{table.path}: run {'/'.join(map(str, double[:-1]))} has metric {double[-1]} twice; make it again"
        )
    rows = connection.execute(f"SELECT DISTINCT metric FROM {raw} WHERE metric IS NOT NULL").fetchall()
    factors = factors_of(columns)
    return {name: metric_column(name, factors) for name in sorted({*declared, *(row[0] for row in rows)})}


def build(tables: Collection[Table], declared: Collection[str]) -> Database:
    """A database in memory with the given tables. Nothing outside it can be read afterwards.

    Raises KvasirError naming a file that is not a whole table. `declared` are metrics that must have a column even
    where no run has them.
    """
    connection = duckdb.connect(config={"threads": 1})  # one thread, so sums of floats have one order
    loaded: dict[str, list[str]] = {}
    metrics: dict[str, dict[str, str]] = {}
    for schema in ("raw", "evidence", "everything"):
        connection.execute(f"CREATE SCHEMA {schema}")
    for table in sorted(tables, key=lambda table: table.name):
        columns = loaded[table.name] = load(connection, table)
        name = quoted(table.name)
        connection.execute(f"CREATE VIEW everything.{name} AS SELECT * FROM raw.{name}")
        connection.execute(f"CREATE VIEW evidence.{name} AS {_evidence(table, columns)}")
        if table.kind != "runs":
            continue
        known = metrics[table.name] = _metrics(connection, table, columns, declared)
        loaded[table.wide] = [*factors_of(columns), *known.values()]
        for schema in ("evidence", "everything"):
            wide = _wide(schema, table, columns, known)  # type: ignore[arg-type]
            connection.execute(f"CREATE TABLE {schema}.{quoted(table.wide)} AS {wide}")
    connection.execute("SET enable_external_access = false")
    return Database(connection, {table.name: table for table in tables}, loaded, metrics)
