"""Interfaces of hosts and their processes, common to all kinds of hosts."""

from __future__ import annotations

import abc
import contextlib
import shlex
import signal
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, overload

from harness.core.errors import HostError

if TYPE_CHECKING:
    from harness.config.hosts import HostsSettings

StrPath = str | Path
TMPFS = Path("/dev/shm")


@dataclass(frozen=True)
class Completed:
    """A command that has ended."""

    host: str
    command: tuple[str, ...]
    code: int
    """Exit code; negative: the signal that ended it."""
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True)
class Traffic:
    """Bytes through one interface since the host started."""

    received: int
    sent: int


@dataclass(frozen=True)
class DiskTraffic:
    """Bytes to and from one disk since the host started, and the time it was busy."""

    read: int
    written: int
    busy_s: float


@dataclass(frozen=True, kw_only=True)
class Counters:
    """What the processes of one host have used since it started. A kind that cannot know a value says None.

    On the hosts of a batch system, which are real machines, it is what all the machine has used since its boot.
    """

    t_s: float
    """When it was read: seconds of the reading machine's monotonic clock."""
    cpu_s: float
    """User and system time of all processes, ended ones too, as the kernel counts it (10 ms steps per process)."""
    cpu_user_s: float
    rss_bytes: int
    """Memory in use now; pages that several processes share count once for each."""
    private_bytes: int
    """Memory in use now that no file backs and no other process shares."""
    processes: int
    read_bytes: int | None
    """Bytes that processes made storage read; None where the kernel does not tell."""
    written_bytes: int | None
    interfaces: dict[str, Traffic]
    """By interface, `lo` too."""
    disks: dict[str, DiskTraffic] = field(default_factory=dict)
    """By disk class, those with a device of their own."""


@dataclass(frozen=True)
class Interconnect:
    """All hosts as they are called over one interface, in the hosts' order."""

    interface: str
    names: tuple[str, ...]
    """What a program on a host can resolve."""
    addresses: tuple[str, ...]
    rate_mbit_s: float | None
    """The rate that was set, None where none was."""


class Process(abc.ABC):
    """A program that was started on a host and may still run."""

    def __init__(self, host: str, command: Sequence[str], pid: int) -> None:
        self.host = host
        self.command = tuple(command)
        self.pid = pid
        """Process id as the machine that started the hosts sees it (slurm: of the local srun)."""

    @abc.abstractmethod
    def wait(self, timeout_s: float | None = None) -> int | None:
        """Wait for the exit code (negative: signal); None when it still runs after `timeout_s` seconds."""

    @abc.abstractmethod
    def signal(self, number: int) -> None:
        """Send a signal to the program and all it started in its session; no error if it has ended."""

    def poll(self) -> int | None:
        """Return the exit code (negative: signal), or None while it runs."""
        return self.wait(0)

    def stop(self, grace_s: float = 5.0) -> int:
        """Terminate the program and its session: SIGTERM, then SIGKILL after `grace_s`. Returns the exit code."""
        if self.poll() is None:
            self.signal(signal.SIGTERM)
            if self.wait(grace_s) is None:
                self.signal(signal.SIGKILL)
        code = self.wait(10)
        if code is None:
            raise HostError(
                f"host {self.host}: {shown(self.command)} does not end after SIGKILL, it hangs in the kernel"
            )
        self.signal(signal.SIGKILL)  # what it left in its session
        return code


