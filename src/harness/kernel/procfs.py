"""Reads /proc: parsers of its files, files that stay open, and the processes below a process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


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
    found = parse_net(text)
    values: dict[str, int] = {}
    for interface, device in devices.items():
        received, sent = found.get(device, (0, 0))
        values[f"net.{interface}.received"] = received
        values[f"net.{interface}.sent"] = sent
    return values


def disk_use(text: str, devices: dict[str, str]) -> dict[str, Any]:
    """From /proc/diskstats: bytes read and written and seconds busy of devices, which are `major minor`."""
    found = parse_disks(text)
    values: dict[str, Any] = {}
    for disk, device in devices.items():
        if device in found:
            names = (f"disk.{disk}.{what}" for what in ("read", "written", "busy"))
            values.update(zip(names, found[device], strict=True))
    return values


@dataclass(frozen=True, kw_only=True)
class Stat:
    """Of /proc/PID/stat: the parent, and seconds of the process and of the children it has waited for."""

    parent: int
    user_s: float
    system_s: float
    children_user_s: float
    children_system_s: float


def parse_stat(text: bytes) -> Stat:
    """Read /proc/PID/stat; the program's name in it may hold anything."""
    fields = text.rpartition(b")")[2].split()
    user, system, children_user, children_system = (int(value) * _TICK_S for value in fields[11:15])
    return Stat(
        parent=int(fields[1]),
        user_s=user,
        system_s=system,
        children_user_s=children_user,
        children_system_s=children_system,
    )


def parse_statm(text: bytes) -> tuple[int, int]:
    """From /proc/PID/statm: resident bytes, and those of them that are neither a file's nor shared."""
    fields = text.split()
    resident, shared = int(fields[1]), int(fields[2])
    return resident * _PAGE, (resident - shared) * _PAGE


def parse_io(text: bytes) -> tuple[int, int]:
    """From /proc/PID/io: bytes read from and written to storage, with those of children it has waited for."""
    values = dict(line.split(b": ") for line in text.splitlines())
    return int(values[b"read_bytes"]), int(values[b"write_bytes"]) - int(values[b"cancelled_write_bytes"])


def parse_net(text: str) -> dict[str, list[int]]:
    """From /proc/net/dev: received and sent bytes by interface."""
    found = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        found[name.strip()] = [int(fields[0]), int(fields[8])]
    return found


def parse_disks(text: str) -> dict[str, tuple[int, int, float]]:
    """From /proc/diskstats: bytes read, bytes written and seconds busy of each device, by name and `major minor`."""
    found = {}
    for line in text.splitlines():
        fields = line.split(None, 14)
        if len(fields) > 12:
            use = int(fields[5]) * 512, int(fields[9]) * 512, int(fields[12]) / 1000
            found[fields[2]] = found[f"{fields[0]} {fields[1]}"] = use
    return found


def all_pids() -> list[int]:
    """Every process of this process namespace."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def family(root: int) -> list[int]:
    """`root` and all below it, found by one look at every process: for killing, where none may be missed.

    Needs `root` to be a subreaper, or ends of parents break the chain.
    """
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        try:
            parent = parse_stat(Path(f"/proc/{pid}/stat").read_bytes()).parent
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def children(pid: int) -> list[int]:
    """Direct children of all threads of `pid`; empty when it is gone."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except FileNotFoundError:
        return found if not os.path.exists(f"/proc/{pid}/task") else found + _children_by_scan(pid)
    except OSError:
        pass
    return found


def _children_by_scan(pid: int) -> list[int]:
    """Children found through every process's parent: for kernels without the file `children`."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = parse_stat(Path(f"/proc/{entry}/stat").read_bytes())
            except (OSError, IndexError):
                continue
            if stat.parent == pid:
                found.append(int(entry))
    return found


def descendants(pid: int) -> list[int]:
    """`pid` and everything below it, parents first, by the kernel's lists of children: cheap enough for each sample."""
    found = [pid]
    for process in found:
        found += [child for child in children(process) if child not in found]
    return found
