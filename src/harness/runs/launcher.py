"""Tries the launcher of MPI programs before any run needs it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.plan.spec import RunSpec
from harness.runs.run import launch_environment

TIMEOUT_S = 60


def try_launcher(command: str, file: str) -> None:
    """Starts one process by the launcher's `command`, the key `launcher` of the site's `file`.

    Raises KvasirError when there is no such program or it starts nothing.
    """
    words = shlex.split(command)
    where = f"{file}: launcher: found {command!r}"
    if not words or shutil.which(words[0]) is None:
        program = words[0] if words else ""
        raise KvasirError(f"{where}: there is no program {program!r}; name one that starts MPI programs here")
    trial = [*words, "-n", "1", "true"]
    try:
        done = subprocess.run(
            trial,
            env=launch_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KvasirError(f"{where}: {shlex.join(trial)} does not work: {error}") from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-300:]
        raise KvasirError(f"{where}: {shlex.join(trial)} ended with {done.returncode}: {said}")


def refuse_wrong_launcher(site: Site, file: str, results: Path, runs: Iterable[RunSpec]) -> None:
    """Tries a site's launcher if its runs happen on this machine and one that needs it has no record in `results`.

    Raises KvasirError as `try_launcher`.
    """
    if not site.here:
        return
    for run in runs:
        who = run.identity
        place = results / "runs" / who.study / who.experiment / who.point / str(who.rep) / "run.json"
        if run.launcher and not place.is_file():
            try_launcher(site.launcher, file)
            return