class Host(abc.ABC):
    """One host."""

    def __init__(
        self, name: str, addresses: Mapping[str, str], names: Mapping[str, str], default: str
    ) -> None:
        self.name = name
        self._addresses = dict(addresses)
        self._names = dict(names)
        self._default = default

    def __repr__(self) -> str:
        return f"<host {self.name} {self._addresses}>"

    def address(self, interface: str | None = None) -> str:
        """Return the IPv4 address on an interface, by default the one that the plain name resolves to."""
        return self._of(self._addresses, interface)

    def name_on(self, interface: str | None = None) -> str:
        """Return the name that resolves to this host's address on an interface."""
        return self._of(self._names, interface)

    def _of(self, values: Mapping[str, str], interface: str | None) -> str:
        name = interface or self._default
        if name not in values:
            raise HostError(f"host {self.name} has no interface {name!r}, only {', '.join(values)}")
        return values[name]

    @abc.abstractmethod
    def scratch(self, disk: str) -> Path:
        """Return this host's own scratch folder on a disk class, as programs on the host see it. Removed at the end.

        Folders of different hosts have different paths. Those of media `folder` and `throttled` alone are seen from
        outside.
        """

    @property
    @abc.abstractmethod
    def memory(self) -> Path:
        """Return this host's own folder in tmpfs, which a program that wants it makes. Removed at the end."""

    @abc.abstractmethod
    def run(
        self,
        command: Sequence[StrPath],
        *,
        env: Mapping[str, str] | None = None,
        cwd: StrPath | None = None,
        timeout_s: float = 600,
        stdin: bytes = b"",
        check: bool = True,
    ) -> Completed:
        """Run a command to its end. `env` is added to this process's environment.

        HostError: it cannot be started, takes longer than `timeout_s` (it is killed then), or, with `check`,
        returns another code than 0.
        """

    @abc.abstractmethod
    def start(
        self,
        command: Sequence[StrPath],
        *,
        log: StrPath,
        env: Mapping[str, str] | None = None,
        cwd: StrPath | None = None,
    ) -> Process:
        """Start a command in a session of its own, output appended to `log`, no standard input.

        `log` is a path as this process sees it. HostError: it cannot be started.
        """

    @abc.abstractmethod
    def counters(self) -> Counters:
        """Return what this host's processes have used so far."""

    @abc.abstractmethod
    def connect(self, target: str, port: int, timeout_s: float = 10) -> socket.socket:
        """Open a TCP connection from within this host's network to a name or address. Raises OSError as `connect`."""


class Hosts(Sequence[Host]):
    """Some hosts that were started together."""

    def __init__(
        self,
        members: Sequence[Host],
        settings: HostsSettings,
        disks: Sequence[str],
        remote_shell: Sequence[str] = (),
        common: Path | None = None,
    ) -> None:
        self._members = tuple(members)
        self.settings = settings
        self._common = common
        self.disks = tuple(disks)
        """Disk classes that were made."""
        self.remote_shell = tuple(remote_shell)
        """What stands in for `ssh` on a host: followed by a host's name and a command, it runs that there.

        For launchers: `mpirun --mca plm_rsh_agent "WORDS"`. Empty for hosts of SLURM without a disk.
        """

    @property
    def common(self) -> Path:
        """Return a folder that all hosts and this process see under the same path; removed with the hosts.

        HostError: hosts of SLURM have none of ours.
        """
        if self._common is None:
            raise HostError(f"hosts: those of kind {self.settings.kind} have no common folder of their own")
        return self._common

    @overload
    def __getitem__(self, index: int) -> Host: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Host]: ...
    def __getitem__(self, index: int | slice) -> Host | Sequence[Host]:
        return self._members[index]

    def __len__(self) -> int:
        return len(self._members)

    def interconnect(self, interface: str) -> Interconnect:
        """Return names and addresses on one interface."""
        return Interconnect(
            interface,
            tuple(host.name_on(interface) for host in self),
            tuple(host.address(interface) for host in self),
            self.settings.interfaces[interface].rate_mbit_s,
        )

    @contextlib.contextmanager
    def unlimited(self) -> Iterator[None]:
        """Lift emulated link rates within the block, for what is not measured.

        Real links are as they are.
        """
        yield

    def counters(self, host: Host | int) -> Counters:
        """Return what the processes of one host have used so far."""
        return (self[host] if isinstance(host, int) else host).counters()


def shown(command: Sequence[StrPath], limit: int = 200) -> str:
    """Format a command as a person would type it, shortened."""
    text = shlex.join(str(word) for word in command)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tail(text: str, lines: int = 12) -> str:
    """Return the last lines of some output, for an error message."""
    return "\n".join(text.strip().splitlines()[-lines:])


def judged(done: Completed, code: int | None, timeout_s: float, check: bool) -> Completed:
    """Return the command's result, or raise a HostError that names host and command."""
    if code is None or (check and code != 0):
        how = f"took longer than {timeout_s:g} s" if code is None else f"failed with code {code}"
        said = tail(done.stderr) or tail(done.stdout)
        raise HostError(f"host {done.host}: {shown(done.command)} {how}" + (f":\n{said}" if said else ""))
    return done
