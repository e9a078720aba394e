"""Creates disks with a size and a throughput: loop devices throttled by the kernel. Needs real root.

A device gets a number of its own, so that its limits can be on no other device, and is removed with them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

CONTROL = "/dev/loop-control"
_CTL_ADD = 0x4C80
_CTL_REMOVE = 0x4C81
_CONFIGURE = 0x4C0A
_SET_DIRECT_IO = 0x4C08
_AUTOCLEAR = 4
_FIRST = 1024
_DIRTY_S = 0.4
"""How much written data the page cache may hold back, in seconds of the device's rate."""


def blkio_root() -> Path | None:
    """Return the folder of cgroup v1's blkio controller, None where there is none."""
    for folder in (Path("/sys/fs/cgroup/blkio"), Path("/sys/fs/cgroup/blkio,io")):
        if (folder / "blkio.throttle.write_bps_device").exists():
            return folder
    return None


def make_file(path: str, size_mb: int) -> subprocess.Popen[bytes]:
    """Create a sparse file; return the command that puts an empty file system into it."""
    with open(path, "wb") as file:
        file.truncate(size_mb << 20)
    command = [
        "mkfs.ext4",
        "-q",
        "-F",
        "-m",
        "0",
        "-E",
        "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
        path,
    ]
    path_env = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin", "LC_ALL": "C"}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, env=path_env)


def add() -> int:
    """Allocate a loop device; return its number."""
    control = os.open(CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        number = _FIRST + os.getpid() % 4096
        while True:
            try:
                return int(fcntl.ioctl(control, _CTL_ADD, number))
            except FileExistsError:
                number += 1
    finally:
        os.close(control)


def configure(number: int, path: str) -> int:
    """Put a file behind a device; it lets go of it with the last user, the first is the returned descriptor."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    device = -1
    try:
        device = _open_node(number)
        info = struct.pack("=QQQQQIIII64s64s32s16s", 0, 0, 0, 0, 0, 0, 0, 0, _AUTOCLEAR, b"", b"", b"", b"")
        fcntl.ioctl(device, _CONFIGURE, struct.pack("=II", file, 0) + info + bytes(64))
        with contextlib.suppress(OSError):  # not on every file system; then data is cached twice
            fcntl.ioctl(device, _SET_DIRECT_IO, 1)
        return device
    except OSError:
        if device >= 0:
            os.close(device)
        raise
    finally:
        os.close(file)


def _open_node(number: int) -> int:
    """The device's node appears a moment after the device."""
    deadline = time.monotonic() + 5
    while True:
        try:
            return os.open(f"/dev/loop{number}", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def throttle(number: int, disk: dict[str, Any], group: str | None) -> None:
    """Throttle a device: in the host's own group (cgroup v2) or in the root group (cgroup v1).

    The rule of the first version's root group holds for the page cache's late writes too, which that version
    takes for the root's; the second version knows whose they are.
    """
    name = f"7:{number}"
    rates = {key: int(disk[key] * 1e6) for key in ("read_mb_s", "write_mb_s") if disk.get(key)}
    blkio = blkio_root()
    if not rates:
        return
    if blkio is not None:
        for key, file in (("read_mb_s", "read_bps_device"), ("write_mb_s", "write_bps_device")):
            if key in rates:
                (blkio / f"blkio.throttle.{file}").write_text(f"{name} {rates[key]}")
    elif group is not None:
        limits = [
            f"{word}={rates[key]}"
            for key, word in (("read_mb_s", "rbps"), ("write_mb_s", "wbps"))
            if key in rates
        ]
        (Path(group) / "io.max").write_text(f"{name} {' '.join(limits)}")
    else:
        raise OSError("no control group can limit a disk here")
    if "write_mb_s" in rates:
        cache = Path(f"/sys/class/bdi/{name}")
        with contextlib.suppress(
            OSError
        ):  # older kernels: what fits into the page cache is written at its speed
            (cache / "strict_limit").write_text("1")
            (cache / "max_bytes").write_text(str(max(int(rates["write_mb_s"] * _DIRTY_S), 1 << 20)))


def remove(number: int, timeout_s: float = 3) -> bool:
    """Remove an unused device and its limits."""
    deadline = time.monotonic() + timeout_s
    control = os.open(CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        while True:
            try:
                fcntl.ioctl(control, _CTL_REMOVE, number)
                return True
            except OSError as error:
                if error.errno != 16 or time.monotonic() > deadline:  # EBUSY
                    return error.errno == 19  # ENODEV: gone already
                time.sleep(0.02)
    finally:
        os.close(control)
