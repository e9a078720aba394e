"""Loads the tables of a claim file into DuckDB, in two forms: all numbers, and only those that are evidence.

Schema `everything` holds the tables as they are. Schema `evidence` holds the same without emulated numbers: their
values are empty, runs under a cap that only an emulator enforces are gone, emulated samples as well. A check sees one
schema or the other under the same names, so no check can take an emulated number for a measured one by mistake.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import duckdb

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
    answers: dict[tuple[str, str], list[tuple[Any, ...]]] = field(default_factory=dict, compare=False)
    """What `answer` has returned, by statement and parameters."""

    def use(self, schema: Schema) -> None:
        """Let unqualified names mean the tables of `schema`."""
        self.connection.execute(f"SET schema = '{schema}'")

    def answer(self, sql: str, *parameters: object, schema: Schema | None = None) -> list[tuple[Any, ...]]:
        """Returns the rows of a statement that many checks need; they are kept, for the tables never change.

        Unqualified names in it mean the tables of `schema`. Raises duckdb.Error.
        """
        key = (sql, repr(parameters))
        if key not in self.answers:
            if schema:
                self.use(schema)
            self.answers[key] = self.connection.execute(sql, parameters).fetchall()
        return self.answers[key]


def factors_of(columns: list[str]) -> list[str]:
    """Returns the columns that identify the run of a row, factors included."""
    return [name for name in columns if name not in (*STATE, *METRIC)]


def metric_column(metric: str, factors: Collection[str]) -> str:
    """Returns the column of a metric in the wide form: `kv.in` is kv_in; `words`, named like a factor, metric_words."""
    column = re.sub(r"[^A-Za-z0-9_]", "_", metric)
    return f"metric_{column}" if column in factors else column


def _emulated_cap(table: Table, columns: list[str]) -> str:
    """Returns the SQL condition for runs under a cap that an emulator enforces. The highest level imposes none."""
    if "cap_w" not in columns:
        return "false"
    raw = f"raw.{quoted(table.name)}"
    lower = f"cap_w < (SELECT max(cap_w) FROM {raw})"
    return f"coalesce({lower}, false) AND (point, rep) IN (SELECT (point, rep) FROM {raw} WHERE {EMULATED})"


def _evidence(table: Table, columns: list[str]) -> str:
    """Returns a SELECT of the rows of a table that are evidence."""
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
    """Returns a SELECT of one row a run that ended well, metrics as columns."""
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
    """Returns the column of each declared metric in the wide form. Raises KvasirError if a run has a metric twice.

    Other metrics have none: columns are then the same before and after the runs, and so is what a check can name.
    """
    raw = f"raw.{quoted(table.name)}"
    identity = ", ".join(IDENTITY)
    double = connection.execute(
        f"SELECT {identity}, metric FROM {raw} WHERE metric IS NOT NULL GROUP BY ALL HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if double:
        raise KvasirError(
            f"{table.path}: run {'/'.join(map(str, double[:-1]))} has metric {double[-1]} twice; make it again"
        )
    factors = factors_of(columns)
    return {name: metric_column(name, factors) for name in sorted(declared)}


def _connect() -> duckdb.DuckDBPyConnection:
    """Returns a database in memory with the three schemas."""
    connection = duckdb.connect(config={"threads": 1})  # one thread, so sums of floats have one order
    for schema in ("raw", "evidence", "everything"):
        connection.execute(f"CREATE SCHEMA {schema}")
    return connection


def _database(
    connection: duckdb.DuckDBPyConnection,
    tables: Collection[Table],
    loaded: dict[str, list[str]],
    declared: Collection[str],
) -> Database:
    """Returns the tables of schema raw in the forms that checks see. Nothing outside can be read afterwards."""
    metrics: dict[str, dict[str, str]] = {}
    for table in tables:
        columns, name = loaded[table.name], quoted(table.name)
        connection.execute(f"CREATE VIEW everything.{name} AS SELECT * FROM raw.{name}")
        connection.execute(f"CREATE VIEW evidence.{name} AS {_evidence(table, columns)}")
        if table.kind != "runs":
            continue
        known = metrics[table.name] = _metrics(connection, table, columns, declared)
        loaded[table.wide] = [*factors_of(columns), *known.values()]
        for schema in ("evidence", "everything"):
            wide = _wide(schema, table, columns, known)
            connection.execute(f"CREATE TABLE {schema}.{quoted(table.wide)} AS {wide}")
    connection.execute("SET enable_external_access = false")
    return Database(connection, {table.name: table for table in tables}, loaded, metrics)


def build(
    tables: Collection[Table], declared: Collection[str], only: Mapping[str, str] | None = None
) -> Database:
    """Returns a database in memory with the given tables. Nothing outside it can be read afterwards.

    Raises KvasirError naming a file that is not a whole table. `declared` are the metrics that have a column in the
    wide forms, even where no run has them; `only` gives the SQL condition on the rows to keep, by the table's name.
    """
    connection = _connect()
    ordered = sorted(tables, key=lambda table: table.name)
    loaded = {table.name: load(connection, table) for table in ordered}
    for name, condition in (only or {}).items():
        connection.execute(f"DELETE FROM raw.{quoted(name)} WHERE NOT coalesce({condition}, false)")
    return _database(connection, ordered, loaded, declared)


def build_empty(
    tables: Mapping[Table, Mapping[str, Collection[object]]], declared: Collection[str]
) -> Database:
    """Returns a database of tables that have columns and no rows.

    `tables` gives the cells that each column of each table will hold, as far as they are known: they say its type.
    """
    connection = _connect()
    ordered = sorted(tables, key=lambda table: table.name)
    for table in ordered:
        columns = ", ".join(
            f"{quoted(name)} {_type_of(name, cells)}" for name, cells in tables[table].items()
        )
        connection.execute(f"CREATE TABLE raw.{quoted(table.name)} ({columns})")
    return _database(connection, ordered, {table.name: list(tables[table]) for table in ordered}, declared)


Kind = Literal["runs", "trace", "other"]
RUNS_SUFFIX = "_runs"


@dataclass(frozen=True)
class Table:
    """One CSV file. `name` is its name in SQL; a table of kind `runs` also has a wide form, `wide`."""

    name: str
    path: Path
    kind: Kind

    @property
    def wide(self) -> str:
        """Returns the name of the form with one row a run and one column a metric."""
        return self.name + RUNS_SUFFIX


def table_of(path: Path) -> Table:
    """Returns the table of a file: `mimir/stages.csv` is mimir_stages, `mimir/stages.trace.csv` mimir_stages_trace."""
    experiment, _, rest = path.name.removesuffix(".csv").partition(".")
    parts = [path.parent.name, experiment, *([rest] if rest else [])]
    kind: Kind = "trace" if rest == "trace" else "other" if rest else "runs"
    return Table("_".join(parts).replace(".", "_").replace("-", "_"), path, kind)


def discover(folder: Path) -> dict[str, Table]:
    """Returns tables in `folder/<study>/*.csv` by every name a check can use. Raises KvasirError without a folder."""
    if not folder.is_dir():
        raise KvasirError(f"{folder}: no such folder; expected tables as {folder}/<study>/<experiment>.csv")
    return by_name(table_of(path) for path in sorted(folder.glob("*/*.csv")))


def by_name(tables: Iterable[Table]) -> dict[str, Table]:
    """Returns tables by every name a check can use. Raises KvasirError where two would have one name."""
    named: dict[str, Table] = {}
    for table in tables:
        for name in (table.name, table.wide) if table.kind == "runs" else (table.name,):
            if name in named:
                raise KvasirError(
                    f"{table.path} and {named[name].path}: both would be table {name}; rename one"
                )
            named[name] = table
    return named


IDENTITY = ("study", "experiment", "point", "rep")
STATE = ("order", "status", "reason")
METRIC = ("metric", "value", "unit", "source")
NEEDED: dict[Kind, tuple[str, ...]] = {
    "runs": (*IDENTITY, *STATE, *METRIC),
    "trace": (*IDENTITY, "t_s", "domain", *METRIC),
    "other": (),
}
TYPES = {
    **dict.fromkeys(("rep", "order", "words", "unique", "ranks", "nodes", "buffer_bytes", "rank"), "BIGINT"),
    **dict.fromkeys(("word_index", "partition", "records", "bytes", "capacity_bytes"), "BIGINT"),
    **dict.fromkeys(("value", "t_s", "cap_w", "buffer_mb", "sample_ms"), "DOUBLE"),
    **dict.fromkeys(("stall_us", "latency_us", "load"), "DOUBLE"),
    **dict.fromkeys(
        ("workload", "buffer", "tcp", "setting", "scheduler", "flavour", "queue", "variant"), "VARCHAR"
    ),
    **dict.fromkeys((*IDENTITY[:3], "status", "reason", "metric", "unit", "source"), "VARCHAR"),
    **dict.fromkeys(("app", "data", "platform", "strategy", "combine", "balance", "pipeline"), "VARCHAR"),
    **dict.fromkeys(("host", "domain", "case", "event"), "VARCHAR"),
    **dict.fromkeys(("framework", "disk", "benchmark", "job", "task", "attempt", "kind", "phase"), "VARCHAR"),
    **dict.fromkeys(("start_s", "end_s"), "DOUBLE"),
    **dict.fromkeys(("job_name", "counter_group", "counter", "stage"), "VARCHAR"),
}
"""Types of the columns that all tables share; a column that is not here gets the narrowest that fits its cells."""


def quoted(name: str) -> str:
    """Returns a name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def _header(table: Table) -> list[str]:
    """Returns the column names. Raises KvasirError for a file without a header or whose last line does not end."""
    path = table.path
    try:
        with path.open("rb") as file:
            first = file.readline()
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 1))
            last = file.read()
        names = next(csv.reader([first.decode("utf-8")]), [])
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise KvasirError(f"{path}: not a CSV table: {error}; delete it and make it again") from None
    if last != b"\n":
        raise KvasirError(f"{path}: cut off: its last line does not end; delete it and make it again")
    missing = [name for name in NEEDED[table.kind] if name not in names]
    if missing or len(set(names)) != len(names) or not all(names):
        found = ", ".join(names) or "nothing"
        raise KvasirError(
            f"{path}: expected a header with {', '.join(NEEDED[table.kind]) or 'distinct names'}, found {found}"
        )
    return names


