"""Reads the tables the report shows. Each reader returns checked, typed rows or raises KvasirError with one message."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from harness.claims.model import VERDICTS
from harness.core.errors import KvasirError
from harness.report.best_framework import Measure
from harness.results.records import Status

CLAIM_COLUMNS = (
    "id", "study", "tier", "where", "statement", "verdict", "reason", "value", "low", "high", "n", "unit", "paper",
    "source", "figure", "explanation",
)  # fmt: skip
CHOICE_COLUMNS = (
    "benchmark", "studies", "nodes", "disk", "framework", "metric", "value", "unit", "source", "reason",
)  # fmt: skip
RUN_COLUMNS = ("study", "experiment", "point", "rep", "order", "status", "reason", "seconds", "started")

Row = dict[str, str]


@dataclass(frozen=True)
class Run:
    """One run, or one level that was not run (`rep` empty); `seconds` is its wall time."""

    study: str
    experiment: str
    point: str
    rep: str
    status: str
    reason: str
    seconds: float | None


@dataclass(frozen=True)
class Environment:
    """What one group of runs had in common; nested values are flattened to `outer.inner`."""

    runs: int
    values: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One job of the workflow: its file below the benchmark folder, wall and CPU seconds, peak memory in MiB."""

    path: tuple[str, ...]
    seconds: float
    cpu_seconds: float | None
    memory_mib: float | None


def _text(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise KvasirError(f"{path}: {what} cannot be read: {error.strerror}; make it again") from None
    except UnicodeDecodeError:
        raise KvasirError(f"{path}: {what} is not UTF-8 text; make it again") from None


def _rows(path: Path, what: str, columns: tuple[str, ...], delimiter: str = ",") -> list[tuple[int, Row]]:
    """Rows with their line numbers. Every needed column must be there and every row must be whole."""
    text = _text(path, what)
    if not text.endswith("\n"):
        raise KvasirError(
            f"{path}: {what} is cut off: its last line does not end; delete it and make it again"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, Row]] = []
    try:
        header = next(reader)
        for name in columns:
            if name not in header:
                raise KvasirError(f"{path}: {what} has no column '{name}'; it has: {', '.join(header)}")
        for cells in reader:
            if len(cells) != len(header):
                raise KvasirError(
                    f"{path}: line {reader.line_num} of {what} has {len(cells)} cells where the header has "
                    f"{len(header)}; delete it and make it again"
                )
            rows.append((reader.line_num, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        raise KvasirError(f"{path}: line {reader.line_num} of {what} is not CSV: {error}") from None
    return rows


def _number(text: str, path: Path, line: int, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise KvasirError(
            f"{path}: line {line}: column '{column}' should be a number, not '{text}'"
        ) from None


def read_claims(path: Path, study: str) -> list[Row]:
    """The verdicts of a study, in the order of the file."""
    seen: set[str] = set()
    claims = []
    for line, row in _rows(path, "the table of verdicts", CLAIM_COLUMNS):
        if row["verdict"] not in VERDICTS:
            raise KvasirError(
                f"{path}: line {line}: unknown verdict '{row['verdict']}'; known: {', '.join(VERDICTS)}"
            )
        if row["study"] != study:
            raise KvasirError(
                f"{path}: line {line}: a claim of study '{row['study']}' among those of '{study}'"
            )
        if not row["id"] or row["id"] in seen:
            raise KvasirError(f"{path}: line {line}: claim id '{row['id']}' is empty or given twice")
        for column in ("tier", "low", "high", "n"):
            if row[column]:
                _number(row[column], path, line, column)
        seen.add(row["id"])
        claims.append(row)
    return claims


def read_runs(path: Path) -> list[Run]:
    """The runs of a study, in the order of the file."""
    known = get_args(Status)
    runs = []
    for line, row in _rows(path, "the table of runs", RUN_COLUMNS):
        if row["status"] not in known:
            raise KvasirError(
                f"{path}: line {line}: unknown status '{row['status']}'; known: {', '.join(known)}"
            )
        seconds = _number(row["seconds"], path, line, "seconds") if row["seconds"] else None
        fields = {name: row[name] for name in ("study", "experiment", "point", "rep", "status", "reason")}
        runs.append(Run(**fields, seconds=seconds))
    return runs


def read_choice(path: Path) -> list[Measure]:
    """Metrics of runs on clusters."""
    found = []
    for line, row in _rows(path, "the table to choose by", CHOICE_COLUMNS):
        value = _number(row["value"], path, line, "value") if row["value"] else None
        nodes = int(_number(row["nodes"], path, line, "nodes"))
        words = {name: row[name] for name in CHOICE_COLUMNS if name not in ("value", "nodes")}
        found.append(Measure(**words, value=value, nodes=nodes))
    return found


def read_environments(path: Path) -> list[Environment]:
    """The environments of all runs."""
    try:
        groups = json.loads(_text(path, "the list of environments"))
        return [Environment(int(group["runs"]), _flat(group["values"])) for group in groups]
    except json.JSONDecodeError as error:
        raise KvasirError(f"{path}: the list of environments is not JSON: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise KvasirError(
            f'{path}: the list of environments should look like [{{"runs": 12, "values": {{"cpu": "..."}}}}]'
        ) from None


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def read_jobs(folder: Path, label: str = "") -> list[Job]:
    """Every job with a benchmark file below `folder`, by path; none if there is no such folder.

    `label` goes before the path of each. The report's own file is left out: it tells of the page before this one.
    """
    jobs = []
    for path in sorted(folder.rglob("*.tsv")):
        name = path.relative_to(folder).with_suffix("").parts
        if name == ("report",):
            continue
        for line, row in _rows(path, "the benchmark file", ("s",), delimiter="\t"):
            cpu_seconds, memory_mib = [
                _number(row[column], path, line, column)
                if row.get(column, "") not in ("", "-", "NA")
                else None
                for column in ("cpu_time", "max_rss")
            ]
            jobs.append(
                Job(
                    path=(label, *name) if label else name,
                    seconds=_number(row["s"], path, line, "s"),
                    cpu_seconds=cpu_seconds,
                    memory_mib=memory_mib,
                )
            )
    return jobs
