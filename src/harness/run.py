"""Runs one point once: start the program, watch it, and turn what it left behind into a record."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import psutil

from harness.environment import git_state, machine, moment
from harness.frameworks.engine_report import measured, read_report, windows
from harness.power.client import Sampler
from harness.power.model import CapUnavailable, PowerError
from harness.power.settings import PowerSettings
from harness.processes import Ended, owner_fd, start, wait
from harness.records import Metric, Outcome, Record, save, write_folder
from harness.reference import compare, read_counts, read_output
from harness.sampling import read_trace, sampled
from harness.spec import RunSpec

WARM_BLOCK = 1 << 22
"""Bytes read at a time when the page cache is filled."""

REST_S = 1.0
"""Seconds at rest before each run for `power.idle`, spent only where there is a meter."""

LOG_TAIL = 600
"""Characters of the log that go into the reason of a failed run."""


@dataclass(frozen=True)
class Finished:
    """What is known when the program has ended."""

    ended: Ended
    started: datetime
    clock_origin: float
    """CLOCK_MONOTONIC at time 0 of the trace, seconds."""
    summary: dict[str, Any]
    log: str


def warm(inputs: list[str]) -> None:
    """Read the inputs once, so that every run finds them in the page cache and none measures the disk.

    The papers' data lie in memory during the runs. Inputs that do not fit there are left alone.
    """
    paths = [Path(name) for name in inputs]
    if sum(path.stat().st_size for path in paths) > psutil.virtual_memory().available / 2:
        return
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.read(WARM_BLOCK):
                pass


def launch_environment() -> dict[str, str]:
    """Our environment, with what Open MPI needs to start as root (in a container or a test machine)."""
    extra = (
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    )
    return {**os.environ, **extra}


def command_line(spec: RunSpec, folder: Path) -> list[str]:
    """The full command of a run whose files lie in `folder`."""
    places = {"report": folder / "report.json", "events": folder / "events.csv", "output": folder / "output"}
    program = [part.format_map(places) if part.startswith("--") else part for part in spec.program]
    return [*shlex.split(spec.launcher), "-n", str(spec.ranks), *program]


def execute(spec: RunSpec, folder: Path) -> Finished:
    """Start the program under the sampler and wait for its end.

    Raises PowerError or CapUnavailable before anything is started when the power source or cap cannot be had.
    """
    settings = PowerSettings.model_validate(spec.power)
    sampler = Sampler(
        settings,
        period_ms=spec.sample_ms,
        trace=folder / "trace.csv",
        summary=folder / "sampler.json",
        cap_w=spec.cap_w,
    )
    log = folder / "log.txt"
    command = command_line(spec, folder)
    log.write_text(f"$ {shlex.join(command)}\n", encoding="utf-8")
    warm(spec.inputs)
    with sampler:
        sampler.rest(REST_S)
        started = datetime.now(UTC)
        origin = sampler.start()
        process = start(command, log, launch_environment())
        try:
            sampler.watch(process.pid)
            ended = wait(process, spec.timeout_s, owner_fd())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        summary = sampler.stop()
    return Finished(ended, started, origin, summary, log.read_text(encoding="utf-8", errors="replace"))


def outcome_of(finished: Finished) -> Outcome:
    """How the run ended, in the words of the record."""
    ended = finished.ended
    tail = finished.log.strip()[-LOG_TAIL:]
    if ended.stopped:
        status, reason = "timeout", ended.stopped
    elif ended.exit_code != 0:
        status, reason = "failed", f"exit code {ended.exit_code}: {tail}"
    else:
        status, reason = "ok", ""
    return Outcome.model_validate(
        {
            "status": status,
            "reason": reason,
            "exit_code": ended.exit_code,
            "started": finished.started.isoformat(),
            "seconds": ended.seconds,
        }
    )


def metrics_of(spec: RunSpec, finished: Finished, folder: Path) -> list[Metric]:
    """All numbers of a run that ended well. Raises KvasirError when the program's report is not as agreed."""
    report = read_report(folder / "report.json")
    metrics = [
        *measured(report),
        Metric(name="elapsed", value=finished.ended.seconds, unit="s", source="measured:clock"),
        *sampled(finished.summary, read_trace(folder / "trace.csv"), windows(report, finished.clock_origin)),
    ]
    expected = read_counts(Path(spec.counts))
    output = read_output(folder / "output") if (folder / "output").is_dir() else None
    return [*metrics, *compare(expected, output)]


def environment_of(finished: Finished, engine: dict[str, Any]) -> dict[str, Any]:
    """Machine, software and moment of a run."""
    power = {key: finished.summary.get(key) for key in ("source", "reason", "versions", "cap", "model")}
    return {**machine(), **moment(), "git": git_state(), "engine": engine, "power": power}


def run(spec: RunSpec, engine: dict[str, Any], target: Path) -> Outcome:
    """Run `spec` once and write its record into the folder `target`.

    A program that fails or takes too long is a result and is recorded. If the workflow goes meanwhile, nothing
    is recorded. Raises KvasirError, PowerError or CapUnavailable when the run could not be made at all.
    """
    with write_folder(target) as folder:
        finished = execute(spec, folder)
        outcome = outcome_of(finished)
        if outcome.status == "timeout" and "workflow" in outcome.reason:
            raise Interrupted(outcome.reason)
        metrics = metrics_of(spec, finished, folder) if outcome.status == "ok" else []
        environment = environment_of(finished, engine)
        save(
            Record(identity=spec.identity, environment=environment, outcome=outcome, metrics=metrics), folder
        )
        for leftover in ("report.json", "sampler.json"):
            (folder / leftover).unlink(missing_ok=True)
        shutil.rmtree(folder / "output", ignore_errors=True)
    return outcome


class Interrupted(Exception):
    """The run was stopped from outside; there is nothing to record."""


def on_signal(number: int, frame: FrameType | None) -> NoReturn:
    """Turn a signal into an exception, so that everything started is ended on the way out."""
    raise Interrupted(f"stopped by {signal.Signals(number).name}")


__all__ = ["CapUnavailable", "Interrupted", "PowerError", "on_signal", "run"]
