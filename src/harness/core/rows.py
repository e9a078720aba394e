"""Reads tables of text strictly, every row whole and every needed column there, and writes rows of dataclasses."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TypeVar

from harness.core.errors import KvasirError
from harness.core.files import replacing

Cells = dict[str, str]
DataRow = TypeVar("DataRow")
"""A dataclass, whose fields are the columns."""


def read_rows(
    path: Path, what: str, columns: tuple[str, ...], delimiter: str = ","
) -> list[tuple[int, Cells]]:
    """Returns the rows of a CSV file by their line numbers; `what` names the file in messages.

    Raises KvasirError if it cannot be read, is cut off, lacks one of `columns`, or has a row of another length.
    """
    text = _text(path, what)
    if not text.endswith("\n"):
        raise KvasirError(
            f"{path}: {what} is cut off: its last line does not end; delete it and make it again"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, Cells]] = []
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


def write_rows(kind: type[DataRow], rows: Iterable[DataRow], path: Path) -> None:
    """Writes rows as CSV; the header alone if there are none. Raises KvasirError when the disk is full."""
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [field.name for field in fields(kind)], lineterminator="\n")  # type: ignore[arg-type]
        out.writeheader()
        out.writerows(asdict(row) for row in rows)  # type: ignore[call-overload]


def as_number(cells: Cells, column: str, path: Path, line: int) -> float | None:
    """Returns the number in a cell, None where it is empty or says that there is none. Raises KvasirError."""
    text = cells.get(column, "")
    if text in ("", "-", "NA"):
        return None
    try:
        return float(text)
    except ValueError:
        raise KvasirError(
            f"{path}: line {line}: column '{column}' should be a number, not '{text}'"
        ) from None


def _text(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise KvasirError(f"{path}: {what} cannot be read: {error.strerror}; make it again") from None
    except UnicodeDecodeError:
        raise KvasirError(f"{path}: {what} is not UTF-8 text; make it again") from None