def _types(connection: duckdb.DuckDBPyConnection, raw: str, names: list[str], path: Path) -> dict[str, str]:
    """Returns the types of the columns of the text table `raw`. Raises KvasirError for a cell that one cannot hold."""
    candidates = {name: (TYPES[name],) if name in TYPES else ("BIGINT", "DOUBLE") for name in names}
    asked = []
    for name, types in candidates.items():
        column = quoted(name)
        asked.append(f"count({column})")
        for type_ in types:
            unfit = f"TRY_CAST({column} AS {type_}) IS NULL"
            if type_ == "BIGINT":  # a cast would round 16.5 to 17
                unfit += f" OR TRY_CAST({column} AS DOUBLE) <> TRY_CAST({column} AS BIGINT)"
            asked.append(f"any_value({column}) FILTER ({column} IS NOT NULL AND ({unfit}))")
    # One scan for all columns: a query for each took longer than all others of a load.
    answers = iter(connection.execute(f"SELECT {', '.join(asked)} FROM {raw}").fetchone() or ())
    found = {}
    for name, types in candidates.items():
        filled = next(answers)
        wrong = {type_: next(answers) for type_ in types}
        if name in TYPES:
            found[name] = TYPES[name]
            if (cell := wrong[TYPES[name]]) is not None:
                raise KvasirError(
                    f"{path}: column {name}: found '{cell}', expected {TYPES[name]}; make it again"
                )
        else:
            found[name] = next((type_ for type_ in types if filled and wrong[type_] is None), "VARCHAR")
    return found


