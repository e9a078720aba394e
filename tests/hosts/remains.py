"""What hosts may have left on the machine: processes, folders, mounts, links, devices, rules, groups."""

from __future__ import annotations

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
    """Interfaces of this network."""
    return {folder.name for folder in Path("/sys/class/net").iterdir()}


def loops() -> set[str]:
    """Devices that were added for a disk."""
    return {path.name for path in Path("/sys/block").glob("loop*") if int(path.name[4:]) >= 1024}


def left(mark: str, scratch: Path, links_before: set[str], loops_before: set[str]) -> list[str]:
    """Everything that should have gone."""
    found = [f"process {text}" for text in processes(mark)]
    found += [f"folder {path}" for path in scratch.iterdir()]
    found += [
        f"mount {line}" for line in Path("/proc/self/mounts").read_text().splitlines() if str(scratch) in line
    ]
    found += [f"link {name}" for name in links() - links_before]
    for name in loops() - loops_before:
        file = Path(f"/sys/block/{name}/loop/backing_file")
        if not file.exists() or str(scratch) in file.read_text():
            found.append(f"device {name}")
    return found


def groups(driver: int) -> list[str]:
    """Control groups of the hosts that process `driver` asked for."""
    return [str(path) for path in Path("/sys/fs/cgroup").glob(f"**/kvasir-hosts-{driver}-*")]


def gone_after(check: object, timeout_s: float) -> tuple[float, list[str]]:
    """Seconds until `check` returns nothing, and what it returned last."""
    began = time.monotonic()
    while True:
        found = check()  # type: ignore[operator]
        seconds = time.monotonic() - began
        if not found or seconds > timeout_s:
            return seconds, found
        time.sleep(0.02)
