"""On a host of a batch system: runs one command whose life hangs on this program's standard input.

The first line there is the command as JSON, each further line a signal number for all of it. The end of the
input, which comes when whoever asked for the command has gone, kills it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import signal
from typing import Any

from harness.hosts.inside import linux, server, usage, variables


def main(argv: list[str]) -> int:
    """Run the command and end as it does."""
    linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    lines = Lines(0)
    header = lines.next()
    if header is None:
        return 1
    what = json.loads(header)
    pid = _start(what)
    if pid is None:
        return 127
    ended = os.pidfd_open(pid)
    signal.signal(signal.SIGTERM, lambda *_: _signal(pid, signal.SIGTERM))
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(0, select.POLLIN)
    while not any(fd == ended for fd, _ in poller.poll()):
        line = lines.next()
        if line is None:
            break
        _signal(pid, int(line))
    else:
        return _end_as(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    server.kill_descendants()
    return 1


class Lines:
    """Lines of a descriptor, one at a time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""

    def next(self) -> bytes | None:
        """The next line; None at the end."""
        while b"\n" not in self._rest:
            part = os.read(self._fd, 1 << 16)
            if not part:
                return None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _start(what: dict[str, Any]) -> int | None:
    """Start the command in the caller's environment and this host's job; our own step is none of its business."""
    own = {name: os.environ[name] for name in variables.OF_JOB if name in os.environ}
    env = variables.step_environment(what["env"]) | own
    stdin = os.memfd_create("stdin")
    with os.fdopen(os.dup(stdin), "wb") as file:
        file.write(base64.b64decode(what["stdin"]))
    os.lseek(stdin, 0, os.SEEK_SET)
    started = server.spawn(what["command"], env, what["cwd"], [stdin, 1, 2])
    os.close(stdin)
    if isinstance(started, str):
        os.write(2, f"{started}\n".encode())
        return None
    return started


def _signal(session: int, number: int) -> None:
    for pid in usage.descendants(os.getpid())[1:]:
        with contextlib.suppress(OSError):
            if os.getsid(pid) == session:
                os.kill(pid, number)


def _end_as(code: int) -> int:
    """Kill what the command left, then end with its code or by its signal."""
    server.kill_descendants()
    if code >= 0:
        return code
    with contextlib.suppress(OSError):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code