def _type_of(name: str, cells: Collection[object]) -> str:
    """Returns the type that a column will have once its cells are read from a file."""
    texts = [str(cell) for cell in cells if cell is not None and cell != ""]
    if name in TYPES or not texts:
        return TYPES.get(name, "VARCHAR")
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return "VARCHAR"
    return "BIGINT" if all(number.is_integer() for number in numbers) else "DOUBLE"


def load(connection: duckdb.DuckDBPyConnection, table: Table) -> list[str]:
    """Read `table` into schema raw; returns its columns. Raises KvasirError naming the file."""
    names = _header(table)
    text, typed = f"raw.{quoted(table.name + ' text')}", f"raw.{quoted(table.name)}"
    columns = "{" + ", ".join(f"'{name.replace(chr(39), chr(39) * 2)}': 'VARCHAR'" for name in names) + "}"
    options = "auto_detect=false, header=true, delim=',', quote='\"', escape='\"', strict_mode=true"
    try:
        connection.execute(
            f"CREATE TABLE {text} AS SELECT * FROM read_csv(?, {options}, columns={columns})",
            [str(table.path)],
        )
        types = _types(connection, text, names, table.path)
        casts = ", ".join(f"CAST({quoted(name)} AS {types[name]}) AS {quoted(name)}" for name in names)
        connection.execute(f"CREATE TABLE {typed} AS SELECT {casts} FROM {text}")
        connection.execute(f"DROP TABLE {text}")
    except duckdb.Error as error:
        first = str(error).splitlines()
        why = "; ".join(line.strip() for line in first[:4] if line.strip())
        raise KvasirError(
            f"{table.path}: not a whole CSV table: {why}; delete it and make it again"
        ) from None
    return names
