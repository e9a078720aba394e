"""On a host of a batch system: holds the scratch folders, knows the addresses and reads the machine's counters.

The first line of standard input is JSON: {folders, tops, devices, programs}. The answer has the addresses. Each further
line is a question for the counters, and the end of the input removes the folders.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

from harness.hosts.inside import usage
from harness.hosts.inside.step import Lines

_SIOCGIFADDR = 0x8915


def main(argv: list[str]) -> int:
    """Hold until the end of the input."""
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
    traffic = usage.parse_net(Path("/proc/net/dev").read_text())
    disks = [0.0, 0.0]
    with contextlib.suppress(OSError):
        text = Path("/proc/diskstats").read_text()
        for name in os.listdir("/sys/block"):
            if os.path.exists(f"/sys/block/{name}/device"):
                one = usage.parse_diskstats(text, name)
                disks = [disks[0] + one[0], disks[1] + one[1]]
    return {
        "t_s": time.monotonic(),
        "cpu_s": busy,
        "cpu_user_s": user,
        "rss_bytes": used,
        "private_bytes": private,
        "processes": len(usage.all_pids()),
        "read_bytes": int(disks[0]),
        "written_bytes": int(disks[1]),
        "interfaces": {
            "lo": traffic.get("lo", [0, 0]),
            **{interface: traffic[device] for interface, device in devices.items() if device in traffic},
        },
    }
