"""Helpers so that no started process outlives its parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Iterable
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(parent: int, signum: int = signal.SIGTERM) -> None:
    """Ask the kernel to signal this process when its parent ends; exit at once if that has happened already.

    `parent` is the pid that started this process. Raises OSError when the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(signum), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        raise SystemExit("parent process is gone")


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill(pids: Iterable[int]) -> None:
    """SIGKILL to each that still exists."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def popen(argv: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start `argv` so that it is killed when the starting thread ends (also by kill -9).

    The signal is set between fork and exec by a callable that only makes one system call.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def tie() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(125)

    return subprocess.Popen(argv, preexec_fn=tie, text=True, **options)
