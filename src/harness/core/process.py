"""Starts programs so that nothing of them outlives the job that started them."""

from __future__ import annotations

import contextlib
import os
import re
import select
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.kernel.linux import die_with_parent

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True)
class Ended:
    """The end of a program: exit code (negative: signal), wall seconds, and the reason if we stopped it."""

    exit_code: int
    seconds: float
    stopped: str = ""


def how_ended(exit_code: int, said: str = "") -> str:
    """Return in words how a program ended: its exit code, or the signal that killed it or one of its ranks.

    exit_code: negative: a signal; above 128: that of a shell or an mpirun whose program was killed; said: its output,
    where mpirun tells which rank was killed, unless another rank's end was noticed first.
    """
    rank = re.search(r"process rank (\d+) with\s.*?exited\s+on\s+signal (\d+)", said, re.DOTALL)
    if rank:
        return f"rank {rank[1]} was killed by {_named(int(rank[2]))}"
    if exit_code < 0:
        return f"killed by {_named(-exit_code)}"
    known = exit_code - 128 in set(signal.Signals)
    killed = f", that of a program killed by {_named(exit_code - 128)}" if known else ""
    return f"exit code {exit_code}{killed}"


def _named(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def start(command: Sequence[str], log: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start `command` in a process group of its own, output appended to `log`, no standard input."""
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=env,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


def own_runs() -> None:
    """Declare this process the owner of all runs started below it: they end when it goes."""
    os.environ["KVASIR_OWNER"] = str(os.getpid())


def owner_fd() -> int | None:
    """Return a descriptor that becomes readable when the workflow (KVASIR_OWNER, a process id) has gone, or None."""
    owner = os.environ.get("KVASIR_OWNER", "")
    if not owner.isdigit():
        return None
    try:
        return os.pidfd_open(int(owner))
    except ProcessLookupError:
        # Gone already, or on another machine (a batch job): then the scheduler ends us.
        return None


def follow_owner(grace_s: float = 20.0) -> None:
    """End this process and all that it has started when the workflow goes.

    One that handles SIGTERM gets that, ends what it has started itself, and is ended if it is there `grace_s` later.
    """
    owner = owner_fd()
    if owner is None:
        return

    def watch() -> None:
        select.select([owner], [], [])
        if callable(signal.getsignal(signal.SIGTERM)):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(grace_s)
        else:
            import psutil  # only here: all scripts load this module, few end so

            family = psutil.Process().children(recursive=True)
            # Another process ends them: this one must not see a program fail and go on, or take it for done.
            if os.fork() == 0:
                end(family)
                os._exit(0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="owner").start()


def wait(process: subprocess.Popen[bytes], timeout_s: float, owner: int | None) -> Ended:
    """Wait until the program ends, takes longer than `timeout_s` or the workflow has gone; stop all of it."""
    began = time.monotonic()
    stopped = ""
    child = os.pidfd_open(process.pid)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, child)
        selector = stack.enter_context(selectors.DefaultSelector())
        selector.register(child, selectors.EVENT_READ, "child")
        if owner is not None:
            selector.register(owner, selectors.EVENT_READ, "owner")
        events = selector.select(timeout_s)
        if not events:
            stopped = f"took longer than {timeout_s:g} s"
        elif all(key.data == "owner" for key, _ in events):
            stopped = "the workflow that started it has gone"
    if stopped:
        stop_tree(process)
    return Ended(process.wait(), time.monotonic() - began, stopped)


def stop_tree(process: subprocess.Popen[bytes], grace_s: float = 3.0) -> None:
    """End a program and all its descendants: ask first, then kill."""
    import psutil

    try:
        family = [psutil.Process(process.pid)]
        family += family[0].children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    end(family, grace_s)


def end(family: Sequence[psutil.Process], grace_s: float = 3.0) -> None:
    """End processes: ask first, then kill."""
    import psutil

    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.terminate()
    _, alive = psutil.wait_procs(family, timeout=grace_s)
    for member in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
