"""Runs a script's command, which ends with its workflow; prints errors without a traceback and exits with 1."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from harness.core.errors import KvasirError
from harness.core.process import follow_owner


@contextmanager
def ending_clearly() -> Iterator[None]:
    """Ends the process with one message on stderr and exit code 1 when the block raises KvasirError."""
    try:
        yield
    except KvasirError as error:
        Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"error: {error}")
        sys.exit(1)


def main(command: Callable[..., None]) -> None:
    """Run a typer command from the command line."""
    follow_owner()
    try:
        with ending_clearly():
            typer.run(command)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where it stopped", file=sys.stderr)
        sys.exit(130)
