"""What processes have used, from /proc: a pure parser for each file and a sum over processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


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


def parse_diskstats(text: str, device: str) -> list[float]:
    """From /proc/diskstats: bytes read and written and seconds busy of one device; zeros if it is not there."""
    for line in text.splitlines():
        fields = line.split()
        if len(fields) > 12 and fields[2] == device:
            return [int(fields[5]) * 512, int(fields[9]) * 512, int(fields[12]) / 1000]
    return [0, 0, 0.0]


def all_pids() -> list[int]:
    """Every process of this process namespace."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(root: int) -> list[int]:
    """`root` and all that comes from it. Needs `root` to be a subreaper, or ends of parents break the chain."""
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


def total(pids: Iterable[int], server: int) -> dict[str, Any]:
    """Sums over processes, without what `server` used itself, from which all others come.

    What ended processes used is in the values of whoever waited for them, so nothing is lost or counted twice.
    """
    user = system = 0.0
    resident = private = count = read = written = 0
    io_known = True
    for pid in pids:
        try:
            stat = parse_stat(Path(f"/proc/{pid}/stat").read_bytes())
            statm = parse_statm(Path(f"/proc/{pid}/statm").read_bytes())
        except (OSError, IndexError):
            continue
        user, system = user + stat.children_user_s, system + stat.children_system_s
        if pid != server:
            user, system, count = user + stat.user_s, system + stat.system_s, count + 1
            resident, private = resident + statm[0], private + statm[1]
        try:
            io = parse_io(Path(f"/proc/{pid}/io").read_bytes())
            read, written = read + io[0], written + io[1]
        except ProcessLookupError:
            continue
        except (OSError, KeyError, ValueError):
            io_known = False
    return {
        "t_s": time.monotonic(),
        "cpu_s": user + system,
        "cpu_user_s": user,
        "rss_bytes": resident,
        "private_bytes": private,
        "processes": count,
        "read_bytes": read if io_known else None,
        "written_bytes": written if io_known else None,
    }


def never_less(now: dict[str, Any], last: dict[str, Any]) -> None:
    """A process that ends between two reads may hide for a moment: a count never falls."""
    for key in ("cpu_s", "cpu_user_s", "read_bytes", "written_bytes"):
        if now[key] is not None and last.get(key) is not None:
            now[key] = max(now[key], last[key])
