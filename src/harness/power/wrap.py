"""Wrap any program: sample while it runs, pass its exit code through."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from harness.power.client import Sampler
from harness.power.lifetime import popen
from harness.power.model import PowerError
from harness.power.settings import PowerSettings


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

    SIGINT, SIGTERM and SIGHUP are passed on; the program is killed when this process dies.
    """
    with Sampler(settings, period_ms=period_ms, trace=trace, summary=summary, cap_w=cap_w) as sampler:
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
            if job.poll() is None:
                job.kill()
                job.wait()
    return (code if code >= 0 else 128 - code), result
