"""Restores power limits: the state file, the code that puts them back, and the process that waits to do so.

Only the standard library is used, so that `python -I -S guardian.py STATE TOKEN` starts in milliseconds. It
says `ready` and waits for the end of its standard input, which comes when its parent ends in any way, kill -9
included. If the state file still bears TOKEN then, the parent did not restore, and the guardian does.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FILE = re.compile(r"^intel-rapl:\d+/(constraint_\d+_power_limit_uw|enabled)$")


class StateError(Exception):
    """A state file cannot be trusted or its limits cannot be written."""


def write_value(path: Path, value: int) -> None:
    """Write one number as sysfs wants it: in one write, without truncating first."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, f"{value}\n".encode())
    finally:
        os.close(fd)


def boot_id() -> str:
    """Changes with every boot, which also resets the limits."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def start_of(pid: int) -> str:
    """When process `pid` started (clock ticks since boot), '' when it is gone: tells a reused pid apart."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    fields = stat.rpartition(b")")[2].split()
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: owner, guardian and a later start never write limits at the same time."""
    fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def private_folder(folder: Path) -> None:
    """Make the state folder; refuse one that somebody else could have prepared."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise StateError(f"{folder} is not a private folder of uid {os.geteuid()} (mode 0700): remove it")


def save(state: Path, content: dict[str, Any]) -> None:
    """Write the state file so that it survives a crash of the process and of the machine."""
    part = state.with_name(state.name + ".part")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, json.dumps(content).encode())
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(part, state)
    folder = os.open(state.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load(state: Path) -> dict[str, Any] | None:
    """The state, checked field by field since limits are written with the rights of this process."""
    try:
        content = json.loads(state.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StateError(f"{state}: unreadable ({error}); check the limits by hand and remove it") from error
    values = content.get("values") if isinstance(content, dict) else None
    good = (
        isinstance(values, dict)
        and isinstance(content.get("root"), str)
        and all(_FILE.match(key) and isinstance(v, int) and v >= 0 for key, v in values.items())
    )
    if not good:
        raise StateError(f"{state}: not a state of power limits; check the limits by hand and remove it")
    return dict(content)


def owner_alive(content: dict[str, Any]) -> bool:
    """True while the process that set the cap runs."""
    start = start_of(int(content.get("pid", 0)))
    return bool(start) and start == content.get("start") and content.get("boot") == boot_id()


def put_back(state: Path, content: dict[str, Any]) -> None:
    """Write the old limits and remove the state file (call with the lock held)."""
    failed = []
    if content.get("boot") == boot_id():
        # Limits first, `enabled` last: a limit is never in force with a value nobody chose.
        for name in sorted(content["values"], key=lambda name: name.endswith("enabled")):
            path = Path(content["root"]) / name
            try:
                write_value(path, content["values"][name])
            except FileNotFoundError:
                continue  # the zone is gone, and its limit with it
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
    if failed:
        raise StateError(f"cannot restore power limits ({'; '.join(failed)}); {state} keeps the old values")
    state.unlink(missing_ok=True)


def main(argv: list[str]) -> int:
    """Wait for the parent's end, then restore if it did not."""
    state, token = Path(argv[1]), argv[2]
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    try:
        with locked(state.parent):
            content = load(state)
            if content is not None and content.get("token") == token:
                put_back(state, content)
    except (StateError, OSError) as error:
        sys.stderr.write(f"power guardian: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
