"""One CSV table into DuckDB, every column with its type, so that an empty column never gets a wrong one."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb

from harness.claims.catalogue import Kind, Table
from harness.core.errors import KvasirError

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
}
"""Types of the columns that all tables share; a column that is not here gets the narrowest that fits its cells."""


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def _header(table: Table) -> list[str]:
    """Column names. Raises KvasirError for a file without a header or whose last line does not end."""
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


def _type(connection: duckdb.DuckDBPyConnection, raw: str, name: str, path: Path) -> str:
    """Type of a column of the text table `raw`. Raises KvasirError for a cell that its type cannot hold."""
    column = quoted(name)
    for type_ in (TYPES[name],) if name in TYPES else ("BIGINT", "DOUBLE"):
        unfit = f"TRY_CAST({column} AS {type_}) IS NULL"
        if type_ == "BIGINT":  # a cast would round 16.5 to 17
            unfit += f" OR TRY_CAST({column} AS DOUBLE) <> TRY_CAST({column} AS BIGINT)"
        sql = f"SELECT {column} FROM {raw} WHERE {column} IS NOT NULL AND ({unfit})"
        wrong = connection.execute(f"{sql} LIMIT 1").fetchone()
        filled = connection.execute(f"SELECT count({column}) FROM {raw}").fetchone()
        if name in TYPES and wrong:
            raise KvasirError(f"{path}: column {name}: found '{wrong[0]}', expected {type_}; make it again")
        if not wrong and (name in TYPES or (filled and filled[0])):
            return type_
    return "VARCHAR"


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
        casts = ", ".join(
            f"CAST({quoted(name)} AS {_type(connection, text, name, table.path)}) AS {quoted(name)}"
            for name in names
        )
        connection.execute(f"CREATE TABLE {typed} AS SELECT {casts} FROM {text}")
        connection.execute(f"DROP TABLE {text}")
    except duckdb.Error as error:
        first = str(error).splitlines()
        why = "; ".join(line.strip() for line in first[:4] if line.strip())
        raise KvasirError(
            f"{table.path}: not a whole CSV table: {why}; delete it and make it again"
        ) from None
    return names
