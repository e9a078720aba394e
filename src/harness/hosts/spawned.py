"""Hosts that this process starts itself, emulated and local: plan, guardian, and one connection per host."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.hosts import groups
from harness.hosts.inside import devices, wire
from harness.hosts.inside.guardian import PREFIX
from harness.hosts.model import (
    Completed,
    Counters,
    DiskTraffic,
    Host,
    HostError,
    Hosts,
    Process,
    StrPath,
    Traffic,
    shown,
    tail,
)
from harness.hosts.probing import BOOT, isolation, program
from harness.hosts.settings import HostsSettings

MOST = 200
"""Hosts of one cluster: their addresses differ in the last byte."""
_FDS_PER_MESSAGE = 8


def names_of(settings: HostsSettings, n: int) -> list[dict[str, str]]:
    """For each host, how it is called over each interface: `n0` over the default one, `n0-ib` over `ib`."""
    default = settings.default_interface
    return [
        {name: f"n{i}" if name == default else f"n{i}-{name}" for name in settings.interfaces}
        for i in range(n)
    ]


def addresses_of(settings: HostsSettings, n: int) -> list[dict[str, str]]:
    """For each host, its address on each interface."""
    if settings.kind == "local":
        return [dict.fromkeys(settings.interfaces, f"127.0.0.{i + 1}") for i in range(n)]
    return [
        {name: f"10.77.{net + 1}.{i + 10}" for net, name in enumerate(settings.interfaces)} for i in range(n)
    ]


def hosts_file(settings: HostsSettings, n: int) -> str:
    """/etc/hosts of every emulated host. The first name of a line is what an address resolves to."""
    lines = ["127.0.0.1 localhost"]
    for i, addresses in enumerate(addresses_of(settings, n)):
        for name, address in addresses.items():
            first = f"n{i} " if name == settings.default_interface else ""
            lines.append(f"{address} {first}n{i}-{name}")
    return "\n".join(lines) + "\n"


def plan_of(
    settings: HostsSettings, n: int, disks: Sequence[str], shared: Sequence[StrPath]
) -> dict[str, Any]:
    """All that guardian and agent have to know."""
    token = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    bases = [settings.scratch_folder, *(settings.disk_folder(disk) for disk in disks)]
    folders = list(dict.fromkeys(str(base / token) for base in bases))
    hosts: list[dict[str, Any]] = []
    for i, addresses in enumerate(addresses_of(settings, n)):
        own = []
        for name in disks:
            path = settings.disk_folder(name) / token / f"n{i}" / name
            limits = settings.disks[name].model_dump(include={"medium", "size_mb", "read_mb_s", "write_mb_s"})
            own.append({"name": name, "path": str(path), **limits})
        hosts.append({"name": f"n{i}", "number": i, "addresses": addresses, "disks": own, "group": None})
    plan: dict[str, Any] = {
        "kind": settings.kind,
        "folders": folders,
        "hosts": hosts,
        "interfaces": {name: one.rate_mbit_s for name, one in settings.interfaces.items()},
        "queue_ms": settings.queue_ms,
        "hosts_file": hosts_file(settings, n),
        "shared": outermost([*_always_shared(), *settings.shared, *shared]),
        "cgroups": [],
        "unshare": [],
    }
    if settings.kind == "emulated":
        plan |= {"unshare": list(isolation().command), "ip": program("ip"), "tc": program("tc")}
        _add_groups(plan, settings, disks, token)
    return plan


def _add_groups(plan: dict[str, Any], settings: HostsSettings, disks: Sequence[str], token: str) -> None:
    """Groups are needed for a quota, and on the second version for the rates of a disk."""
    limited = any(settings.disks[name].read_mb_s or settings.disks[name].write_mb_s for name in disks)
    needed = [] if settings.cpu_cores is None else ["cpu"]
    if limited and devices.blkio_root() is None:
        needed += ["io", "memory"]
    if not needed:
        return
    where = groups.place(needed)
    if isinstance(where, str):
        raise HostError(f"hosts: no control group can be made for {' and '.join(needed)}: {where}")
    made = groups.wanted(where, token, [host["name"] for host in plan["hosts"]], needed, settings.cpu_cores)
    plan["cgroups"] = made.folders
    for host, group in zip(plan["hosts"], made.of_hosts, strict=True):
        host["group"] = group


def _always_shared() -> list[Path]:
    """The working folder and this Python, should they lie in a temporary folder."""
    return [path for path in (Path.cwd(), Path(sys.prefix)) if path not in (Path("/tmp"), Path("/dev/shm"))]


def outermost(paths: Sequence[StrPath]) -> list[str]:
    """Paths without those that lie in another of them."""
    found: list[Path] = []
    for path in sorted(Path(os.path.realpath(path)) for path in paths):
        if not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return [str(path) for path in found]


class Connection:
    """Requests to one host's server, one at a time."""

    def __init__(self, host: str, sock: socket.socket) -> None:
        self.host = host
        self._sock = sock
        self._lock = threading.Lock()

    def request(self, op: str, fds: Sequence[int] = (), **content: Any) -> tuple[dict[str, Any], list[int]]:
        """Ask and wait for the answer. HostError: the host has gone."""
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
        with self._lock:
            if self._code is None:
                poller = select.poll()
                poller.register(self._pidfd, select.POLLIN)
                if poller.poll(None if timeout_s is None else max(timeout_s, 0) * 1000):
                    code = self._connection.request("code", number=self._number)[0]["code"]
                    if code is None:
                        raise HostError(f"host {self.host}: the code of {shown(self.command)} was lost")
                    self._code = code
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

    def __init__(self, connection: Connection, plan: dict[str, Any], settings: HostsSettings, n: int) -> None:
        number = plan["number"]
        addresses = addresses_of(settings, n)[number]
        names = addresses if settings.kind == "local" else names_of(settings, n)[number]
        super().__init__(plan["name"], addresses, names, settings.default_interface)
        self._connection = connection
        self._isolated = settings.kind == "emulated"
        self._scratch = {disk["name"]: Path(disk["path"]) for disk in plan["disks"]}
        self._known = _known_names(settings, n)

    def scratch(self, disk: str) -> Path:
        """This host's own folder on a disk class."""
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
        fds: Sequence[int],
    ) -> SpawnedProcess:
        words = [str(word) for word in command]
        own = {"TMPDIR": "/tmp", "HOSTNAME": self.name} if self._isolated else {}
        where = str(cwd) if cwd is not None else (os.getcwd() if not self._isolated else None)
        reply, given = self._connection.request(
            "start", fds, command=words, env={**os.environ, **own, **(env or {})}, cwd=where
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
            out, err = _text(fds[1]), _text(fds[2])
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

    def counters(self) -> Counters:
        """What this host's processes have used so far."""
        found = self._connection.request("counters")[0]
        if "error" in found:
            raise HostError(f"host {self.name}: counters: {found['error']}")
        found["interfaces"] = {name: Traffic(*values) for name, values in found["interfaces"].items()}
        found["disks"] = {name: DiskTraffic(*values) for name, values in found.get("disks", {}).items()}
        return Counters(**found)

    def connect(self, target: str, port: int, timeout_s: float = 10) -> socket.socket:
        """A TCP connection from within this host's network."""
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


def _known_names(settings: HostsSettings, n: int) -> dict[str, str]:
    """Names of hosts that this process cannot resolve itself."""
    known = {"localhost": "127.0.0.1"}
    for i, addresses in enumerate(addresses_of(settings, n)):
        known[f"n{i}"] = addresses[settings.default_interface]
        known |= {f"n{i}-{name}": address for name, address in addresses.items()}
    return known


def _text(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(os.dup(fd), "rb") as file:
        return file.read().decode(errors="replace")


def judged(done: Completed, code: int | None, timeout_s: float, check: bool) -> Completed:
    """The command's result, or a HostError that names host and command."""
    if code is None or (check and code != 0):
        how = f"took longer than {timeout_s:g} s" if code is None else f"failed with code {code}"
        said = tail(done.stderr) or tail(done.stdout)
        raise HostError(f"host {done.host}: {shown(done.command)} {how}" + (f":\n{said}" if said else ""))
    return done


@contextlib.contextmanager
def spawned(
    settings: HostsSettings, n: int, disks: Sequence[str], shared: Sequence[StrPath]
) -> Iterator[Hosts]:
    """Start hosts, and end them and all they left."""
    plan = plan_of(settings, n, disks, shared)
    with contextlib.ExitStack() as stack:
        log = os.memfd_create("hosts.log")
        stack.callback(os.close, log)
        guardian, sock = _start_guardian(stack, log)
        pairs = [socket.socketpair() for _ in plan["hosts"]]
        connections = [
            Connection(host["name"], ours) for host, (ours, _) in zip(plan["hosts"], pairs, strict=True)
        ]
        try:
            _hand_over(sock, plan, [theirs for _, theirs in pairs])
            _await_ready(sock, settings, log)
            members = [
                SpawnedHost(connection, host, settings, n)
                for connection, host in zip(connections, plan["hosts"], strict=True)
            ]
            yield Hosts(members, plan["interfaces"])
        except BaseException:
            with contextlib.suppress(HostError):
                _end(guardian, sock, connections)
            raise
        _end(guardian, sock, connections)


def _start_guardian(stack: contextlib.ExitStack, log: int) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    stack.callback(ours.close)
    me = os.pidfd_open(os.getpid())
    command = [sys.executable, "-I", "-S", str(BOOT), "guardian", str(theirs.fileno()), str(me)]
    try:
        guardian = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[theirs.fileno(), me],
            start_new_session=True,
            cwd="/",
        )
    finally:
        theirs.close()
        os.close(me)
    return guardian, ours


def _hand_over(sock: socket.socket, plan: dict[str, Any], ends: list[socket.socket]) -> None:
    """Send the plan and the hosts' ends of the connections, which are the guardian's alone from then on."""
    try:
        for at in range(0, len(ends), _FDS_PER_MESSAGE):
            fds = [end.fileno() for end in ends[at : at + _FDS_PER_MESSAGE]]
            wire.send(sock, plan if at == 0 else {}, fds)
    except OSError as error:
        raise HostError(f"hosts: the guardian process ended at once ({error.strerror})") from error
    finally:
        for end in ends:
            end.close()


def _await_ready(sock: socket.socket, settings: HostsSettings, log: int) -> None:
    sock.settimeout(settings.start_timeout_s)
    try:
        answer = wire.receive(sock)
    except TimeoutError:
        answer = ({"error": f"not up after {settings.start_timeout_s:g} s"}, [])
    sock.settimeout(None)
    message = answer[0] if answer is not None else {"error": "the guardian process ended"}
    if "error" in message:
        said = tail(_text(log))
        raise HostError(f"{settings.kind} hosts: {message['error']}" + (f"\n{said}" if said else ""))


def _end(guardian: subprocess.Popen[bytes], sock: socket.socket, connections: list[Connection]) -> None:
    for connection in connections:
        connection.close()
    trouble = ""
    with contextlib.suppress(OSError, json.JSONDecodeError):
        wire.send(sock, {"end": True})
        sock.settimeout(60)
        while (answer := wire.receive(sock)) is not None:
            trouble = answer[0].get("trouble", trouble)
    sock.close()
    try:
        guardian.wait(10)
    except subprocess.TimeoutExpired:
        guardian.kill()
        guardian.wait()
    if trouble:
        raise HostError(f"hosts: these could not be removed: {trouble}; remove them by hand")
