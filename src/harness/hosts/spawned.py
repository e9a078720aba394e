"""Runs commands on an emulated or local host through a connection to its server."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.config.hosts import Disk, HostsSettings
from harness.core.errors import HostError
from harness.hosts.inside import rsh, throttle, wire
from harness.hosts.model import (
    Completed,
    Counters,
    DiskTraffic,
    Host,
    Process,
    StrPath,
    Traffic,
    judged,
    shown,
)
from harness.hosts.plan import addresses_of, known_names, names_of


class Connection:
    """Requests to one host's server, or to all hosts' first process, one at a time."""

    def __init__(self, host: str, sock: socket.socket) -> None:
        self.host = host
        self._sock = sock
        self._lock = threading.Lock()

    def request(self, op: str, fds: Sequence[int] = (), **content: Any) -> tuple[dict[str, Any], list[int]]:
        """Send a request and return the answer. Raises HostError when the host has gone."""
        with self._lock:
            try:
                wire.send(self._sock, {"op": op, **content}, fds)
                answer = wire.receive(self._sock)
            except OSError as error:
                raise HostError(
                    f"host {self.host} has gone ({error.strerror}): its hosts were closed or killed"
                ) from error
        if answer is None:
            raise HostError(
                f"host {self.host} has gone: its hosts were closed, or its first process was killed"
            )
        return answer

    def close(self) -> None:
        """End the host."""
        with self._lock:
            self._sock.close()


class SpawnedProcess(Process):
    """A command on a host, known by a descriptor of its process, which no other process can ever be."""

    def __init__(self, connection: Connection, command: Sequence[str], number: int, pidfd: int) -> None:
        super().__init__(connection.host, command, _pid_of(pidfd))
        self._connection = connection
        self._number = number
        self._pidfd = pidfd
        self._code: int | None = None
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Exit code (negative: signal), or None when it still runs after `timeout_s` seconds."""
        if self._code is None:
            poller = select.poll()
            poller.register(self._pidfd, select.POLLIN)
            if poller.poll(None if timeout_s is None else max(timeout_s, 0) * 1000):
                with self._lock:
                    if self._code is None:
                        self._code = self._connection.request("code", number=self._number)[0]["code"]
                if self._code is None:
                    raise HostError(f"host {self.host}: the code of {shown(self.command)} was lost")
        return self._code

    def signal(self, number: int) -> None:
        """Send a signal to the program and all it started in its session; no error if it has ended."""
        self._connection.request("signal", number=self._number, signum=int(number))


