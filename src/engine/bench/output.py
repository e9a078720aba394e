"""Arguments and results that the comparisons have in common."""

import argparse
import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from measured_run import CompareError
from rich.console import Console
from rich.table import Table

LAUNCHER = "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1"
TABLE_WIDTH = 136


def positive(text: str) -> int:
    """Return a whole number above 0, for argparse."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"found '{text}', expected a whole number above 0")
    return int(text)


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV, which appears only when it is whole. Raises CompareError."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(header)
            table.writerows(rows)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CompareError(f"{path}: cannot be written: {error.strerror}") from error


def show(table: Table) -> None:
    """Print a table whole: where the output is no terminal its width is a guess."""
    Console(width=max(Console().width, TABLE_WIDTH)).print(table)
