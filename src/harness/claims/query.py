"""Extracts the tables, columns and constants of a claim's SQL with DuckDB's own parser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""Table functions that make rows from constants. Others could reach past the tables a check is given."""


class SqlError(Exception):
    """A check that is not one SELECT over the tables."""


@dataclass(frozen=True)
class Query:
    """One SELECT and the names and constants in it; numbers are written as `%g`."""

    text: str
    tables: frozenset[str]
    columns: frozenset[str]
    constants: frozenset[str]


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


def plain(value: object) -> str:
    """Returns a constant or a cell as comparable text: numbers without trailing zeros."""
    text = str(value)
    try:
        return f"{float(text):.12g}"
    except ValueError:
        return text


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """Returns an empty database, whose parser is all that is used of it."""
    return duckdb.connect()


@cache
def parse(sql: str) -> Query:
    """Returns the query in `sql`. Raises SqlError if it is anything but one SELECT over unqualified tables."""
    try:
        statements = _parser().extract_statements(sql)
        if len(statements) != 1:
            raise SqlError(f"expected one SELECT, found {len(statements)} statements")
        text = statements[0].query.strip().rstrip(";")
        row = _parser().execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    except duckdb.Error as error:
        raise SqlError(str(error)) from None
    tree = json.loads(row[0] if row else "{}")
    if tree.get("error", True):
        raise SqlError(tree.get("error_message", "not a SELECT"))
    nodes = list(_nodes(tree))
    named = {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"}
    within = {entry["key"] for node in nodes for entry in (node.get("cte_map") or {}).get("map", [])}
    for node in nodes:
        if node.get("type") == "BASE_TABLE" and node.get("schema_name"):
            raise SqlError(f"table names take no schema: {node['schema_name']}.{node['table_name']}")
        if node.get("type") == "TABLE_FUNCTION":
            function = node.get("function", {}).get("function_name", "")
            if function not in TABLE_FUNCTIONS:
                raise SqlError(f"table function {function}() is not allowed; use {sorted(TABLE_FUNCTIONS)}")
    columns = frozenset(node["column_names"][-1] for node in nodes if node.get("type") == "COLUMN_REF")
    constants = frozenset(
        plain(node["literal"]["text"])
        for node in nodes
        if node.get("type") == "VALUE_CONSTANT" and "text" in (node.get("literal") or {})
    )
    return Query(text, frozenset(named - within), columns, constants)
