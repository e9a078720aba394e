"""Wrap any program: sample while it runs, pass its exit code through."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.kernel.linux import adopt_orphans, die_with_parent, kill
from harness.kernel.procfs import descendants
from harness.measure.client import Sampler


def run_program(
    settings: PowerSettings,
    program: list[str],
    *,
    period_ms: float,
    trace: Path,
    summary: Path,
    cap_w: float | None,
) -> tuple[int, dict[str, Any]]:
    """Run `program` under the sampler; returns its exit code (128 + signal when killed) and the summary.

    SIGINT, SIGTERM and SIGHUP are passed on. What the program started ends with it, and all of it ends with
    this process, however that ends.
    """
    adopt_orphans()
    with Sampler(
        settings, period_ms=period_ms, trace=trace, summary=summary, cap_w=cap_w, owns_job=True
    ) as sampler:
        own = sampler.pid
        sampler.start()
        try:
            job = popen(program)
        except OSError as error:
            raise PowerError(f"{program[0]}: cannot be started: {error.strerror}") from error
        for signum in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(signum, lambda number, frame: job.send_signal(number))
        # The terminal sends Ctrl-C to the whole group, so the program has it already.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            sampler.watch(job.pid)
            code = job.wait()
            result = sampler.stop()
        finally:
            # A launcher that is killed may leave ranks behind; as orphans they are now children of this process.
            kill(set(descendants(os.getpid())) - {os.getpid(), *descendants(own)})
            job.wait()
    return (code if code >= 0 else 128 - code), result


def popen(argv: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start `argv` so that it is killed when the starting thread ends (also by kill -9).

    The signal is set between fork and exec by a callable that makes two system calls and nothing else.
    """
    parent = os.getpid()

    def tie() -> None:
        die_with_parent(signum=signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(125)

    return subprocess.Popen(argv, preexec_fn=tie, text=True, **options)
