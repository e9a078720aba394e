"""Play a reviewer: run the steps of docs/artifact-evaluation.md and write down how long each took."""

import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.environment import machine
from harness.core.errors import KvasirError
from harness.core.rows import write_rows
from harness.report.review import STEPS, Timed
from harness.results.archive import machine_of

SETUP = STEPS[0].command
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "ARGS")
"""What a make gives to those that it starts: its own variables, which are not meant for the steps."""


def seconds_of(command: str) -> float:
    """Run a command; returns its wall seconds. Raises KvasirError when it fails."""
    start = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    done = subprocess.run(command.split(), env=environment, check=False)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        raise KvasirError(f"{command}: exit code {done.returncode} after {seconds:.0f} s")
    return seconds


def review(
    output: Path = typer.Option(Path("build/review.csv"), help="table of the steps"),
    setup_seconds: float | None = typer.Option(None, help=f"what '{SETUP}' took, if it was run just before"),
    leave_out: list[str] = typer.Option([], "--leave-out", help="a command, such as 'make reproduce'"),
) -> None:
    """Run the steps and write OUTPUT after each; the first that fails ends it."""
    known = [step.command for step in STEPS]
    if unknown := sorted(set(leave_out) - set(known)):
        raise KvasirError(f"--leave-out {unknown[0]!r}: no such step; there are {', '.join(known)}")
    where, day = machine_of(machine()), datetime.now(UTC).date().isoformat()
    timed: list[Timed] = []
    for step in STEPS:
        if step.command in leave_out:
            continue
        before = setup_seconds if step.command == SETUP else None
        seconds = seconds_of(step.command) if before is None else before
        timed.append(Timed(step.name, step.command, round(seconds, 1), where, day))
        write_rows(Timed, timed, output)
    typer.echo(f"minutes by the clock: {output}")


if __name__ == "__main__":
    main(review)
