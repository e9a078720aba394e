"""Sets up namespaces, networks and hosts, and changes link rates until it is killed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from harness.hosts.inside import mounts, network, server, wire
from harness.kernel import linux


class SetupError(Exception):
    """A step failed; the message says which."""


def main(argv: list[str]) -> int:
    """Execute the plan on standard input, report in one line on standard output, then serve requests."""
    report = os.dup(1)
    os.dup2(2, 1)
    try:
        plan = json.loads(sys.stdin.buffer.read())
        pids = _local(plan, report) if plan["kind"] == "local" else _emulated(plan, report)
    except (SetupError, OSError, ValueError, KeyError) as error:
        detail = str(error) if isinstance(error, (SetupError, OSError)) else traceback.format_exc()
        os.write(report, json.dumps({"error": detail}).encode() + b"\n")
        return 1
    for host in plan["hosts"]:
        os.close(host["socket"])
    os.write(report, b"{}\n")
    os.close(report)
    _serve(plan, pids)
    return 0


def _serve(plan: dict[str, Any], pids: list[int]) -> None:
    """Serve requests for link rates; return when the guardian or the last host has ended."""
    control = socket.socket(fileno=plan["control"])
    poller = select.poll()
    poller.register(control, select.POLLIN)
    alive = {os.pidfd_open(pid) for pid in pids}
    for host in alive:
        poller.register(host, select.POLLIN)
    while alive:
        for fd, _ in poller.poll():
            if fd in alive:
                alive.discard(fd)
                poller.unregister(fd)
            elif (received := wire.receive(control)) is None:
                poller.unregister(control)
            else:
                with contextlib.suppress(OSError):
                    wire.send(control, _limit(plan, pids, received[0]["limited"]))


def _limit(plan: dict[str, Any], pids: list[int], limited: bool) -> dict[str, str]:
    """Links have their rates, or go as fast as the machine; what is queued stays queued."""
    if plan["kind"] == "local":
        return {}
    rates = plan["interfaces"] if limited else network.lifted(plan["interfaces"])
    try:
        _batch([plan["tc"]], network.shapes_of_ports(rates, range(len(pids)), plan["queue_ms"]))
        for pid in pids:
            inside = [plan["nsenter"], f"--net=/proc/{pid}/ns/net", plan["tc"]]
            _batch(inside, network.shapes_inside(rates, plan["queue_ms"]))
    except (SetupError, OSError) as error:
        return {"error": str(error)}
    return {}


def _local(plan: dict[str, Any], report: int) -> list[int]:
    pids = []
    for host in plan["hosts"]:
        door = server.door_at(f"{plan['rsh']}/{host['name']}")
        pid = os.fork()
        if pid == 0:
            linux.adopt_orphans()
            server.run(host["socket"], door, False, {})
        pids.append(pid)
        door.close()
    return pids


def _emulated(plan: dict[str, Any], report: int) -> list[int]:
    _without_ipv6()
    rates = plan["interfaces"]
    ends = [_fork(host, plan, report) for host in plan["hosts"]]
    lines = network.bridges(rates)
    for host, (pid, sock) in zip(plan["hosts"], ends, strict=True):
        _expect(sock, host["name"])
        lines += network.links(rates, host["number"], pid)
    _batch([plan["ip"]], lines)
    _batch([plan["tc"]], network.shapes_of_ports(rates, range(len(ends)), plan["queue_ms"]))
    for _, sock in ends:
        sock.sendall(b"\n")
    for host, (_, sock) in zip(plan["hosts"], ends, strict=True):
        _expect(sock, host["name"])
        sock.close()
    return [pid for pid, _ in ends]


def _fork(host: dict[str, Any], plan: dict[str, Any], report: int) -> tuple[int, socket.socket]:
    """Fork a process with the namespaces of a new host; it reports when it has them and waits for its links."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    ours.close()
    with contextlib.suppress(OSError):
        os.close(report)
    try:
        _be_host(host, plan, theirs)
    except BaseException as error:
        with contextlib.suppress(OSError):
            theirs.sendall(f"{error or error!r}\n".encode())
    os._exit(1)


def _expect(sock: socket.socket, host: str) -> None:
    """Wait until a host reports a step as done, by an empty line."""
    text = b""
    while not text.endswith(b"\n"):
        part = sock.recv(4096)
        if not part:
            break
        text += part
    if text != b"\n":
        raise SetupError(f"host {host}: {text.decode().strip() or 'its first process ended'}")


def _be_host(host: dict[str, Any], plan: dict[str, Any], sock: socket.socket) -> NoReturn:
    if host["group"] is not None:
        Path(host["group"], "cgroup.procs").write_text("0")
    linux.unshare(
        linux.CLONE_NEWNET | linux.CLONE_NEWNS | linux.CLONE_NEWUTS | linux.CLONE_NEWIPC | linux.CLONE_NEWPID
    )
    sock.sendall(b"\n")
    if not sock.recv(1):
        os._exit(1)
    socket.sethostname(host["name"])
    pid = os.fork()
    if pid:
        server.close_inherited(set())
        os.waitpid(pid, 0)
        os._exit(0)
    mounts.of_host(host, plan)
    _without_ipv6()
    _batch([plan["ip"]], network.inside(host["addresses"]))
    _batch([plan["tc"]], network.shapes_inside(plan["interfaces"], plan["queue_ms"]))
    os.chdir("/")
    door = server.door_at(f"{plan['rsh']}/{host['name']}")
    sock.sendall(b"\n")
    sock.close()
    counted = {disk["name"]: disk.get("device") or disk.get("state") for disk in host["disks"]}
    server.run(host["socket"], door, True, {name: where for name, where in counted.items() if where})


def _without_ipv6() -> None:
    """No address is announced and none has to be waited for; a kernel without IPv6 has nothing to switch off."""
    with contextlib.suppress(OSError):
        Path("/proc/sys/net/ipv6/conf/all/disable_ipv6").write_text("1")
        Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")


def _batch(program: list[str], lines: list[str]) -> None:
    """Run a batch of lines by `ip` or `tc`."""
    if not lines:
        return
    done = subprocess.run([*program, "-batch", "-"], input="\n".join(lines), capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(
            f"{program[-1]}: {done.stderr.strip() or f'exit code {done.returncode}'} (of: {'; '.join(lines)})"
        )
