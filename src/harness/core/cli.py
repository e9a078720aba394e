"""Runs a script's command; prints errors without a traceback and exits with 1."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer
from rich.console import Console

from harness.core.errors import KvasirError


def main(command: Callable[..., None]) -> None:
    """Run a typer command from the command line."""
    try:
        typer.run(command)
    except KvasirError as error:
        Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"error: {error}")
        sys.exit(1)
