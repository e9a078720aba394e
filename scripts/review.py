"""Play a reviewer: run the steps of docs/artifact-evaluation.md and write down how long each took.

All but the set-up run in a network namespace that has loopback alone, where the kernel gives an ordinary user one: what
they reach for over a network fails.
"""

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
from harness.report.review import ALL, LOOPBACK, STEPS, Timed
from harness.results.archive import machine_of

SETUP = STEPS[0].command
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "ARGS")
"""What a make gives to those that it starts: its own variables, which are not meant for the steps."""
LOOPBACK_UP = 'ip link set lo up && exec setpriv --inh-caps=-all --ambient-caps=-all -- "$@"'
"""Needs a privilege in the namespace, which the step does not get."""


def without_network() -> list[str]:
    """Return the command that runs another one without a network but loopback; empty where that cannot be had."""
    namespaces = ["--net"] if os.geteuid() == 0 else ["--net", "--user", "--map-current-user", "--keep-caps"]
    command = ["unshare", *namespaces, "sh", "-c", LOOPBACK_UP, "sh"]
    try:
        found = subprocess.run([*command, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return [] if found.returncode else command


def seconds_of(command: str, within: list[str]) -> float:
    """Run a command by way of `within`; returns its wall seconds. Raises KvasirError when it fails."""
    start = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    done = subprocess.run([*within, *command.split()], env=environment, check=False)
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
    alone = without_network()
    if not alone:
        typer.echo("the steps have a network: no namespace without one is to be had here", err=True)
    timed: list[Timed] = []
    for step in STEPS:
        if step.command in leave_out:
            continue
        within = [] if step.command == SETUP else alone
        before = setup_seconds if step.command == SETUP else None
        seconds = seconds_of(step.command, within) if before is None else before
        network = LOOPBACK if within else ALL
        timed.append(Timed(step.name, step.command, round(seconds, 1), where, day, network))
        write_rows(Timed, timed, output)
    typer.echo(f"minutes by the clock: {output}")


if __name__ == "__main__":
    main(review)
