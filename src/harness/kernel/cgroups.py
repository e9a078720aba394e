"""Finds where control groups can be made, and what to write into those of hosts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PERIOD_US = 100_000


@dataclass(frozen=True)
class Place:
    """A control group below which hosts' groups can be created."""

    folder: Path
    version: int


@dataclass(frozen=True)
class Wanted:
    """Groups to create, in order, with the values of their files, and the group of each host."""

    folders: list[tuple[str, dict[str, str]]]
    of_hosts: list[str]


def mounted(text: str, controller: str) -> tuple[Path, int] | None:
    """Parse /proc/self/mounts: the mount point of a cgroup v1 controller, else of cgroup v2."""
    second = None
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 4:
            continue
        if fields[2] == "cgroup" and controller in fields[3].split(","):
            return Path(fields[1]), 1
        if fields[2] == "cgroup2":
            second = Path(fields[1]), 2
    return second


def own_path(text: str, controller: str, version: int) -> str:
    """Parse /proc/self/cgroup: this process's group in a hierarchy."""
    for line in text.splitlines():
        number, names, path = line.split(":", 2)
        if (version == 2 and number == "0") or (version == 1 and controller in names.split(",")):
            return path.lstrip("/")
    return ""


def place(controllers: Sequence[str], mounts: str | None = None, groups: str | None = None) -> Place | str:
    """Probe where groups with some controllers can be created, or why nowhere, by creating and removing one."""
    found = mounted(mounts if mounts is not None else Path("/proc/self/mounts").read_text(), controllers[0])
    if found is None:
        return f"no control groups with {controllers[0]} are mounted"
    root, version = found
    text = groups if groups is not None else Path("/proc/self/cgroup").read_text()
    own = root / own_path(text, controllers[0], version)
    reason = f"{own}: no such group"
    for folder in [own, *own.parents]:
        if not folder.is_relative_to(root):
            break
        if folder.is_dir():
            trouble = _try(folder, controllers, version)
            if not trouble:
                return Place(folder, version)
            reason = trouble
    return reason


def _try(folder: Path, controllers: Sequence[str], version: int) -> str:
    test = folder / f"kvasir-try-{os.getpid()}"
    try:
        if version == 2:
            offered = (folder / "cgroup.controllers").read_text().split()
            missing = [name for name in controllers if name not in offered]
            if missing:
                return f"{folder} has no controller {' or '.join(missing)}"
            on = (folder / "cgroup.subtree_control").read_text().split()
            off = [f"+{name}" for name in controllers if name not in on]
            if off:
                (folder / "cgroup.subtree_control").write_text(" ".join(off))
            if not os.access(folder / "cgroup.procs", os.W_OK):
                return f"{folder}: uid {os.geteuid()} may not move processes there"
        test.mkdir()
    except OSError as error:
        return f"{folder}: {error.strerror}"
    with contextlib.suppress(OSError):
        test.rmdir()
    return ""


def wanted(
    at: Place, name: str, hosts: Sequence[str], controllers: Sequence[str], cpu_cores: float | None
) -> Wanted:
    """Plan one group per host below a common one, each with the quota."""
    top = at.folder / name
    values: dict[str, str] = {}
    if cpu_cores is not None:
        quota = max(int(cpu_cores * PERIOD_US), 1000)
        values = (
            {"cpu.max": f"{quota} {PERIOD_US}"}
            if at.version == 2
            else {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(quota)}
        )
    passed_on = {"cgroup.subtree_control": " ".join(f"+{name}" for name in controllers)}
    folders = [(str(top), passed_on if at.version == 2 else {})]
    folders += [(str(top / host), values) for host in hosts]
    return Wanted(folders, [str(top / host) for host in hosts])


def own_groups() -> list[tuple[int, Path]]:
    """Folders of this process's own cgroups that may control the CPU: [(version, folder)], v1 first."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            own[1] = path
        elif not controllers:
            own[2] = path
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        root, mount = left.split()[3:5]
        kind, _, options = right.split()[:3]
        version = {"cgroup": 1, "cgroup2": 2}.get(kind, 0)
        if version == 1 and "cpu" not in options.split(","):
            continue
        if version in own:
            inside = own[version].removeprefix("" if root == "/" else root).strip("/")
            found.append((version, Path(mount) / inside))
    return sorted(found)
