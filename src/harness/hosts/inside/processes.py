"""Samples what the processes of one host have used, often and cheaply: the files of /proc stay open.

The rules are those of `usage`: what ended processes used is in the values of whoever waited for them.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import time
from typing import Any

from harness.kernel import procfs

STATES_S = 1.0
"""The states of threads are looked at this often at the most: a Java program has dozens of them."""
LOAD_S = 60.0
"""Time constant of the load, as the kernel's of one minute."""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watched:
    """One process, known by its open files: another one with the same number is never taken for it."""

    __slots__ = ("_fds", "looked_at", "pid", "ticks")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.ticks = -1
        """User and system time."""
        self.looked_at = -1
        """The same when its threads were looked at."""
        self._fds: list[int] = []
        try:
            for name in ("stat", "statm", "io"):
                with contextlib.suppress(PermissionError):
                    self._fds.append(os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            self.close()
            raise

    def stat(self) -> list[bytes]:
        """Fields of /proc/PID/stat from the state on. OSError: the process has ended."""
        return os.pread(self._fds[0], 1024, 0).rpartition(b")")[2].split(None, 15)

    def private(self) -> int:
        """Pages that no file backs and no other process shares."""
        fields = os.pread(self._fds[1], 256, 0).split(None, 3)
        return int(fields[1]) - int(fields[2])

    def io(self) -> tuple[int, int] | None:
        """Bytes from and to storage; None: the kernel does not tell."""
        return procfs.parse_io(os.pread(self._fds[2], 1024, 0)) if len(self._fds) > 2 else None

    def states(self) -> tuple[int, int]:
        """Threads that run or could run, and those that wait in the kernel where no signal wakes them."""
        ready = waiting = 0
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with contextlib.suppress(OSError):
                    fd = os.open(f"/proc/{self.pid}/task/{thread}/stat", os.O_RDONLY | os.O_CLOEXEC)
                    state = os.read(fd, 512).rpartition(b")")[2][1:2]
                    os.close(fd)
                    ready += state == b"R"
                    waiting += state == b"D"
        return ready, waiting

    def close(self) -> None:
        """Let its files go."""
        for fd in self._fds:
            os.close(fd)


class Processes:
    """All processes of an emulated host, or all that one host's server on this machine has started."""

    def __init__(self, what: dict[str, Any]) -> None:
        """`what`: {kind, devices, folders}. The parent of this process is the host's server."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self._isolated = what["kind"] == "emulated"
        self._own, self._server = os.getpid(), os.getppid()
        self._known = {self._server: Watched(self._server)}
        self._strangers = {self._own}
        self._files = procfs.Files()
        self._interfaces: dict[str, str] = what["devices"]
        self._disks = {disk: procfs.device_under(folder) for disk, folder in what["folders"].items()}
        self._least: dict[str, int] = {}
        self._looked = -1
        self._looked_s = time.monotonic()
        self._load = 0.0
        self.facts: dict[str, Any] = {"cores": len(os.sched_getaffinity(0))}

    def read(self) -> dict[str, float | None]:
        """One sample: times in s; memory, storage and traffic in bytes; states in threads."""
        now = time.monotonic()
        self._find()
        values = self._sums(now)
        states: list[float | None] = [None, None]
        if int(time.time() // STATES_S) != self._looked:  # all hosts look at the same moment
            self._looked = int(time.time() // STATES_S)
            ready, waiting = self._states()
            fade = math.exp((self._looked_s - now) / LOAD_S)
            self._looked_s = now
            self._load = self._load * fade + (ready + waiting) * (1 - fade)
            states = [waiting, self._load]
        values["waiting"], values["load"] = states
        values.update(procfs.traffic(self._files.text("/proc/net/dev"), self._interfaces))
        if any(self._disks.values()):
            values.update(procfs.disk_use(self._files.text("/proc/diskstats"), self._disks))
        return values

    def _find(self) -> None:
        """Open the files of processes that are new. Children of known processes are of this host."""
        there = {int(name) for name in os.listdir("/proc") if name[0] in "123456789"}
        self._strangers &= there
        fresh = sorted(there - self._known.keys() - self._strangers)
        while fresh:
            later = []
            for pid in fresh:
                with contextlib.suppress(OSError, IndexError):
                    process = Watched(pid)
                    parent = int(process.stat()[1])
                    if self._isolated or parent in self._known:
                        self._known[pid] = process
                    else:
                        process.close()
                        later.append(pid)
            if len(later) == len(fresh):
                self._strangers.update(later)
                return
            fresh = later

    def _sums(self, now: float) -> dict[str, float | None]:
        user = system = private = read = written = 0
        io_known = True
        for pid, process in list(self._known.items()):
            try:
                fields = process.stat()
                user += int(fields[13])
                system += int(fields[14])
                if pid != self._server:
                    user += int(fields[11])
                    system += int(fields[12])
                    process.ticks = int(fields[11]) + int(fields[12])
                    private += process.private()
                io = process.io()
            except (OSError, IndexError):
                process.close()
                del self._known[pid]
                continue
            if io is None:
                io_known = False
            else:
                read += io[0]
                written += io[1]
        sums = {"user": user, "system": system, "read": read, "written": written}
        # A process that ends between two looks may hide for a moment: a count never falls.
        for key, value in sums.items():
            self._least[key] = max(value, self._least.get(key, 0))
        least = self._least
        return {
            "t": now,
            "user": least["user"] * _TICK_S,
            "system": least["system"] * _TICK_S,
            "memory": private * _PAGE,
            "read": least["read"] if io_known else None,
            "written": least["written"] if io_known else None,
        }

    def _states(self) -> tuple[int, int]:
        """Threads that are ready and that wait, of processes that have used the CPU since the last look."""
        ready = waiting = 0
        for process in self._known.values():
            if process.ticks != process.looked_at:
                process.looked_at = process.ticks
                found = process.states()
                ready, waiting = ready + found[0], waiting + found[1]
        return ready, waiting
