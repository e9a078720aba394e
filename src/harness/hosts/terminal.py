"""A person's terminal, passed on to a program on a host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import sys
import termios
import tty
from collections.abc import Sequence

from harness.hosts.spawned import SpawnedHost


def interact(host: SpawnedHost, command: Sequence[str]) -> int:
    """Run a command on this process's standard descriptors; its exit code.

    On a terminal it gets one of its own, so that Ctrl-C, job control and full-screen programs work.
    """
    if not sys.stdin.isatty():
        return host.attach(command, [0, 1, 2], False).wait() or 0
    outer, inner = pty.openpty()
    before = termios.tcgetattr(0)
    _same_size(outer)
    process = host.attach(command, [inner, inner, inner], True)
    os.close(inner)
    old = signal.signal(signal.SIGWINCH, lambda *_: _same_size(outer))
    try:
        tty.setraw(0)
        _copy(outer)
        return process.wait() or 0
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
        signal.signal(signal.SIGWINCH, old)
        os.close(outer)


def _same_size(fd: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))


def _copy(outer: int) -> None:
    """Both ways, until no program has the inner terminal."""
    sources = [0, outer]
    while True:
        for fd in select.select(sources, [], [])[0]:
            try:
                data = os.read(fd, 1 << 14)
            except OSError:
                data = b""
            if fd == outer and not data:
                return
            if not data:
                sources.remove(0)
            _write(1 if fd == outer else outer, data)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
