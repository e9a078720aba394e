"""Arguments and results that the comparisons have in common."""

import argparse
import csv
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from measured_run import CompareError
from rich.console import Console
from rich.table import Table

LAUNCHER = "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1"
TABLE_WIDTH = 136


def started_by(launcher: str, ranks: int) -> list[str]:
    """Return the words that start a program of the engine on `ranks` ranks: none for one, which needs no launcher."""
    return [] if ranks == 1 else [*shlex.split(launcher), "-n", str(ranks)]


def add_launcher(parser: argparse.ArgumentParser) -> None:
    """Add the option of the launcher."""
    text = "how several ranks are started, without their number (one rank is started without a launcher)"
    parser.add_argument("--launcher", default=LAUNCHER, help=text)


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


def report_comparison(
    name: str, scratch: Path | None, comparison: Callable[[Path, Callable[[str], None]], Table]
) -> int:
    """Run comparison(folder, say) in a temporary folder of `scratch`, show its table; return the exit code.

    `name` begins the line that says what went wrong. SIGTERM ends it with 143, SIGINT with 130.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with (
            tempfile.TemporaryDirectory(dir=scratch, prefix="bench ") as folder,
            Console(stderr=True).status("generating") as status,
        ):
            table = comparison(Path(folder), status.update)
    except (CompareError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    # Where the output is no terminal its width is a guess; the table is printed whole.
    Console(width=max(Console().width, TABLE_WIDTH)).print(table)
    return 0
