"""Play a reviewer: run the steps of docs/artifact-evaluation.md and write down how long each took.

All but the set-up run in a network namespace that has loopback alone, where the kernel gives an ordinary user one: what
they reach for over a network fails. A review that was interrupted goes on with --resume.
"""

import contextlib
import os
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.environment import machine
from harness.core.errors import KvasirError
from harness.core.rows import write_rows
from harness.kernel.linux import die_with_parent
from harness.report.review import ALL, LOOPBACK, STEPS, Timed, resumed
from harness.results.archive import machine_of

SETUP = STEPS[0].command
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "ARGS")
"""What a make gives to those that it starts: its own variables, which are not meant for the steps."""
LOOPBACK_UP = 'ip link set lo up && exec setpriv --pdeathsig TERM --inh-caps=-all --ambient-caps=-all -- "$@"'
"""Needs a privilege in the namespace, which the step does not get; a new namespace clears the parent's death signal."""
NOTED_EVERY = 5.0
"""Seconds between two writes of how long a step has taken so far: what a kill or a power cut can lose."""


def without_network() -> list[str]:
    """Return the command that runs another one without a network but loopback; empty where that cannot be had."""
    namespaces = ["--net"] if os.geteuid() == 0 else ["--net", "--user", "--map-current-user", "--keep-caps"]
    command = ["unshare", *namespaces, "sh", "-c", LOOPBACK_UP, "sh"]
    try:
        found = subprocess.run([*command, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return [] if found.returncode else command


def play(so_far: Timed, within: list[str], unfinished: Path) -> Timed:
    """Run a step by way of `within`; returns it with the wall seconds of this run added.

    Until it has ended well, `unfinished` holds the seconds so far. Raises KvasirError when the step fails.
    """
    start = time.monotonic()

    def now() -> Timed:
        return replace(so_far, seconds=round(so_far.seconds + time.monotonic() - start, 1))

    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    command = [*within, *so_far.command.split()]
    step = subprocess.Popen(command, env=environment, preexec_fn=die_with_parent)
    try:
        while step.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                step.wait(NOTED_EVERY)
            write_rows(Timed, [now()], unfinished)
    except KeyboardInterrupt:
        # The terminal has interrupted the step as well.
        step.wait()
        write_rows(Timed, [now()], unfinished)
        raise
    if step.returncode != 0:
        seconds = time.monotonic() - start
        raise KvasirError(f"{so_far.command}: exit code {step.returncode} after {seconds:.0f} s")
    return now()


def review(
    output: Path = typer.Option(Path("build/review.csv"), help="table of the steps"),
    setup_seconds: float | None = typer.Option(None, help=f"what '{SETUP}' took, if it was run just before"),
    leave_out: list[str] = typer.Option([], "--leave-out", help="a command, such as 'make reproduce'"),
    resume: bool = typer.Option(
        False, "--resume", help="keep the steps of OUTPUT; an interrupted one goes on"
    ),
) -> None:
    """Run the steps and write OUTPUT after each; the first that fails ends it."""
    known = [step.command for step in STEPS]
    if unknown := sorted(set(leave_out) - set(known)):
        raise KvasirError(f"--leave-out {unknown[0]!r}: no such step; there are {', '.join(known)}")
    alone = without_network()
    if not alone:
        typer.echo("the steps have a network: no namespace without one is to be had here", err=True)
    where, day = machine_of(machine()), datetime.now(UTC).date().isoformat()
    unfinished = output.with_name(f"{output.stem}-unfinished{output.suffix}")
    if not resume:
        for left in (output, unfinished):
            left.unlink(missing_ok=True)
    timed, begun = resumed(output, unfinished, where) if resume else ([], [])
    for step in STEPS:
        if step.command in leave_out or step.command in {one.command for one in timed}:
            continue
        within = [] if step.command == SETUP else alone
        before = sum(one.seconds for one in begun if one.command == step.command)
        network = LOOPBACK if within else ALL
        so_far = Timed(step.name, step.command, before, where, timed[0].day if timed else day, network)
        if step.command == SETUP and setup_seconds is not None:
            timed.append(replace(so_far, seconds=setup_seconds))
        else:
            timed.append(play(so_far, within, unfinished))
        write_rows(Timed, timed, output)
        unfinished.unlink(missing_ok=True)
    typer.echo(f"minutes by the clock: {output}")


if __name__ == "__main__":
    main(review)
