"""Cleans up processes, mounts, control groups and devices of hosts when the driver exits, even by SIGKILL.

It outlives the driver's kill -9: it waits for the driver's end by descriptor, kills the hosts (whose first
process takes the rest with it), waits for the kernel, and removes folders, quotas and devices.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from harness.hosts.inside import devices, server, throttle, wire
from harness.kernel import linux
from harness.kernel.guardian import boot_id, owner_alive, start_of

PREFIX = "kvasir-hosts-"
OWNER = "owner"
"""File that tells whose a folder is."""


def main(argv: list[str]) -> int:
    """Arguments: descriptors of the connection to the driver and of the driver's process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sock, driver = socket.socket(fileno=int(argv[0])), int(argv[1])
    sock.set_inheritable(False)
    os.set_inheritable(driver, False)
    linux.adopt_orphans()
    received = wire.receive(sock)
    if received is None:
        return 0
    plan, fds = received
    plan["control"], *sockets = fds_of(sock, fds, 1 + len(plan["hosts"]))
    for host, fd in zip(plan["hosts"], sockets, strict=True):
        host["socket"] = fd
    owned = Owned()
    try:
        try:
            agent = _start(plan, owned)
        except (OSError, ValueError) as error:
            with contextlib.suppress(OSError):
                wire.send(sock, {"error": str(error)})
            return 1
        _watch(sock, driver, agent, owned)
    finally:
        trouble = owned.remove()
        with contextlib.suppress(OSError):
            wire.send(sock, {"ended": True, "trouble": trouble})
    return 0


def fds_of(sock: socket.socket, first: list[int], count: int) -> list[int]:
    """The agent's connection and the hosts': a message carries only some descriptors."""
    fds = list(first)
    while len(fds) < count:
        received = wire.receive(sock)
        if received is None:
            os._exit(0)
        fds += received[1]
    return fds


