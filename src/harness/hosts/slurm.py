"""Runs commands on the hosts of a SLURM allocation, each as a job step that ends with its `srun`'s input.

So when the process that asked for hosts ends in any way, all steps end and the folders on the hosts go. The
hosts need to see this source tree under the same path, and a Python of version 3.9 or later.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from harness.config.hosts import HostsSettings
from harness.core.errors import HostError
from harness.hosts.inside.guardian import PREFIX
from harness.hosts.model import TMPFS, Completed, Counters, Host, Hosts, StrPath, Traffic, judged, shown
from harness.hosts.slurm_steps import (
    REMOTE_SHELL,
    Holder,
    SlurmProcess,
    remote_shell,
    start_step,
    step_command,
)


class SlurmHost(Host):
    """One host of the allocation."""

    def __init__(
        self,
        settings: HostsSettings,
        node: str,
        holder: Holder,
        scratch: Mapping[str, Path],
        memory: Path,
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
        self._memory = memory
        self._steps: list[SlurmProcess] = []

    def scratch(self, disk: str) -> Path:
        """Return this host's own folder on a disk class, on the host itself."""
        if disk not in self._scratch:
            raise HostError(
                f"host {self.name} has no disk {disk!r}, only {', '.join(self._scratch) or 'none'}"
            )
        return self._scratch[disk]

    @property
    def memory(self) -> Path:
        """Return this host's own folder in tmpfs, on the host itself."""
        return self._memory

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
        srun = start_step(step_command(self._settings, self.name, "step"), out, err)
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
        """Return what the whole machine has used since boot, interfaces by their names in the site file."""
        found = self._holder.ask()
        found["interfaces"] = {name: Traffic(*values) for name, values in found["interfaces"].items()}
        return Counters(**found)

    def connect(self, target: str, port: int, timeout_s: float = 10) -> socket.socket:
        """Open a TCP connection from this process, which is in the hosts' network."""
        return socket.create_connection((target, port), timeout_s)

    def let_go(self) -> list[SlurmProcess]:
        """End all steps; return those that still have to be waited for."""
        for step in self._steps:
            step.let_go()
        return self._steps


@contextlib.contextmanager
def allocated(settings: HostsSettings, n: int, disks: Sequence[str]) -> Iterator[Hosts]:
    """Start on the first `n` hosts of the allocation, with their scratch folders."""
    nodes = nodes_of_allocation(settings.slurm.nodes)
    if len(nodes) < n:
        raise HostError(f"slurm hosts: {n} are needed, the allocation has {len(nodes)}: {', '.join(nodes)}")
    token = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    devices = {name: str(one.device) for name, one in settings.interfaces.items()}
    holders: list[Holder] = []
    members: list[SlurmHost] = []
    folders: list[tuple[dict[str, Path], Path]] = []
    shells: list[str] = []
    try:
        for node in nodes[:n]:
            scratch = {disk: settings.disk_folder(disk) / token / node / disk for disk in disks}
            tops = sorted({str(settings.disk_folder(disk) / token / node) for disk in disks})
            memory = TMPFS / token / node
            shell = {f"{top}/{REMOTE_SHELL}": remote_shell(settings) for top in tops[:1]}
            what = {"folders": [str(path) for path in scratch.values()], "devices": devices}
            what["tops"] = [*tops, str(memory)]
            what["programs"] = shell
            shells += shell
            folders.append((scratch, memory))
            holders.append(Holder(settings, node, what))
        for node, holder, (scratch, memory) in zip(nodes, holders, folders, strict=False):
            holder.await_ready()
            members.append(SlurmHost(settings, node, holder, scratch, memory))
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


def nodes_of_allocation(given: Sequence[str] = ()) -> list[str]:
    """Return the job's hosts in SLURM's order, or those given. Raises HostError outside a job."""
    if given:
        return list(given)
    if "SLURM_JOB_ID" not in os.environ:
        raise HostError("slurm hosts: not inside an allocation: SLURM_JOB_ID is not set")
    # The environment may tell of one step only: Snakemake's plugin for SLURM takes the job's list away.
    listed = _ask("squeue", "-h", "-j", os.environ["SLURM_JOB_ID"], "-o", "%N")
    return _ask("scontrol", "show", "hostnames", listed.strip()).split()


def require_nodes(wanted: int) -> list[str]:
    """Return the job's hosts. Raises HostError unless there are exactly `wanted`."""
    found = nodes_of_allocation()
    if len(found) != wanted:
        raise HostError(
            f"the job {os.environ['SLURM_JOB_ID']} has {len(found)} nodes ({', '.join(found)}), planned were"
            f" {wanted}: results would carry the wrong number; look at the options of sbatch in the site file"
        )
    return found


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"slurm hosts: {shown(command)}: {error}") from error
    if done.returncode != 0:
        raise HostError(
            f"slurm hosts: {shown(command)} failed with code {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout
