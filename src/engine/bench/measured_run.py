"""One run of a program, and what it took: CPU of all that it started, and wall time."""

import contextlib
import ctypes
import os
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1


class CompareError(Exception):
    """Something that makes the comparison worthless; the message says what and where."""


@dataclass(frozen=True)
class Usage:
    """CPU and wall seconds of one run."""

    cpu_s: float
    wall_s: float


def run(command: list[str], log: Path) -> Usage:
    """Run `command` to its end; it and all it started go when this process goes."""
    libc = ctypes.CDLL(None)

    def die_with_parent() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)

    environment = dict(os.environ)
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    began = time.monotonic()
    with log.open("wb") as out:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=environment,
                preexec_fn=die_with_parent,
                start_new_session=True,
            )
        except OSError as error:
            raise CompareError(f"{command[0]}: cannot be started: {error.strerror}") from error
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-2000:]
        raise CompareError(f"exit code {process.returncode} of {shlex.join(command)}\n{said}")
    return Usage(used.ru_utime + used.ru_stime, wall)
