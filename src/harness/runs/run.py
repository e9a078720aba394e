"""Runs one point once: starts the program, watches it, and writes a record of its results."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any, NoReturn

import psutil

from harness.core.environment import git_state, machine, moment
from harness.core.process import Ended, how_ended, owner_fd, start, wait
from harness.hosts.inside.server import step_environment
from harness.images.launch import MPIRUN, mpi_launcher
from harness.kernel.linux import die_with_parent
from harness.measure.client import Sampler
from harness.measure.efficiency import core_count, efficiency
from harness.measure.metrics import read_trace, sampled
from harness.measure.model import Sampling
from harness.measure.nodes import NodeSamplers
from harness.plan.spec import RunSpec, Watch
from harness.results.records import Metric, Outcome, Record, save, write_folder
from harness.runs.cachegrind import read_cachegrind, unaffected
from harness.runs.program_report import measured, read_report, windows
from harness.runs.reference_counts import compare, in_passes, read_counts, read_output

WARM_BLOCK = 1 << 22
"""Bytes read at a time when the page cache is filled."""

REST_S = 1.0
"""Seconds at rest before each run for `power.idle`, spent only where there is a meter."""

LEAST_SHARE = 0.8
"""Share of its runtime for which each rank must have had a processor, where there are enough of them.

Two ranks on one core have half of it each, one that shares a core for half of its time three quarters. A rank that
waits for another's message spins, so waiting costs none. Runs of 3 s with a core to each rank had 0.81 to 0.97: their
start and end and the kernel's work for new pages take more of a short run.
"""

LOG_TAIL = 600
"""Characters of the log that go into the reason of a failed run."""

MPIRUN_EPILOGUE = re.compile(
    r"^-{60,}\n(?:Primary job +terminated normally|mpirun detected that one or more processes)[^-].*?^-{60,}\n?",
    re.MULTILINE | re.DOTALL,
)
"""What mpirun adds when a rank ends with an exit code; longer than LOG_TAIL, and the code is known."""


@dataclass(frozen=True)
class Finished:
    """The outcome of a program and its sampler."""

    ended: Ended
    started: datetime
    clock_origin: float
    """CLOCK_MONOTONIC at time 0 of the trace, seconds."""
    summary: dict[str, Any] | None
    """The sampler's summary; None where nothing was watched."""
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
    """Return our environment, with the variables that let Open MPI start as root (in a container or a test machine).

    Within a job of SLURM the program's launcher starts a step of its own, so ours is not told about.
    """
    extra = (
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    )
    return {**step_environment(os.environ), **extra}


def command_line(spec: RunSpec, folder: Path) -> list[str]:
    """Return the full command of a run whose files lie in `folder`."""
    places = {
        "report": folder / "report.json",
        "config": folder / "config.json",
        "trace": folder / "trace.csv",
        "events": folder / "events.csv",
        "output": folder / "output",
        "cachegrind": folder / "cachegrind.out",
    }
    own = [part.format_map(places) if part.startswith(("--", "{")) else part for part in spec.program]
    return [*mpi_launcher(spec.launcher, spec.program[0]), *own]


