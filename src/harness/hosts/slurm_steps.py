"""Starts job steps of SLURM on hosts and talks to them through their `srun`.

The life of a step hangs on the input of its `srun`: it ends when the process that started it ends in any way.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shlex
import subprocess
import threading
from collections.abc import Sequence
from typing import IO, Any

from harness.config.hosts import HostsSettings
from harness.core.errors import HostError
from harness.hosts.inside.server import step_environment
from harness.hosts.model import Process, tail
from harness.hosts.probing import BOOT


def step_command(settings: HostsSettings, node: str, role: str, cwd: str = "/") -> list[str]:
    """Returns the `srun` command that starts our agent on one host in a role, beside other steps there."""
    options = [
        "--overlap",
        "--nodes=1",
        "--ntasks=1",
        f"--nodelist={node}",
        "--quiet",
        "--unbuffered",
        f"--chdir={cwd}",
    ]
    return [*settings.slurm.srun, *options, settings.slurm.python, "-I", "-S", str(BOOT), "slurm_agent", role]


REMOTE_SHELL = "remote-shell"
"""A program in each host's folder that does what `ssh HOST COMMAND` does, for launchers of the host."""


def remote_shell(settings: HostsSettings) -> str:
    """Render the remote shell program: it runs a command in a job step of its own, without MPI."""
    one = '--overlap --nodes=1 --ntasks=1 --nodelist="$host" --quiet'
    srun = shlex.join(settings.slurm.srun)
    return f'#!/bin/sh\nhost=$1; shift\nexec {srun} {one} --mpi=none --cpu-bind=none /bin/sh -c "$*"\n'


def start_step(command: list[str], out: IO[bytes] | int, err: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start `srun` in its own session, without the variables of the job's own step."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
            env=step_environment(os.environ),
        )
    except OSError as error:
        raise HostError(f"slurm hosts: {command[0]}: {error.strerror}") from error


class SlurmProcess(Process):
    """A step with one command."""

    def __init__(self, host: str, command: Sequence[str], srun: subprocess.Popen[bytes]) -> None:
        super().__init__(host, command, srun.pid)
        self._srun = srun

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Exit code (negative: signal), or None when it still runs after `timeout_s` seconds."""
        try:
            code = self._srun.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        self.let_go()
        return 128 - code if 128 < code <= 192 else code

    def signal(self, number: int) -> None:
        """Send a signal to the program and all it started in its session; no error if it has ended."""
        stdin = self._srun.stdin
        assert stdin is not None
        with contextlib.suppress(OSError, ValueError):
            stdin.write(f"{int(number)}\n".encode())
            stdin.flush()

    def let_go(self) -> None:
        """End the step, if it runs still."""
        assert self._srun.stdin is not None
        with contextlib.suppress(OSError):
            self._srun.stdin.close()


class Holder:
    """The step that holds a host's scratch folders and reads its counters."""

    def __init__(self, settings: HostsSettings, node: str, what: dict[str, Any]) -> None:
        self._node = node
        self._settings = settings
        self._errors = os.fdopen(os.memfd_create("stderr"), "w+b")
        self._lock = threading.Lock()
        self.srun = start_step(step_command(settings, node, "holder"), subprocess.PIPE, self._errors)
        self._send(json.dumps(what))
        self.addresses: dict[str, str] = {}

    def await_ready(self) -> None:
        """Wait until the folders are there."""
        self.addresses = self._receive(self._settings.start_timeout_s)["addresses"]

    def ask(self) -> dict[str, Any]:
        """Request the host's counters."""
        with self._lock:
            self._send("counters")
            return self._receive(60)

    def _send(self, line: str) -> None:
        assert self.srun.stdin is not None
        with contextlib.suppress(OSError):  # the answer that does not come says why
            self.srun.stdin.write(line.encode() + b"\n")
            self.srun.stdin.flush()

    def _receive(self, timeout_s: float) -> dict[str, Any]:
        assert self.srun.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.srun.stdout, selectors.EVENT_READ)
            line = self.srun.stdout.readline() if selector.select(timeout_s) else b""
        answer = json.loads(line) if line.endswith(b"\n") else {"error": self._silence(timeout_s)}
        if "error" in answer:
            raise HostError(f"host {self._node}: {answer['error']}")
        return dict(answer)

    def _silence(self, timeout_s: float) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.srun.wait(1)
        self._errors.seek(0)
        said = tail(self._errors.read().decode(errors="replace"))
        state = (
            f"no answer in {timeout_s:g} s"
            if self.srun.poll() is None
            else f"srun ended with code {self.srun.returncode}"
        )
        return f"{state}; is {BOOT} there and {self._settings.slurm.python} of version 3.9 or later?\n{said}".rstrip()

    def let_go(self) -> None:
        """End the step: it removes the folders."""
        assert self.srun.stdin is not None
        with contextlib.suppress(OSError):
            self.srun.stdin.close()

    def join(self) -> bool:
        """Wait for the end; tell whether it came."""
        try:
            self.srun.wait(60)
            return True
        except subprocess.TimeoutExpired:
            self.srun.kill()
            return False
        finally:
            self.srun.wait()
            self._errors.close()
            if self.srun.stdout is not None:
                self.srun.stdout.close()
