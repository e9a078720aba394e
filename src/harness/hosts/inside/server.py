"""The first process of a host: starts commands, says how they ended, counts what they use.

It answers one connection, the driver's, and ends when that ends. On emulated hosts it is process 1 of the host,
so its end is the end of all of them; on the local machine it kills what it started.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import selectors
import signal
import socket
import sys
import termios
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from harness.hosts.inside import throttle, usage, wire
from harness.kernel import linux, procfs


class Server:
    """One host's server. `isolated`: the host has a process namespace of its own."""

    def __init__(
        self, sock: socket.socket, door: socket.socket, isolated: bool, disks: dict[str, str]
    ) -> None:
        self._sock = sock
        self._door = door
        """Where the other hosts ask for commands."""
        self._guests: dict[socket.socket, int] = {}
        """Hosts' connections, each with the number of its command."""
        self._isolated = isolated
        self._disks = disks
        """Devices by disk; paths of throttles' states where disks are folders."""
        self._pids: dict[int, int] = {}
        """Numbers of commands whose code was not asked for yet, by process id."""
        self._codes: dict[int, int] = {}
        self._sessions: dict[int, int] = {}
        self._number = 0
        self._last: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer until the driver ends the connection."""
        awake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        selector = selectors.DefaultSelector()
        selector.register(awake, selectors.EVENT_READ)
        selector.register(self._sock, selectors.EVENT_READ)
        selector.register(self._door, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == awake:
                    with contextlib.suppress(BlockingIOError):
                        os.read(awake, 4096)
                    self._reap()
                    self._dismiss(selector)
                elif key.fileobj is self._sock:
                    if not self._answer():
                        return
                elif key.fileobj is self._door:
                    with contextlib.suppress(OSError):
                        self._admit(selector, self._door.accept()[0])
                elif isinstance(key.fileobj, socket.socket):  # a guest that has gone takes its command along
                    if key.fileobj not in self._guests:
                        continue  # dismissed by the same look
                    self._do_signal([], self._guests.pop(key.fileobj), signal.SIGKILL)
                    selector.unregister(key.fileobj)
                    key.fileobj.close()

    def _admit(self, selector: selectors.BaseSelector, guest: socket.socket) -> None:
        """Start what another host asks for."""
        guest.settimeout(5)
        received = wire.receive(guest)
        if received is None:
            guest.close()
            return
        message, fds = received
        cwd = message["cwd"] if os.path.isdir(message["cwd"]) else "/"
        reply, given = self._do_start(fds, message["command"], message["env"], cwd, False)
        for fd in [*fds, *given]:
            os.close(fd)
        if "error" in reply:
            wire.send(guest, reply)
            guest.close()
            return
        self._guests[guest] = reply["number"]
        selector.register(guest, selectors.EVENT_READ)

    def _dismiss(self, selector: selectors.BaseSelector) -> None:
        """Tell guests whose commands have ended."""
        for guest, number in list(self._guests.items()):
            if number in self._codes:
                with contextlib.suppress(OSError):
                    wire.send(guest, {"code": self._codes.pop(number)})
                del self._guests[guest]
                selector.unregister(guest)
                guest.close()

    def _answer(self) -> bool:
        received = wire.receive(self._sock)
        if received is None:
            return False
        message, fds = received
        given: list[int] = []
        try:
            handler = getattr(self, f"_do_{message.pop('op')}")
            reply, given = handler(fds, **message)
        except OSError as error:
            reply = {"error": error.strerror or str(error), "errno": error.errno}
        finally:
            for fd in fds:
                os.close(fd)
        try:
            wire.send(self._sock, reply, given)
        except OSError:
            return False
        finally:
            for fd in given:
                os.close(fd)
        return True

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._pids:
                self._codes[self._pids.pop(pid)] = os.waitstatus_to_exitcode(status)

    def _do_start(
        self, fds: list[int], command: list[str], env: dict[str, str], cwd: str | None, terminal: bool
    ) -> tuple[dict[str, Any], list[int]]:
        """Start a command on three descriptors; a descriptor of the process goes back."""
        pid = spawn(command, env, cwd, fds, terminal)
        if isinstance(pid, str):
            return {"error": pid}, []
        self._number += 1
        self._pids[pid] = self._number
        self._sessions[self._number] = pid
        return {"number": self._number, "pid": pid}, [os.pidfd_open(pid)]

    def _do_code(self, fds: list[int], number: int) -> tuple[dict[str, Any], list[int]]:
        """Exit code of a command that has ended."""
        self._reap()
        return {"code": self._codes.get(number)}, []

    def _do_signal(self, fds: list[int], number: int, signum: int) -> tuple[dict[str, Any], list[int]]:
        """Send a signal to a command's session, as far as anything of it is left."""
        session = self._sessions[number]
        if any(pid == session for later, pid in self._sessions.items() if later > number):
            return {}, []  # nothing is left of it: the kernel gave its id to another command
        for pid in procfs.all_pids() if self._isolated else procfs.family(os.getpid()):
            with contextlib.suppress(OSError):
                if os.getsid(pid) == session:
                    os.kill(pid, signum)
        return {}, []

    def _do_counters(self, fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        """What this host's processes have used."""
        own = os.getpid()
        found = usage.total(procfs.all_pids() if self._isolated else procfs.family(own), own)
        usage.never_less(found, self._last)
        self._last = dict(found)
        with open("/proc/net/dev") as file:
            found["interfaces"] = procfs.parse_net(file.read())
        if self._disks:
            with open("/proc/diskstats") as file:
                disks = procfs.parse_disks(file.read())
            found["disks"] = {
                disk: throttle.use(where) if where.startswith("/") else disks.get(where, (0, 0, 0.0))
                for disk, where in self._disks.items()
            }
        return found, []

    def _do_socket(self, fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        """A TCP socket of this host's network, not connected yet."""
        return {}, [socket.socket(socket.AF_INET, socket.SOCK_STREAM).detach()]


def spawn(
    command: list[str], env: dict[str, str], cwd: str | None, fds: list[int], terminal: bool = False
) -> int | str:
    """Start a command in a session of its own on three descriptors: its process id, or why it does not start."""
    failed, fail = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        _become(command, env, cwd, fds, terminal, fail)
    os.close(fail)
    try:
        trouble = os.read(failed, 4096).decode()
    finally:
        os.close(failed)
    if trouble:
        os.waitpid(pid, 0)
        return trouble
    return pid


def _become(
    command: list[str], env: dict[str, str], cwd: str | None, fds: list[int], terminal: bool, fail: int
) -> NoReturn:
    """In the child: turn into the command, or say in `fail` why not."""
    stage = "cannot be started"
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        for target, fd in enumerate(fds[:3]):
            os.dup2(fd, target)
        if terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        linux.drop_capabilities()
        if cwd is not None:
            stage = f"folder {cwd}"
            os.chdir(cwd)
        stage = "cannot be started"
        os.execvpe(command[0], command, env)
    except OSError as error:
        os.write(fail, f"{stage}: {error.strerror}".encode())
    except BaseException as error:
        os.write(fail, f"{stage}: {error!r}".encode())
    os._exit(127)


def close_inherited(keep: set[int]) -> None:
    """Close every descriptor above the standard ones but those."""
    limit = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65536)
    low = 3
    for fd in [*sorted(keep), limit]:
        if fd > low:
            os.closerange(low, fd)
        low = max(low, fd + 1)


def run(sock_fd: int, door: socket.socket, isolated: bool, disks: dict[str, str]) -> NoReturn:
    """Serve on a connection, and other hosts at `door`; then end, and with it all commands."""
    close_inherited({sock_fd, door.fileno()})
    os.set_inheritable(sock_fd, False)
    code = 0
    try:
        Server(socket.socket(fileno=sock_fd), door, isolated, disks).serve()
        if not isolated:
            kill_descendants()
    except BaseException as error:
        sys.stderr.write(f"host server: {error!r}\n")
        sys.stderr.flush()
        code = 1
    os._exit(code)


def door_at(path: str) -> socket.socket:
    """Listen at a path of any length, for this user alone."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_CLOEXEC)
    mask = os.umask(0o077)
    try:
        listener.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.umask(mask)
        os.close(folder)
    listener.listen(64)
    return listener


def kill_descendants() -> None:
    """Kill all that came from this process, until there is nothing left to kill (needs a subreaper)."""
    for _ in range(1000):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        victims = procfs.family(os.getpid())[1:]
        if not victims:
            return
        for pid in victims:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


OF_JOB = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_CLUSTER_NAME", "SLURM_CONF")
_OF_SLURM = ("SLURM_", "PMIX_", "PMI_")


def step_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without what SLURM said to the step that this process is in.

    `srun` and `mpirun` take that for wishes: from a step of one task on one host they could start none on two.
    """
    return {
        name: value for name, value in environment.items() if name in OF_JOB or not name.startswith(_OF_SLURM)
    }