class Owned:
    """What has to go in the end."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self.cgroups: list[str] = []
        self.loops: list[int] = []
        self.loop_fds: list[int] = []

    def remove(self) -> str:
        """End all processes, then remove the rest; what could not be removed."""
        for fd in self.loop_fds:
            os.close(fd)
        self.loop_fds.clear()
        server.kill_descendants()
        left = [f"device /dev/loop{number}" for number in self.loops if not devices.remove(number)]
        left += [folder for folder in reversed(self.cgroups) if not _rmdir(folder)]
        left += [folder for folder in self.folders if not _rmtree(folder)]
        return ", ".join(left)


def _start(plan: dict[str, Any], owned: Owned) -> subprocess.Popen[bytes]:
    """Make folders, quotas and devices, then the agent; its report comes on its standard output."""
    for base in sorted({os.path.dirname(folder) for folder in plan["folders"]}):
        sweep(base)
    for folder in plan["folders"]:
        os.mkdir(folder, 0o755)
        owned.folders.append(folder)
        Path(folder, OWNER).write_text(json.dumps(_me()))
        for host in plan["hosts"]:
            os.mkdir(f"{folder}/{host['name']}")
    os.mkdir(plan["common"])
    for source in sorted({source for host in plan["hosts"] for source in host["places"].values()}):
        os.makedirs(source, exist_ok=True)
    os.mkdir(plan["rsh"], 0o700)
    for alias, name in plan["aliases"].items():
        os.symlink(name, f"{plan['rsh']}/{alias}")
    for folder, values in plan["cgroups"]:
        os.mkdir(folder)
        owned.cgroups.append(folder)
        for name, value in values.items():
            Path(folder, name).write_text(value)
    _make_disks(plan, owned)
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("boot.py")), "agent"]
    keep = [plan["control"], *(host["socket"] for host in plan["hosts"])]
    agent = subprocess.Popen(
        [*plan["unshare"], *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=keep,
        preexec_fn=lambda: linux.die_with_parent(signum=signal.SIGKILL),
    )
    for fd in keep:
        os.close(fd)
    assert agent.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        agent.stdin.write(json.dumps(plan).encode())
        agent.stdin.close()
    return agent


def _make_disks(plan: dict[str, Any], owned: Owned) -> None:
    made = []

    @cache
    def library() -> str:
        path = f"{plan['folders'][0]}/{throttle.LIBRARY}"
        throttle.compile_library(path)
        return path

    for host in plan["hosts"]:
        for disk in host["disks"]:
            os.mkdir(disk["path"])
            if disk["medium"] == "throttled":
                disk["state"] = throttle.make_state(disk)
                shutil.copyfile(library(), f"{os.path.dirname(disk['state'])}/{throttle.LIBRARY}")
            if disk["medium"] == "device":
                disk["file"] = disk["path"] + ".img"
                made.append((host, disk, devices.make_file(disk["file"], disk["size_mb"])))
    for _, disk, mkfs in made:
        if mkfs.wait() != 0:
            raise OSError(f"mkfs.ext4 {disk['file']} failed with code {mkfs.returncode}")
    for host, disk, _ in made:
        number = devices.add()
        owned.loops.append(number)
        owned.loop_fds.append(devices.configure(number, disk["file"]))
        disk["device"], disk["node"] = f"loop{number}", f"/dev/loop{number}"
        devices.throttle(number, disk, host["group"])


def _watch(sock: socket.socket, driver: int, agent: subprocess.Popen[bytes], owned: Owned) -> None:
    """Pass the agent's report on; return when the driver says so or has gone, or the agent has ended."""
    assert agent.stdout is not None
    poller = select.poll()
    for fd in (sock.fileno(), driver, agent.stdout.fileno()):
        poller.register(fd, select.POLLIN)
    report = b""
    while True:
        ready = {fd for fd, _ in poller.poll()}
        if sock.fileno() in ready or driver in ready:
            return
        part = os.read(agent.stdout.fileno(), 65536)
        report += part
        if part and not report.endswith(b"\n"):
            continue
        poller.unregister(agent.stdout.fileno())
        try:
            message = json.loads(report)
        except ValueError:
            agent.wait()
            message = {"error": f"the hosts' first process ended with code {agent.returncode}"}
        for fd in owned.loop_fds:  # mounted by now: the last mount's end frees them
            os.close(fd)
        owned.loop_fds.clear()
        with contextlib.suppress(OSError):
            wire.send(sock, message)
        if "error" in message:
            return


def _me() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "start": start_of(os.getpid()),
        "boot": boot_id(),
        "node": os.uname().nodename,
        "pid_namespace": os.readlink("/proc/self/ns/pid"),
    }


def _dead(owner: dict[str, Any], me: dict[str, Any]) -> bool:
    """Returns whether an owner has ended for certain. Pids of other machines and namespaces say nothing here."""
    if owner["node"] != me["node"]:
        return False
    known = owner["boot"] != me["boot"] or owner["pid_namespace"] == me["pid_namespace"]
    return known and not owner_alive(owner)


def sweep(base: str) -> None:
    """Remove folders of our user whose guardian was killed itself."""
    me = _me()
    for folder in Path(base).glob(PREFIX + "*"):
        try:
            status = folder.lstat()
            if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
                continue
            owner = json.loads((folder / OWNER).read_text())
            if not _dead(owner, me):
                continue
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not ours, or just being made or removed
        _rmtree(str(folder))


def _rmdir(folder: str) -> bool:
    """A group is busy for a moment after its last process has gone."""
    for _ in range(200):
        try:
            os.rmdir(folder)
            return True
        except FileNotFoundError:
            return True
        except OSError:
            time.sleep(0.01)
    return False


def _rmtree(folder: str) -> bool:
    """Removes a folder, its owner's file last: who is killed on the way leaves what the next one sweeps."""

    def writable(function: Any, path: str, _: Any) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            if os.path.islink(path):
                os.unlink(path)  # chmod would change what it points to
                return
            os.chmod(path, 0o700)
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)

    for _ in range(3):
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, onerror=writable)
                elif entry.name != OWNER:
                    os.unlink(entry.path)
        shutil.rmtree(folder, onerror=writable)
        if not os.path.lexists(folder):
            return True
    return False
