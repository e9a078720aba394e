"""Mounts a host's view of the file system: its own /tmp, /dev/shm, /proc, /etc/hosts, disks and bind mounts."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from harness.kernel import linux

_NSSWITCH = "".join(
    f"{what}: files\n" for what in ("passwd", "group", "hosts", "networks", "protocols", "services")
)
_HIDDEN = ("/tmp", "/dev/shm")


def of_host(host: dict[str, Any], plan: dict[str, Any]) -> None:
    """Make all mounts of a host, in its own mount namespace. OSError names the one that failed."""
    seen = [
        path for path in plan["shared"] if Path(path).is_relative_to("/tmp") or path.startswith("/dev/shm/")
    ]
    paths = {path: os.open(path, os.O_PATH) for path in seen if os.path.exists(path)}
    folders = {folder: os.open(f"{folder}/{host['name']}", os.O_PATH) for folder in plan["folders"]}
    places = [(os.open(source, os.O_PATH), target) for target, source in host["places"].items()]
    common = {plan[name]: os.open(plan[name], os.O_PATH) for name in ("rsh", "common")}
    for hidden in _HIDDEN:
        linux.mount("tmpfs", hidden, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=1777")
    for path, fd in paths.items():
        _bind(fd, path)
    for folder, fd in folders.items():
        os.makedirs(folder, exist_ok=True)
        linux.mount("tmpfs", folder, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=0755,size=1m")
        _bind(fd, f"{folder}/{host['name']}", folder=True)
    for path, fd in common.items():
        _bind(fd, path)
    _names(host, plan)
    _interfaces(f"{plan['folders'][0]}/.sys")
    for disk in host["disks"]:
        _disk(disk)
    for fd, target in places:
        _make_room(target)
        _bind(fd, target)
    linux.mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)


def _names(host: dict[str, Any], plan: dict[str, Any]) -> None:
    own = f"{plan['folders'][0]}/.etc"
    os.mkdir(own)
    texts = {
        "hosts": plan["hosts_file"],
        "nsswitch.conf": _NSSWITCH,
        "resolv.conf": "",
        "hostname": host["name"] + "\n",
    }
    for name, text in texts.items():
        Path(own, name).write_text(text)
        if os.path.exists(f"/etc/{name}"):
            linux.mount(f"{own}/{name}", os.path.realpath(f"/etc/{name}"), flags=linux.MS_BIND)


def _interfaces(own: str) -> None:
    """Show the interfaces of this host's network namespace under /sys, where UCX looks for them.

    The rest of /sys (control groups, block devices) stays the machine's. A kernel that refuses a sysfs of
    one's own (a container with a masked /sys) gives hosts without it; UCX then says which device it misses.
    """
    os.mkdir(own)
    with contextlib.suppress(OSError):
        linux.mount("sysfs", own, "sysfs", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
        for folder in ("class/net", "devices/virtual/net"):
            linux.mount(f"{own}/{folder}", f"/sys/{folder}", flags=linux.MS_BIND)


def _make_room(target: str) -> None:
    """Where `target` is not there and its folder cannot have it (/sys, another user's): a copy made of mounts."""
    if os.path.exists(target):
        return
    above = Path(target).parent
    while not above.exists():
        above = above.parent
    if os.access(above, os.W_OK) and not above.is_relative_to("/sys"):
        return
    entries = {entry: os.open(entry.path, os.O_PATH | os.O_NOFOLLOW) for entry in os.scandir(above)}
    links = {entry.path: os.readlink(entry.path) for entry in entries if entry.is_symlink()}
    linux.mount("tmpfs", str(above), "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=0755,size=1m")
    for entry, fd in entries.items():
        if entry.path in links:
            os.symlink(links[entry.path], entry.path)
            os.close(fd)
        else:
            _bind(fd, entry.path)


def _bind(fd: int, target: str, folder: bool = False) -> None:
    """Bind mount the file of a descriptor, and close it."""
    source = f"/proc/self/fd/{fd}"
    if folder or os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    linux.mount(source, target, flags=linux.MS_BIND | linux.MS_REC)
    os.close(fd)


def _disk(disk: dict[str, Any]) -> None:
    flags = linux.MS_NOSUID | linux.MS_NODEV
    if disk["medium"] == "memory":
        linux.mount("tmpfs", disk["path"], "tmpfs", flags, f"mode=0755,size={disk['size_mb']}m")
    elif disk["medium"] == "device":
        linux.mount(disk["node"], disk["path"], "ext4", flags | linux.MS_NOATIME)
