"""System calls missing from Python 3.11, and what processes ask of the kernel about each other's end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable, Iterable

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_NOATIME = 1024
MS_BIND = 4096
MS_REC = 16384

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount; `kind` is empty for a bind mount."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, flags, options.encode() or None
    )
    _check(result, f"mount {kind or 'bind'} {source} on {target}")


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process."""
    _check(_libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


def wake_on_end(handler: Callable[[int], object]) -> int:
    """Call `handler` on SIGTERM and SIGHUP, ignore SIGINT; returns a descriptor that such a signal makes readable.

    Who waits selects on it: a signal just before the wait would else be handled only after it. SIGINT is ignored
    since the terminal sends Ctrl-C to the whole group, so that the one who decides has it already.
    """
    wake, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, lambda number, frame: handler(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return wake


def die_with_parent(parent: int | None = None, signum: int = signal.SIGTERM) -> None:
    """Ask the kernel to signal this process when its parent ends, however it ends. Raises OSError.

    With `parent`, the pid that started this process, exit at once if that has ended already.
    """
    prctl(PR_SET_PDEATHSIG, int(signum))
    if parent is not None and os.getppid() != parent:
        raise SystemExit("parent process is gone")


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill(pids: Iterable[int]) -> None:
    """SIGKILL to each that still exists."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def drop_capabilities() -> None:
    """Make the next program of an ordinary user an ordinary one: no capability outlives `exec`."""
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
