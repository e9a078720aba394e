"""Probes which kinds of hosts, networks and disks work on this machine, by trying them."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness.config.hosts import HostsSettings
from harness.hosts.inside import devices
from harness.kernel import cgroups

BOOT = Path(__file__).with_name("inside") / "boot.py"
_NAMESPACES = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
_USER = ["--user", "--map-current-user", "--keep-caps"]
_ADVICE = {
    "bridge": "the kernel needs CONFIG_BRIDGE (as root: modprobe bridge)",
    "veth": "the kernel needs CONFIG_VETH (as root: modprobe veth)",
    "tbf": "the kernel needs CONFIG_NET_SCH_TBF (as root: modprobe sch_tbf); without rates it is not needed",
    "tmpfs": "a security policy forbids mounts in namespaces",
    "bind": "a security policy forbids mounts in namespaces",
    "nested": "a security policy or user.max_net_namespaces forbids further namespaces",
    "proc": "a container hides parts of /proc: start it with --security-opt systempaths=unconfined",
}


@dataclass(frozen=True)
class Isolation:
    """How namespaces can be created here."""

    command: tuple[str, ...]
    """What stands before the first program; empty if there is no way."""
    real_root: bool
    """Whether devices can be mounted."""
    failed: dict[str, str]
    """What does not work in the namespaces, by step."""
    reason: str
    """Why there is no way."""


def program(name: str) -> str | None:
    """Find a program; ordinary users often lack sbin in their PATH."""
    return shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")


@functools.cache
def isolation() -> Isolation:
    """Try to create namespaces: as root, else in a user namespace."""
    unshare, ip, tc = program("unshare"), program("ip"), program("tc")
    if unshare is None or ip is None or tc is None:
        missing = [name for name in ("unshare", "ip", "tc") if program(name) is None]
        return Isolation(
            (), False, {}, f"no {', '.join(missing)}: install the packages util-linux and iproute2"
        )
    reason = ""
    ways = [(*_USER, *_NAMESPACES)]
    if os.geteuid() == 0:
        ways.insert(0, tuple(_NAMESPACES))
    for way in ways:
        command = (unshare, *way)
        trial = [*command, sys.executable, "-I", "-S", str(BOOT), "trial", ip, tc]
        try:
            done = subprocess.run(trial, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = str(error)
            continue
        if done.returncode == 0:
            real = os.geteuid() == 0 and "--user" not in way and _owns_machine()
            return Isolation(command, real, json.loads(done.stdout), "")
        reason = (
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        )
    return Isolation((), False, {}, f"no namespaces: {reason}{_namespace_advice()}")


def _namespace_advice() -> str:
    for file, bad in (
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
    ):
        try:
            value = Path(file).read_text().strip()
        except OSError:
            continue
        if value == bad:
            return f" ({file} is {value}: an administrator can change it; or use kind: local)"
    return " (ask an administrator to allow user namespaces, or use kind: local)"


def _owns_machine() -> bool:
    """Tell whether we are root of the machine itself, not of a user namespace."""
    try:
        return Path("/proc/self/uid_map").read_text().split()[:3] == ["0", "0", "4294967295"]
    except OSError:
        return False


def refusal(settings: HostsSettings) -> str:
    """Return why hosts of these settings do not work here; '' if they do. Disks have `disk_refusal`."""
    if settings.kind == "slurm":
        return _slurm_refusal(settings)
    if settings.kind == "emulated":
        found = isolation()
        if found.reason:
            return f"emulated hosts: {found.reason}"
        for step, error in found.failed.items():
            if step == "tbf" and all(one.rate_mbit_s is None for one in settings.interfaces.values()):
                continue
            return f"emulated hosts: {step}: {error} ({_ADVICE[step]})"
        if settings.cpu_cores is not None:
            where = cgroups.place(("cpu",))
            if isinstance(where, str):
                return f"emulated hosts: cpu_cores: no control group can be made: {where}"
    return _folder_refusal(settings.scratch_folder)


def disk_refusal(settings: HostsSettings, disk: str) -> str:
    """Return why a disk class of these settings does not work here; '' if it does."""
    if disk not in settings.disks:
        return f"disk {disk!r}: the site's hosts have only {', '.join(settings.disks) or 'none'}"
    wanted = settings.disks[disk]
    if settings.kind == "slurm":
        return ""  # the hosts' folders are seen when they are made
    if wanted.medium == "throttled":
        trouble = throttle_refusal(settings.disk_folder(disk))
        if trouble:
            return f"disk {disk!r}: {trouble}"
    if wanted.medium == "device":
        trouble = device_refusal(wanted.read_mb_s is not None or wanted.write_mb_s is not None)
        if trouble:
            return f"disk {disk!r}: {trouble}"
    return _folder_refusal(settings.disk_folder(disk))


def device_refusal(rates: bool) -> str:
    """Return why no disk can have a size (and throughput) of its own here; '' if it can."""
    if os.geteuid() != 0 or not isolation().real_root:
        return (
            "a disk with a size or rate of its own needs root on this machine: it is a mounted block device"
        )
    if not os.access(devices.CONTROL, os.W_OK):
        return f"{devices.CONTROL} cannot be opened: the kernel needs loop devices (modprobe loop)"
    if program("mkfs.ext4") is None:
        return "no mkfs.ext4: install the package e2fsprogs"
    if rates and devices.blkio_root() is None:
        where = cgroups.place(("io", "memory"))
        if isinstance(where, str):
            return f"no control group can limit a disk: {where}"
    return ""


def throttle_refusal(folder: Path) -> str:
    """Return why files of a folder cannot be held to rates here; '' if they can."""
    if shutil.which("cc") is None:
        return "no C compiler to make the library with that holds a folder to rates: install the package gcc"
    if set(str(folder)) & set(" :\t\n"):
        return (
            f"{folder}: the loader of programs takes no library from a folder with blanks or colons in its name: "
            "set another scratch folder"
        )
    return ""


def _folder_refusal(folder: Path) -> str:
    if not folder.is_dir():
        return f"{folder}: no such folder; make it or set another scratch folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder}: uid {os.geteuid()} may not write there; set another scratch folder"
    return ""


def _slurm_refusal(settings: HostsSettings) -> str:
    if shutil.which(settings.slurm.srun[0]) is None:
        return f"slurm hosts: no program {settings.slurm.srun[0]}"
    if not os.environ.get("SLURM_JOB_ID"):
        return "slurm hosts: not inside an allocation (SLURM_JOB_ID is not set); use salloc or sbatch"
    return ""
