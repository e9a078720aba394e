"""Sums what processes have used, from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.kernel import procfs

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def total(pids: Iterable[int], server: int) -> dict[str, Any]:
    """Sums over processes, without what `server` used itself, from which all others come.

    What ended processes used is in the values of whoever waited for them, so nothing is lost or counted twice.
    """
    user = system = 0.0
    resident = private = count = read = written = 0
    io_known = True
    for pid in pids:
        try:
            stat = procfs.parse_stat(Path(f"/proc/{pid}/stat").read_bytes())
            statm = procfs.parse_statm(Path(f"/proc/{pid}/statm").read_bytes())
        except (OSError, IndexError):
            continue
        user, system = user + stat.children_user_s, system + stat.children_system_s
        if pid != server:
            user, system, count = user + stat.user_s, system + stat.system_s, count + 1
            resident, private = resident + statm[0], private + statm[1]
        try:
            io = procfs.parse_io(Path(f"/proc/{pid}/io").read_bytes())
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
