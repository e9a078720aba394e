"""Hosts of a SLURM allocation. Every command is a step of its own, and its life hangs on its `srun`'s input.

So when the process that asked for hosts ends in any way, all steps end and the folders on the hosts go. The
hosts need to see this source tree under the same path, and a Python of version 3.9 or later.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import selectors
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from harness.hosts.allocation import nodes_of_allocation
from harness.hosts.inside.guardian import PREFIX
from harness.hosts.inside.variables import step_environment
from harness.hosts.model import (
    Completed,
    Counters,
    Host,
    HostError,
    Hosts,
    Process,
    StrPath,
    Traffic,
    judged,
    tail,
)
from harness.hosts.probing import BOOT
from harness.hosts.settings import HostsSettings


def step_command(settings: HostsSettings, node: str, module: str, cwd: str = "/") -> list[str]:
    """The `srun` that starts one of our programs on one host, beside other steps there."""
    options = [
        "--overlap",
        "--nodes=1",
        "--ntasks=1",
        f"--nodelist={node}",
        "--quiet",
        "--unbuffered",
        f"--chdir={cwd}",
    ]
    return [*settings.slurm.srun, *options, settings.slurm.python, "-I", "-S", str(BOOT), module]


REMOTE_SHELL = "remote-shell"
"""A program in each host's folder that does what `ssh HOST COMMAND` does, for launchers of the host."""


def remote_shell(settings: HostsSettings) -> str:
    """The text of the program. A step of its own starts the command beside other steps, without MPI around it."""
    one = '--overlap --nodes=1 --ntasks=1 --nodelist="$host" --quiet'
    srun = shlex.join(settings.slurm.srun)
    return f'#!/bin/sh\nhost=$1; shift\nexec {srun} {one} --mpi=none --cpu-bind=none /bin/sh -c "$*"\n'


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


class SlurmHost(Host):
    """One host of the allocation."""

    def __init__(
        self,
        settings: HostsSettings,
        node: str,
        holder: Holder,
        scratch: Mapping[str, Path],
    ) -> None:
        names = {name: (one.names or "{host}").format(host=node) for name, one in settings.interfaces.items()}
        names = {
            name: address
            if settings.interfaces[name].names is None and name != settings.default_interface
            else names[name]
            for name, address in holder.addresses.items()
        }
        super().__init__(node, holder.addresses, names, settings.default_interface)
        self._settings = settings
        self._holder = holder
        self._scratch = dict(scratch)
        self._steps: list[SlurmProcess] = []

    def scratch(self, disk: str) -> Path:
        """This host's own folder on a disk class, on the host itself."""
        if disk not in self._scratch:
            raise HostError(
                f"host {self.name} has no disk {disk!r}, only {', '.join(self._scratch) or 'none'}"
            )
        return self._scratch[disk]

    def _spawn(
        self,
        command: Sequence[StrPath],
        env: Mapping[str, str] | None,
        cwd: StrPath | None,
        stdin: bytes,
        out: IO[bytes],
        err: IO[bytes],
    ) -> SlurmProcess:
        words = [str(word) for word in command]
        what = {
            "command": words,
            "env": {**os.environ, **(env or {})},
            "cwd": str(cwd if cwd is not None else os.getcwd()),
            "stdin": base64.b64encode(stdin).decode(),
        }
        srun = _popen(step_command(self._settings, self.name, "step"), out, err)
        process = SlurmProcess(self.name, words, srun)
        assert srun.stdin is not None
        try:
            srun.stdin.write(json.dumps(what).encode() + b"\n")
            srun.stdin.flush()
        except OSError:
            process.wait(10)  # its code and words say more than a closed pipe
        self._steps = [step for step in self._steps if step.poll() is None] + [process]
        return process

    def run(
        self,
        command: Sequence[StrPath],
        *,
        env: Mapping[str, str] | None = None,
        cwd: StrPath | None = None,
        timeout_s: float = 600,
        stdin: bytes = b"",
        check: bool = True,
    ) -> Completed:
        """Run a command to its end."""
        began = time.monotonic()
        with (
            os.fdopen(os.memfd_create("stdout"), "w+b") as out,
            os.fdopen(os.memfd_create("stderr"), "w+b") as err,
        ):
            process = self._spawn(command, env, cwd, stdin, out, err)
            try:
                code = process.wait(timeout_s)
                if code is None:
                    process.stop(2)
            finally:
                process.let_go()
            texts: list[str] = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        seconds = time.monotonic() - began
        return judged(
            Completed(self.name, process.command, code or 0, texts[0], texts[1], seconds),
            code,
            timeout_s,
            check,
        )

    def start(
        self,
        command: Sequence[StrPath],
        *,
        log: StrPath,
        env: Mapping[str, str] | None = None,
        cwd: StrPath | None = None,
    ) -> SlurmProcess:
        """Start a command; one that cannot be started ends with code 127, and the log says why."""
        try:
            with open(log, "ab") as out:
                return self._spawn(command, env, cwd, b"", out, out)
        except OSError as error:
            raise HostError(f"host {self.name}: log {log}: {error.strerror}") from error

    def counters(self) -> Counters:
        """What the whole machine has used since it was booted, its interfaces by their names here."""
        found = self._holder.ask()
        found["interfaces"] = {name: Traffic(*values) for name, values in found["interfaces"].items()}
        return Counters(**found)

    def connect(self, target: str, port: int, timeout_s: float = 10) -> socket.socket:
        """A TCP connection from this process, which is in the hosts' network."""
        return socket.create_connection((target, port), timeout_s)

    def let_go(self) -> list[SlurmProcess]:
        """End all steps; those that still have to be waited for."""
        for step in self._steps:
            step.let_go()
        return self._steps


