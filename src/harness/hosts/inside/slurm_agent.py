"""Serves one host of a SLURM allocation: `slurm_agent.py holder` or `slurm_agent.py step`, each a step of the job.

The holder keeps the scratch folders, looks up addresses and reads the machine's counters. The first line of its
standard input is JSON: {folders, tops, devices, programs}. Its answer has the addresses. Each further line asks for
the counters, and the end of the input removes the folders.

A step runs one command. The first line of its standard input is the command as JSON, each further line a signal
number for all its processes. The end of the input, which comes when the driver has gone, kills them.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

from harness.hosts.inside import server
from harness.kernel import linux, procfs

_SIOCGIFADDR = 0x8915


def main(argv: list[str]) -> int:
    """Run the role that the first argument names."""
    return {"holder": hold, "step": run_step}[argv[0]]()


def hold() -> int:
    """Keep folders and answer for counters until the end of the input."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    lines = Lines(0)
    header = lines.next()
    if header is None:
        return 1
    what = json.loads(header)
    tops: list[str] = what["tops"]
    try:
        _answer(_set_up(what))
        while lines.next() is not None:
            _answer(machine(what["devices"]))
    except BrokenPipeError:
        pass
    finally:
        for top in tops:
            shutil.rmtree(top, ignore_errors=True)
            with contextlib.suppress(OSError):  # on a shared disk the last host removes the common one
                os.rmdir(os.path.dirname(top))
    return 0


def _answer(content: dict[str, Any]) -> None:
    data = json.dumps(content).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


def _set_up(what: dict[str, Any]) -> dict[str, Any]:
    addresses = {}
    for interface, device in what["devices"].items():
        try:
            addresses[interface] = address_of(device)
        except OSError as error:
            there = ", ".join(name for _, name in socket.if_nameindex())
            return {"error": f"interface {device}: {error.strerror}; there are {there}"}
    for folder in what["folders"]:
        try:
            os.makedirs(folder)
        except OSError as error:
            return {"error": f"folder {folder}: {error.strerror}"}
    for path, text in what["programs"].items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o700)
    return {"addresses": addresses}


def address_of(device: str) -> str:
    """IPv4 address of an interface. OSError: there is no such interface, or it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = fcntl.ioctl(sock, _SIOCGIFADDR, struct.pack("256s", device.encode()[:15]))
    return socket.inet_ntoa(answer[20:24])


def parse_cpu(text: str) -> tuple[float, float]:
    """From /proc/stat: user seconds and all seconds of all processors that were not idle, since boot."""
    fields = [int(value) / os.sysconf("SC_CLK_TCK") for value in text.split("\n", 1)[0].split()[1:]]
    user, nice, system, _, _, irq, soft = fields[:7]
    return user + nice, user + nice + system + irq + soft


def parse_memory(text: str) -> tuple[int, int]:
    """From /proc/meminfo: bytes that are not available to new programs, and those of no file."""
    values = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in text.splitlines()}
    return values["MemTotal"] - values["MemAvailable"], values["AnonPages"]


def machine(devices: dict[str, str]) -> dict[str, Any]:
    """Counters of the whole machine: batch hosts are ours alone."""
    user, busy = parse_cpu(Path("/proc/stat").read_text())
    used, private = parse_memory(Path("/proc/meminfo").read_text())
    traffic = procfs.parse_net(Path("/proc/net/dev").read_text())
    disks = [0.0, 0.0]
    with contextlib.suppress(OSError):
        all_disks = procfs.parse_disks(Path("/proc/diskstats").read_text())
        for name in os.listdir("/sys/block"):
            if os.path.exists(f"/sys/block/{name}/device"):
                one = all_disks.get(name, (0, 0, 0.0))
                disks = [disks[0] + one[0], disks[1] + one[1]]
    return {
        "t_s": time.monotonic(),
        "cpu_s": busy,
        "cpu_user_s": user,
        "rss_bytes": used,
        "private_bytes": private,
        "processes": len(procfs.all_pids()),
        "read_bytes": int(disks[0]),
        "written_bytes": int(disks[1]),
        "interfaces": {
            "lo": traffic.get("lo", [0, 0]),
            **{interface: traffic[device] for interface, device in devices.items() if device in traffic},
        },
    }


def run_step() -> int:
    """Run the command and end as it does."""
    linux.adopt_orphans()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    lines = Lines(0)
    header = lines.next()
    if header is None:
        return 1
    what = json.loads(header)
    started: list[int] = []
    early: list[int] = []

    def hand_on(number: int) -> None:
        if number == signal.SIGTERM and started:
            _signal(started[0], number)
        elif number == signal.SIGTERM:
            early.append(number)

    # Before the command is there: a signal that comes with its first output must not end this process alone.
    wake = linux.wake_on_end(hand_on)
    pid = _start(what)
    if pid is None:
        return 127
    started.append(pid)
    for missed in early:
        _signal(pid, missed)
    ended = os.pidfd_open(pid)
    poller = select.poll()
    for watched in (ended, wake, 0):
        poller.register(watched, select.POLLIN)
    while ended not in (ready := {fd for fd, _ in poller.poll()}):
        if wake in ready:
            os.read(wake, 1 << 12)
        if 0 in ready:
            line = lines.next()
            if line is None:
                break
            _signal(pid, int(line))
    else:
        return _end_as(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    server.kill_descendants()
    return 1


class Lines:
    """Lines of a descriptor, one at a time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""

    def next(self) -> bytes | None:
        """The next line; None at the end."""
        while b"\n" not in self._rest:
            part = os.read(self._fd, 1 << 16)
            if not part:
                return None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _start(what: dict[str, Any]) -> int | None:
    """Start the command in the caller's environment and this host's job; our own step is none of its business."""
    own = {name: os.environ[name] for name in server.OF_JOB if name in os.environ}
    env = server.step_environment(what["env"]) | own
    stdin = os.memfd_create("stdin")
    with os.fdopen(os.dup(stdin), "wb") as file:
        file.write(base64.b64decode(what["stdin"]))
    os.lseek(stdin, 0, os.SEEK_SET)
    started = server.spawn(what["command"], env, what["cwd"], [stdin, 1, 2])
    os.close(stdin)
    if isinstance(started, str):
        os.write(2, f"{started}\n".encode())
        return None
    return started


def _signal(session: int, number: int) -> None:
    for pid in procfs.family(os.getpid())[1:]:
        with contextlib.suppress(OSError):
            if os.getsid(pid) == session:
                os.kill(pid, number)


def _end_as(code: int) -> int:
    """Kill what the command left, then end with its code or by its signal."""
    server.kill_descendants()
    if code >= 0:
        return code
    with contextlib.suppress(OSError):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code