def _pid_of(pidfd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return -1


class SpawnedHost(Host):
    """A host with a server of ours."""

    def __init__(
        self, connection: Connection, plan: dict[str, Any], rsh_folder: str, settings: HostsSettings, n: int
    ) -> None:
        number = plan["number"]
        addresses = addresses_of(settings, n)[number]
        names = addresses if settings.kind == "local" else names_of(settings, n)[number]
        super().__init__(plan["name"], addresses, names, settings.default_interface)
        self._connection = connection
        self._isolated = settings.kind == "emulated"
        self._scratch = {disk["name"]: Path(disk["path"]) for disk in plan["disks"]}
        self._memory = Path(plan["memory"])
        self._disks = {disk["name"]: settings.disks[disk["name"]] for disk in plan["disks"]}
        self._throttles = [
            f"{disk['path']}/{throttle.FOLDER}/{throttle.STATE}"
            for disk in plan["disks"]
            if disk["medium"] == "throttled"
        ]
        self._known = known_names(settings, n)
        self._rsh = rsh_folder

    def scratch(self, disk: str) -> Path:
        """Return this host's own folder on a disk class."""
        if disk not in self._scratch:
            raise HostError(
                f"host {self.name} has no disk {disk!r}, only {', '.join(self._scratch) or 'none'}"
            )
        return self._scratch[disk]

    @property
    def memory(self) -> Path:
        """Return this host's own folder in tmpfs."""
        return self._memory

    def _spawn(
        self,
        command: Sequence[StrPath],
        env: Mapping[str, str] | None,
        cwd: StrPath | None,
        fds: Sequence[int],
        terminal: bool = False,
    ) -> SpawnedProcess:
        words = [str(word) for word in command]
        own = {rsh.FOLDER: self._rsh}
        if self._isolated:
            # UCX would find shared memory faster than the links, and another interface as good as this one.
            own |= {
                "TMPDIR": "/tmp",
                "HOSTNAME": self.name,
                "UCX_TLS": "tcp",
                "UCX_NET_DEVICES": self._default,
            }
        own |= throttle.environment(self._throttles, os.environ.get("LD_PRELOAD", ""))
        where = str(cwd) if cwd is not None else (os.getcwd() if not self._isolated else None)
        reply, given = self._connection.request(
            "start",
            fds,
            command=words,
            env={**os.environ, **own, **(env or {})},
            cwd=where,
            terminal=terminal,
        )
        if "error" in reply:
            raise HostError(f"host {self.name}: {shown(words)}: {reply['error']}")
        return SpawnedProcess(self._connection, words, reply["number"], given[0])

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
        with contextlib.ExitStack() as stack:
            fds = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
            for fd in fds:
                stack.callback(os.close, fd)
            with os.fdopen(os.dup(fds[0]), "wb") as file:
                file.write(stdin)
            os.lseek(fds[0], 0, os.SEEK_SET)
            process = self._spawn(command, env, cwd, fds)
            try:
                code = process.wait(timeout_s)
            except BaseException:
                with contextlib.suppress(HostError):
                    process.signal(signal.SIGKILL)
                raise
            if code is None:
                process.stop(2)
            out, err = text_of(fds[1]), text_of(fds[2])
        seconds = time.monotonic() - began
        return judged(
            Completed(self.name, process.command, code or 0, out, err, seconds), code, timeout_s, check
        )

    def start(
        self,
        command: Sequence[StrPath],
        *,
        log: StrPath,
        env: Mapping[str, str] | None = None,
        cwd: StrPath | None = None,
    ) -> SpawnedProcess:
        """Start a command in a session of its own, output appended to `log`, no standard input."""
        try:
            with open(os.devnull, "rb") as nothing, open(log, "ab") as out:
                return self._spawn(command, env, cwd, [nothing.fileno(), out.fileno(), out.fileno()])
        except OSError as error:
            raise HostError(f"host {self.name}: log {log}: {error.strerror}") from error

    def attach(self, command: Sequence[StrPath], fds: Sequence[int], terminal: bool) -> SpawnedProcess:
        """Start a command on three descriptors of this process; `terminal`: the first controls its session."""
        return self._spawn(command, None, None, fds, terminal)

    def counters(self) -> Counters:
        """What this host's processes have used so far."""
        found = self._connection.request("counters")[0]
        if "error" in found:
            raise HostError(f"host {self.name}: counters: {found['error']}")
        found["interfaces"] = {name: Traffic(*values) for name, values in found["interfaces"].items()}
        found["disks"] = {
            name: disk_traffic(self._disks[name], *values) for name, values in found.get("disks", {}).items()
        }
        return Counters(**found)

    def connect(self, target: str, port: int, timeout_s: float = 10) -> socket.socket:
        """Open a TCP connection from within this host's network."""
        reply, fds = self._connection.request("socket")
        if not fds:
            raise HostError(f"host {self.name}: no socket: {reply.get('error')}")
        sock = socket.socket(fileno=fds[0])
        try:
            sock.settimeout(timeout_s)
            sock.connect((self._known.get(target, target), port))
        except BaseException:
            sock.close()
            raise
        return sock


def disk_traffic(disk: Disk, read: int, written: int, busy_s: float) -> DiskTraffic:
    """Compute a disk's traffic; a throttled disk is busy as long as its rates make it, not its device."""
    slowed_s = read / 1e6 / (disk.read_mb_s or float("inf")) + written / 1e6 / (
        disk.write_mb_s or float("inf")
    )
    return DiskTraffic(read, written, max(busy_s, slowed_s))


def text_of(fd: int) -> str:
    """Read a memory file from its start."""
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read().decode(errors="replace")