class Holder:
    """The step that holds a host's folders and reads its counters."""

    def __init__(self, settings: HostsSettings, node: str, what: dict[str, Any]) -> None:
        self._node = node
        self._settings = settings
        self._errors = os.fdopen(os.memfd_create("stderr"), "w+b")
        self._lock = threading.Lock()
        self.srun = _popen(step_command(settings, node, "holder"), subprocess.PIPE, self._errors)
        self._send(json.dumps(what))
        self.addresses: dict[str, str] = {}

    def await_ready(self) -> None:
        """Wait until the folders are there."""
        self.addresses = self._receive(self._settings.start_timeout_s)["addresses"]

    def ask(self) -> dict[str, Any]:
        """The host's counters."""
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
        """Wait for the end; whether it came."""
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


def _popen(command: list[str], out: IO[bytes] | int, err: IO[bytes]) -> subprocess.Popen[bytes]:
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


@contextlib.contextmanager
def allocated(settings: HostsSettings, n: int, disks: Sequence[str]) -> Iterator[Hosts]:
    """The first `n` hosts of the allocation, with their folders."""
    nodes = nodes_of_allocation(settings.slurm.nodes)
    if len(nodes) < n:
        raise HostError(f"slurm hosts: {n} are needed, the allocation has {len(nodes)}: {', '.join(nodes)}")
    token = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    devices = {name: str(one.device) for name, one in settings.interfaces.items()}
    holders: list[Holder] = []
    members: list[SlurmHost] = []
    scratches: list[dict[str, Path]] = []
    shells: list[str] = []
    try:
        for node in nodes[:n]:
            scratch = {disk: settings.disk_folder(disk) / token / node / disk for disk in disks}
            tops = sorted({str(settings.disk_folder(disk) / token / node) for disk in disks})
            shell = {f"{top}/{REMOTE_SHELL}": remote_shell(settings) for top in tops[:1]}
            what = {"folders": [str(path) for path in scratch.values()], "tops": tops, "devices": devices}
            what["programs"] = shell
            shells += shell
            scratches.append(scratch)
            holders.append(Holder(settings, node, what))
        for node, holder, scratch in zip(nodes, holders, scratches, strict=False):
            holder.await_ready()
            members.append(SlurmHost(settings, node, holder, scratch))
        yield Hosts(members, settings, disks, ["/bin/sh", shells[0]] if shells else [])
    finally:
        steps = [step for member in members for step in member.let_go()]
        for step in steps:
            step.wait(30)
        for holder in holders:
            holder.let_go()
        left = [node for node, holder in zip(nodes, holders, strict=False) if not holder.join()]
    if left:
        raise HostError(f"slurm hosts: folders {token} may be left on {', '.join(left)}")
