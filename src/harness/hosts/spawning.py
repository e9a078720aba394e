"""Starts the hosts of this machine, emulated and local, and ends them: plan, guardian, connections."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.config.hosts import HostsSettings
from harness.core.errors import HostError
from harness.hosts.inside import wire
from harness.hosts.model import Hosts, StrPath, tail
from harness.hosts.plan import plan_of
from harness.hosts.probing import BOOT
from harness.hosts.spawned import Connection, SpawnedHost, text_of

_FDS_PER_MESSAGE = 8
REMOVAL_S = 600.0
"""Time for the removal of the hosts' folders, which may hold the datasets of a cluster on a slow file system."""


class SpawnedHosts(Hosts):
    """Hosts whose links this process can set."""

    def __init__(
        self,
        members: Sequence[SpawnedHost],
        settings: HostsSettings,
        disks: Sequence[str],
        plan: dict[str, Any],
        agent: Connection,
    ) -> None:
        folder = Path(plan["rsh"])
        super().__init__(members, settings, disks, _remote_shell(folder), Path(plan["common"]))
        self._agent = agent

    @contextlib.contextmanager
    def unlimited(self) -> Iterator[None]:
        """Lift the links' rates within the block."""
        self._limit(False)
        try:
            yield
        finally:
            self._limit(True)

    def _limit(self, limited: bool) -> None:
        answer, _ = self._agent.request("limit", limited=limited)
        if "error" in answer:
            raise HostError(f"{self.settings.kind} hosts: rates of links: {answer['error']}")


@contextlib.contextmanager
def spawn_hosts(
    settings: HostsSettings,
    n: int,
    disks: Sequence[str],
    shared: Sequence[StrPath],
    places: Mapping[str, str] | None = None,
) -> Iterator[Hosts]:
    """Start hosts; on leaving the block end them and remove all they left."""
    plan = plan_of(settings, n, disks, shared, places)
    with contextlib.ExitStack() as stack:
        log = os.memfd_create("hosts.log")
        stack.callback(os.close, log)
        guardian, sock = _start_guardian(stack, log)
        pairs = [socket.socketpair() for _ in range(1 + len(plan["hosts"]))]
        names = ["all", *(host["name"] for host in plan["hosts"])]
        agent, *connections = [Connection(name, ours) for name, (ours, _) in zip(names, pairs, strict=True)]
        stack.callback(agent.close)
        try:
            _hand_over(sock, plan, [theirs for _, theirs in pairs])
            _await_ready(sock, settings, log)
            members = [
                SpawnedHost(connection, host, plan["rsh"], settings, n)
                for connection, host in zip(connections, plan["hosts"], strict=True)
            ]
            yield SpawnedHosts(members, settings, disks, plan, agent)
        except BaseException:
            with contextlib.suppress(HostError):
                _end(guardian, sock, connections, plan["folders"])
            raise
        _end(guardian, sock, connections, plan["folders"])


def _remote_shell(folder: Path) -> tuple[str, str]:
    """Launchers take its words apart at blanks, which the names of our own folders may have: a file says them."""
    script = folder / "rsh"
    words = shlex.join([sys.executable, "-I", "-S", str(BOOT), "rsh"])
    script.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    return "/bin/sh", str(script)


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
    """Hand the plan and the other ends of the connections over to the guardian."""
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
        said = tail(text_of(log))
        raise HostError(f"{settings.kind} hosts: {message['error']}" + (f"\n{said}" if said else ""))


def _end(
    guardian: subprocess.Popen[bytes],
    sock: socket.socket,
    connections: list[Connection],
    folders: Sequence[str],
) -> None:
    """Has the guardian remove all, and raises HostError for what it could not or not yet."""
    for connection in connections:
        connection.close()
    trouble = ""
    with contextlib.suppress(OSError, json.JSONDecodeError):
        wire.send(sock, {"end": True})
        sock.settimeout(REMOVAL_S)
        while (answer := wire.receive(sock)) is not None:
            trouble = answer[0].get("trouble", trouble)
    sock.close()
    try:
        guardian.wait(10)
    except subprocess.TimeoutExpired as error:
        # It goes on with what it removes: killed, it would leave that for ever.
        raise HostError(
            f"hosts: {', '.join(folders)}: not removed after {REMOVAL_S:g} s; process {guardian.pid} goes on"
        ) from error
    if trouble:
        raise HostError(f"hosts: these could not be removed: {trouble}; remove them by hand")
