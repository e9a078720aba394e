"""Plans the hosts that this process starts itself, for their guardian and agent."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.config.hosts import HostsSettings
from harness.core.errors import HostError
from harness.hosts.inside import devices
from harness.hosts.inside.guardian import PREFIX
from harness.hosts.model import TMPFS, StrPath
from harness.hosts.probing import isolation, program
from harness.kernel import cgroups

MOST = 200
"""Hosts of one cluster: their addresses differ in the last byte."""


def names_of(settings: HostsSettings, n: int) -> list[dict[str, str]]:
    """Return each host's name on each interface: `n0` on the default one, `n0-ib` on `ib`."""
    default = settings.default_interface
    return [
        {name: f"n{i}" if name == default else f"n{i}-{name}" for name in settings.interfaces}
        for i in range(n)
    ]


def addresses_of(settings: HostsSettings, n: int) -> list[dict[str, str]]:
    """Return each host's address on each interface."""
    if settings.kind == "local":
        return [dict.fromkeys(settings.interfaces, f"127.0.0.{i + 1}") for i in range(n)]
    return [
        {name: f"10.77.{net + 1}.{i + 10}" for net, name in enumerate(settings.interfaces)} for i in range(n)
    ]


def hosts_file(settings: HostsSettings, n: int) -> str:
    """Render /etc/hosts of every emulated host. An address resolves to the first name of its line."""
    lines = ["127.0.0.1 localhost"]
    for i, addresses in enumerate(addresses_of(settings, n)):
        for name, address in addresses.items():
            first = f"n{i} " if name == settings.default_interface else ""
            lines.append(f"{address} {first}n{i}-{name}")
    return "\n".join(lines) + "\n"


def plan_of(
    settings: HostsSettings,
    n: int,
    disks: Sequence[str],
    shared: Sequence[StrPath],
    places: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Build the plan that guardian and agent execute."""
    token = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    bases = [settings.scratch_folder, *(settings.disk_folder(disk) for disk in disks)]
    if settings.kind == "local" and TMPFS.is_dir():  # emulated hosts have one each
        bases.append(TMPFS)
    folders = list(dict.fromkeys(str(base / token) for base in bases))
    hosts: list[dict[str, Any]] = []
    for i, addresses in enumerate(addresses_of(settings, n)):
        own = []
        for name in disks:
            path = settings.disk_folder(name) / token / f"n{i}" / name
            limits = settings.disks[name].model_dump(include={"medium", "size_mb", "read_mb_s", "write_mb_s"})
            own.append({"name": name, "path": str(path), **limits})
        hosts.append({"name": f"n{i}", "number": i, "addresses": addresses, "disks": own, "group": None})
        hosts[-1]["memory"] = str(TMPFS / token / f"n{i}")
        hosts[-1]["places"] = {
            target: f"{folders[0]}/.common/{source.format(host=f'n{i}')}"
            for target, source in (places or {}).items()
        }
    plan: dict[str, Any] = {
        "kind": settings.kind,
        "folders": folders,
        "hosts": hosts,
        "rsh": f"{folders[0]}/.rsh",
        "common": f"{folders[0]}/.common",
        "aliases": aliases(settings, n),
        "interfaces": {name: one.rate_mbit_s for name, one in settings.interfaces.items()},
        "queue_ms": settings.queue_ms,
        "hosts_file": hosts_file(settings, n),
        "shared": outermost([*_always_shared(), *settings.shared, *shared]),
        "cgroups": [],
        "unshare": [],
    }
    if settings.kind == "emulated":
        plan |= {"unshare": list(isolation().command), "ip": program("ip"), "tc": program("tc")}
        plan["nsenter"] = program("nsenter")
        _add_groups(plan, settings, disks, token)
    return plan


def _add_groups(plan: dict[str, Any], settings: HostsSettings, disks: Sequence[str], token: str) -> None:
    """Add control groups: needed for a quota, and on cgroup v2 for the rates of a disk."""
    devices_used = [settings.disks[name] for name in disks if settings.disks[name].medium == "device"]
    limited = any(disk.read_mb_s or disk.write_mb_s for disk in devices_used)
    needed = [] if settings.cpu_cores is None else ["cpu"]
    if limited and devices.blkio_root() is None:
        needed += ["io", "memory"]
    if not needed:
        return
    where = cgroups.place(needed)
    if isinstance(where, str):
        raise HostError(f"hosts: no control group can be made for {' and '.join(needed)}: {where}")
    made = cgroups.wanted(where, token, [host["name"] for host in plan["hosts"]], needed, settings.cpu_cores)
    plan["cgroups"] = made.folders
    for host, group in zip(plan["hosts"], made.of_hosts, strict=True):
        host["group"] = group


def _always_shared() -> list[Path]:
    """Return the working folder, this source tree and this Python, should they lie in a temporary folder."""
    paths = Path.cwd(), Path(__file__).resolve().parents[2], Path(sys.prefix), Path(sys.base_prefix)
    return [path for path in paths if path not in (Path("/tmp"), Path("/dev/shm"))]


def outermost(paths: Sequence[StrPath]) -> list[str]:
    """Drop paths that lie in another of them."""
    found: list[Path] = []
    for path in sorted(Path(os.path.realpath(path)) for path in paths):
        if not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return [str(path) for path in found]


def known_names(settings: HostsSettings, n: int) -> dict[str, str]:
    """Return names of hosts that this process cannot resolve itself."""
    known = {"localhost": "127.0.0.1"}
    for i, addresses in enumerate(addresses_of(settings, n)):
        known[f"n{i}"] = addresses[settings.default_interface]
        known |= {f"n{i}-{name}": address for name, address in addresses.items()}
    return known


def aliases(settings: HostsSettings, n: int) -> dict[str, str]:
    """Map further names and addresses to hosts."""
    found: dict[str, str] = {}
    for i, addresses in enumerate(addresses_of(settings, n)):
        for name, address in addresses.items():
            found |= {f"n{i}-{name}": f"n{i}", address: f"n{i}"}
    return found
