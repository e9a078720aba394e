"""What a Hadoop cluster asks of a host. `harness.hosts` has hosts of several kinds, `Loopback` is the simplest one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from harness import processes
from harness.errors import KvasirError


class Completed(Protocol):
    """A command that has ended."""

    @property
    def stdout(self) -> str: ...  # noqa: D102
    @property
    def stderr(self) -> str: ...  # noqa: D102
    @property
    def code(self) -> int: ...  # noqa: D102


class Handle(Protocol):
    """A command that runs in the background."""

    @property
    def pid(self) -> int:
        """Its process id, as its host counts."""

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""

    def stop(self) -> object:
        """End it and all it has started."""


class Host(Protocol):
    """A machine of the cluster."""

    @property
    def name(self) -> str:
        """Its name, for messages and folders."""

    def address(self, interface: str, /) -> str:
        """Its address on one of its interfaces."""

    def scratch(self, disk: str, /) -> Path:
        """A folder of its own on one of its disks."""

    def run(
        self,
        command: Sequence[str],
        /,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout_s: float = ...,
    ) -> Completed:
        """Run a command to its end; raises KvasirError when it fails or takes too long."""

    def start(self, command: Sequence[str], /, *, log: Path, env: Mapping[str, str] | None = None) -> Handle:
        """Start a command; what it prints is appended to `log`."""


class _Background:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def stop(self) -> None:
        processes.stop_tree(self._process)
        self._process.wait()


class _Ended:
    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.stdout, self.stderr, self.code = done.stdout, done.stderr, done.returncode


class Loopback:
    """One of several "hosts" that are all this machine: they differ in their names and scratch folders only."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._started: list[_Background] = []

    def address(self, interface: str, /) -> str:
        """127.0.0.1, whatever the interface."""
        return "127.0.0.1"

    def scratch(self, disk: str, /) -> Path:
        """A folder below the one given at the start."""
        path = self.folder / disk
        path.mkdir(parents=True, exist_ok=True)
        return path

    def run(
        self,
        command: Sequence[str],
        /,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout_s: float = 60.0,
    ) -> _Ended:
        """Run a command here."""
        try:
            done = subprocess.run(
                command,
                env=os.environ | dict(env or {}),
                cwd=cwd,
                timeout=timeout_s,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KvasirError(f"host {self.name}: {' '.join(command)}: {error}") from None
        if done.returncode:
            message = (done.stderr or done.stdout).strip()[-2000:]
            raise KvasirError(
                f"host {self.name}: {' '.join(command)}: exit code {done.returncode}: {message}"
            )
        return _Ended(done)

    def start(
        self, command: Sequence[str], /, *, log: Path, env: Mapping[str, str] | None = None
    ) -> _Background:
        """Start a command here; it ends with this process at the latest."""
        log.parent.mkdir(parents=True, exist_ok=True)
        handle = _Background(processes.start(command, log, dict(os.environ) | dict(env or {})))
        self._started.append(handle)
        return handle

    def close(self) -> None:
        """End what still runs and remove the scratch folders."""
        for handle in self._started:
            if handle.poll() is None:
                handle.stop()
        deadline = time.monotonic() + 5
        while self.folder.exists() and time.monotonic() < deadline:
            # A process that is just ending may still write.
            shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def loopback(n: int, folder: Path | None = None) -> Iterator[list[Loopback]]:
    """`n` hosts that are all this machine, without isolation; their scratch folders are below `folder`."""
    root = Path(tempfile.mkdtemp(prefix="kvasir-hosts-", dir=folder)).resolve()
    hosts = [Loopback(f"n{i}", root / f"n{i}") for i in range(n)]
    try:
        yield hosts
    finally:
        for host in hosts:
            host.close()
        shutil.rmtree(root, ignore_errors=True)
