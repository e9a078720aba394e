"""Serves the command `sample`: one sampling session, from settings to files."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import Any

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.kernel.linux import kill
from harness.measure import summary as report
from harness.measure.caps import CapState, cap
from harness.measure.control import Abandoned, Control
from harness.measure.model import NONE, CapUnavailable, Hold, Reader, Resolved, Sampling
from harness.measure.probe import resolve
from harness.measure.sampler import NewSteps, Run, sample
from harness.measure.trace import Trace

EXIT_CAP = 3
EXIT_ABANDONED = 4


def run_session(sampling: Sampling, *, owns_job: bool, steps: bool, hold: Hold | None) -> int:
    """Serves one run over standard input and output; returns the exit code.

    `steps`: ranks may be in SLURM's steps; `hold`: nodes for SLURM to count where the job starts no steps.

    Answers are JSON lines: `ready` once source and cap are in place, one per command, `done` when both files
    have their names, or `error`. Nothing is left under a final name unless `done` was said.
    """
    control = Control(sys.stdin.fileno())
    with ExitStack() as cleanup:
        resolved, reader = _open(sampling.power, hold)
        cleanup.callback(reader.close)
        try:
            held = cleanup.enter_context(_capped(sampling, resolved, reader))
        except CapUnavailable as error:
            _answer(error=str(error), kind="cap")
            return EXIT_CAP
        output = Trace(sampling.trace, report.host_name())
        cleanup.callback(output.abandon)
        run = Run(
            reader=reader,
            source_name=resolved.source_name,
            period_s=sampling.period_ms / 1e3,
            trace=output,
            steps=NewSteps() if steps else None,
        )
        if owns_job:
            cleanup.callback(_kill_unfinished, run)
        _answer(
            ready=True,
            source=resolved.source_name,
            scope=resolved.source.scope,
            reason=resolved.reason,
            domains=list(run.power),
            cap=held.as_json() if held else None,
        )
        psi: list[int | None] = [None]

        def after(command: str) -> None:
            if command == "start":
                psi[0] = report.pressure_us()
            _answer(did=command)

        try:
            sample(run, control, after)
        except Abandoned:
            return EXIT_ABANDONED
        result = report.build(run, resolved, held, (psi[0], report.pressure_us()))
        output.finish()
        report.write(sampling.summary, result)
        _answer(done=True)
    return 0


def _kill_unfinished(run: Run) -> None:
    if run.end is None and run.ranks is not None:
        kill(run.ranks.alive)


def _open(settings: PowerSettings, hold: Hold | None) -> tuple[Resolved, Reader]:
    """Opens the source to use; one that does not open becomes `none` with the reason."""
    resolved = resolve(settings)
    if resolved.source_name == NONE:
        return resolved, Reader()
    try:
        with ExitStack() as undo:
            reader = resolved.source.open()
            undo.callback(reader.close)
            if hold is not None:
                reader.hold(hold)
            undo.pop_all()
            return resolved, reader
    except PowerError as error:
        reason = f"{settings.source}: {error}"
        lost = replace(
            resolved, source_name=NONE, reason=reason, domains=(), can_cap=False, cap_reason=reason
        )
        return lost, Reader()


def _capped(
    sampling: Sampling, resolved: Resolved, reader: Reader
) -> AbstractContextManager[CapState | None]:
    if sampling.cap_w is None:
        return nullcontext()
    if not resolved.can_cap:
        raise CapUnavailable(resolved.cap_reason or f"no cap: source {resolved.source_name} cannot set one")
    return cap(sampling.power, sampling.cap_w, reader.cap_root)


def _answer(**content: Any) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()
