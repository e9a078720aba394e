"""Files of /proc that are read again and again, and what they say about interfaces and disks."""

from __future__ import annotations

import os
from typing import Any


class Files:
    """Files that stay open and are read from their beginning each time."""

    def __init__(self) -> None:
        self._fds: dict[str, int] = {}

    def text(self, path: str) -> str:
        """What a file says now."""
        fd = self._fds.get(path)
        if fd is None:
            fd = self._fds[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        size = 1 << 15
        while len(data := os.pread(fd, size, 0)) == size:
            size *= 4
        return data.decode()


def device_under(path: str) -> str:
    """The disk that a folder lies on, `major minor`; empty where the kernel counts nothing for it (memory)."""
    number = os.stat(path).st_dev
    return f"{os.major(number)} {os.minor(number)}" if os.major(number) else ""


def traffic(text: str, devices: dict[str, str]) -> dict[str, int]:
    """From /proc/net/dev: bytes received and sent of the named interfaces, 0 of those that are not there."""
    found = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        found[name.strip()] = rest.split(None, 9)
    none = ["0"] * 9
    values: dict[str, int] = {}
    for interface, device in devices.items():
        fields = found.get(device, none)
        values[f"net.{interface}.received"] = int(fields[0])
        values[f"net.{interface}.sent"] = int(fields[8])
    return values


def disk_use(text: str, devices: dict[str, str]) -> dict[str, Any]:
    """From /proc/diskstats: bytes read and written and seconds busy of devices, which are `major minor`."""
    found = {}
    for line in text.splitlines():
        fields = line.split(None, 14)
        found[f"{fields[0]} {fields[1]}"] = fields
    values: dict[str, Any] = {}
    for disk, device in devices.items():
        if fields := found.get(device, []):
            values[f"disk.{disk}.read"] = int(fields[5]) * 512
            values[f"disk.{disk}.written"] = int(fields[9]) * 512
            values[f"disk.{disk}.busy"] = int(fields[12]) / 1000
    return values
