"""What hosts may have left on the machine: processes, folders, mounts, links, devices, rules, groups."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

MARK = "KVASIR_HOSTS_TEST"


def processes(mark: str) -> list[str]:
    """Processes that have `mark` in their environment, zombies excepted."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return found


def links() -> set[str]:
    """Interfaces of this network that are called as those of emulated hosts are."""
    return {
        path.name
        for path in Path("/sys/class/net").iterdir()
        if re.match(r"(br-)?(gbe|ib)\d*(@|$)", path.name)
    }


def loops() -> set[str]:
    """Devices that were added for a disk."""
    return {path.name for path in Path("/sys/block").glob("loop*") if int(path.name[4:]) >= 1024}


def backing(device: str) -> str:
    """The file behind a device; empty if there is none. Such a device may be one that others just make."""
    try:
        return Path(f"/sys/block/{device}/loop/backing_file").read_text()
    except OSError:
        return ""


def left(mark: str, scratch: Path, links_before: set[str], loops_before: set[str]) -> list[str]:
    """Everything that should have gone."""
    found = [f"process {text}" for text in processes(mark)]
    found += [f"folder {path}" for path in scratch.iterdir()]
    found += [
        f"mount {line}" for line in Path("/proc/self/mounts").read_text().splitlines() if str(scratch) in line
    ]
    found += [f"link {name}" for name in links() - links_before]
    for name in loops() - loops_before:
        if str(scratch) in backing(name):
            found.append(f"device {name}")
    return found


def idle_loops(loops_before: set[str]) -> set[str]:
    """Devices that were added since and have no file: left, unless others just make or remove them."""
    return {name for name in loops() - loops_before if not backing(name)}


def groups(driver: int) -> list[str]:
    """Control groups of the hosts that process `driver` asked for."""
    # Groups go away while one looks, which os.walk passes over and Path.glob does not.
    return [
        os.path.join(folder, name)
        for folder, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith(f"kvasir-hosts-{driver}-")
    ]


def gone_after(check: object, timeout_s: float) -> tuple[float, list[str]]:
    """Seconds until `check` returns nothing, and what it returned last."""
    began = time.monotonic()
    while True:
        found = check()  # type: ignore[operator]
        seconds = time.monotonic() - began
        if not found or seconds > timeout_s:
            return seconds, found
        time.sleep(0.02)