@contextmanager
def session_directory(command: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the variables that give an mpirun a session directory of its own, removed afterwards; none for others.

    Open MPI 4 keeps the sessions of a user below one directory, which the mpirun that ends last removes: one that
    starts at that moment fails in its mkdir.
    """
    if Path(command[0]).name != MPIRUN:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="kvasir-mpi-", ignore_cleanup_errors=True) as folder:
        yield {"TMPDIR": folder}


def supervise(command: list[str], log: Path, timeout_s: float, follow: Callable[[int], None]) -> Ended:
    """Start the program, tell `follow` its process, and wait for its end; it never outlives this call."""
    with session_directory(command) as session:
        process = start(command, log, {**launch_environment(), **session})
        try:
            follow(process.pid)
            return wait(process, timeout_s, owner_fd())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()


def sampler_of(watch: Watch, folder: Path, nodes: Sequence[str]) -> Sampler | NodeSamplers:
    """Return the sampler of a run: one process here, or one on each node of the job of SLURM that we are in."""
    sampling = Sampling(
        power=watch.power,
        period_ms=watch.period_ms,
        trace=folder / "trace.csv",
        summary=folder / "sampler.json",
        cap_w=watch.cap_w,
    )
    if not nodes:
        return Sampler(sampling)
    here = socket.gethostname().partition(".")[0]
    return NodeSamplers(
        sampling,
        nodes=[node for node in nodes if node.partition(".")[0] != here],
        environment=launch_environment(),
    )


def execute(spec: RunSpec, folder: Path, nodes: Sequence[str]) -> Finished:
    """Start the program, under the sampler if it is to be watched, and wait for its end.

    Raises PowerError (CapUnavailable for a cap) before anything is started when source or cap cannot be had.
    """
    log = folder / "log.txt"
    command = command_line(spec, folder)
    log.write_text(f"$ {shlex.join(command)}\n", encoding="utf-8")
    if spec.document is not None:
        (folder / "config.json").write_text(json.dumps(spec.document, indent=1) + "\n", encoding="utf-8")
    watch = spec.watch
    if watch is None:
        started, origin, summary = datetime.now(UTC), monotonic(), None
        ended = supervise(command, log, spec.timeout_s, lambda pid: None)
    else:
        warm(spec.inputs)
        with sampler_of(watch, folder, nodes) as sampler:
            sampler.rest(REST_S)
            started, origin = datetime.now(UTC), sampler.start()
            ended = supervise(command, log, spec.timeout_s, sampler.watch)
            summary = sampler.stop()
    return Finished(ended, started, origin, summary, log.read_text(encoding="utf-8", errors="replace"))


def outcome_of(finished: Finished) -> Outcome:
    """Return the outcome of a run for its record."""
    ended = finished.ended
    tail = MPIRUN_EPILOGUE.sub("", finished.log).strip()[-LOG_TAIL:]
    if ended.stopped:
        status, reason = "timeout", ended.stopped
    elif ended.exit_code != 0:
        status, reason = "failed", f"{how_ended(ended.exit_code, finished.log)}: {tail}"
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
    """Return all numbers of a run that ended well. Raises KvasirError when the program's report is not as agreed."""
    report = read_report(folder / "report.json")
    if spec.cachegrind:
        metrics = [*unaffected(measured(report)), *read_cachegrind(folder / "cachegrind.out")]
    else:
        elapsed = Metric(name="elapsed", value=finished.ended.seconds, unit="s", source="measured:clock")
        metrics = [*measured(report), elapsed]
    if finished.summary is not None:
        trace = read_trace(folder / "trace.csv")
        metrics += sampled(finished.summary, trace, windows(report, finished.clock_origin))
        cores = spec.ranks if spec.nodes > 1 else min(spec.ranks, len(os.sched_getaffinity(0)))
        metrics.append(core_count(cores))
    if spec.counts is not None:
        output = read_output(folder / "output") if (folder / "output").is_dir() else None
        metrics += compare(in_passes(read_counts(Path(spec.counts)), spec.passes), output)
    return [*metrics, *efficiency(metrics)]


def waited(spec: RunSpec, metrics: Sequence[Metric], cores: int) -> float | None:
    """Returns `cpu.share.min` of a run whose ranks had to wait although there were processors enough, else None.

    `cores` are this machine's. A scheduler gives ranks on several nodes a core each.
    """
    if spec.watch is None or (spec.nodes == 1 and spec.ranks > cores):
        return None
    shares = [metric.value for metric in metrics if metric.name == "cpu.share.min"]
    return next((share for share in shares if share is not None and share < LEAST_SHARE), None)


def environment_of(
    finished: Finished,
    built: dict[str, dict[str, Any]],
    batch: dict[str, Any] | None,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """Return machine, software and moment of a run, and `more`."""
    environment = {**machine(), **moment(), "git": git_state(), "programs": built, **more}
    if batch is not None:
        environment["batch"] = batch
    if finished.summary is not None:
        seen = ("source", "reason", "versions", "cap", "model")
        environment["power"] = {key: finished.summary.get(key) for key in seen}
    return environment


def run(
    spec: RunSpec,
    built: dict[str, dict[str, Any]],
    target: Path,
    batch: dict[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
) -> Outcome:
    """Run `spec` once and write its record into the folder `target`.

    `built` are the facts of the programs by name, `batch` those of the scheduler's job that this is in, `more` others
    for the record.
    A program that fails or takes too long is a result and is recorded. A run whose ranks had to wait for processors
    is made again, `spec.attempts` times in all at most; the record is the last attempt's and tells of the others. If
    the workflow goes meanwhile, nothing is recorded. Raises KvasirError when the run could not be made at all.
    """
    set_aside: list[float] = []
    with write_folder(target) as folder:
        while True:
            finished = execute(spec, folder, batch["nodes"].split() if batch else [])
            outcome = outcome_of(finished)
            if outcome.status == "timeout" and "workflow" in outcome.reason:
                raise Interrupted(outcome.reason)
            metrics = metrics_of(spec, finished, folder) if outcome.status == "ok" else []
            share = waited(spec, metrics, len(os.sched_getaffinity(0)))
            if share is None or len(set_aside) + 1 >= spec.attempts:
                break
            set_aside.append(share)
            shutil.rmtree(folder / "output", ignore_errors=True)
        outcome.set_aside = set_aside
        if spec.attempts > 1 and metrics:
            metrics.append(
                Metric(name="attempts", value=len(set_aside) + 1, unit="1", source="measured:harness")
            )
        environment = environment_of(finished, built, batch, more or {})
        save(
            Record(identity=spec.identity, environment=environment, outcome=outcome, metrics=metrics), folder
        )
        for leftover in ("report.json", "sampler.json", "cachegrind.out"):
            (folder / leftover).unlink(missing_ok=True)
        shutil.rmtree(folder / "output", ignore_errors=True)
    return outcome


class Interrupted(BaseException):
    """A stop of the run from outside, of which nothing is recorded; no failure of the run's."""


def _on_signal(number: int, frame: FrameType | None) -> NoReturn:
    """Turn a signal into an exception, so that everything started is ended on the way out."""
    raise Interrupted(f"stopped by {signal.Signals(number).name}")


def install_signal_handlers() -> None:
    """Raise Interrupted on a signal, and when the job's shell ends. Scripts that run programs call this first."""
    die_with_parent()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _on_signal)
