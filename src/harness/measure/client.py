"""Runs the sampler as a separate process behind a context manager, for run drivers."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any, Self

import harness
from harness.core.errors import PowerError
from harness.core.process import how_ended
from harness.measure.control import NOBODY, NOW
from harness.measure.model import NONE, CapUnavailable, Hold, Sampling, Scope


class Sampler:
    """Starts the sampling process, tells it which processes to follow, and returns its summary.

    The process ends with the thread that entered the context (and with the process, of course). Leaving
    without `stop()` abandons the run: neither file exists then, and with `owns_job` the ranks are killed.
    """

    def __init__(
        self,
        sampling: Sampling,
        *,
        owns_job: bool = False,
        steps: bool = False,
        hold: Hold | None = None,
        through: Sequence[str] = (),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Takes `steps` if ranks may be in steps of SLURM, and `hold`, nodes whose energy SLURM counts meanwhile.

        `through`: the command that starts the process on another host, whose ranks are in steps alone.
        """
        self._summary = sampling.summary
        self._elsewhere = bool(through)
        self._environment = environment
        self._argv = [
            *through,
            *(sys.executable, "-m", "harness.measure", "sample"),
            *("--settings", sampling.power.model_dump_json(), "--period-ms", repr(sampling.period_ms)),
            *("--output", str(sampling.trace), "--summary", str(sampling.summary)),
            *(("--cap-w", repr(sampling.cap_w)) if sampling.cap_w is not None else ()),
            *(("--owns-job",) if owns_job else ()),
            *(("--steps",) if steps else ()),
            *(("--hold", json.dumps(asdict(hold))) if hold is not None else ()),
        ]
        self._process: subprocess.Popen[str] | None = None
        self._stopping = False
        self.source_name = NONE
        self.scope: Scope = "host"
        self.reason = ""
        self.cap: dict[str, Any] | None = None

    def __enter__(self) -> Self:
        """Starts the process and returns when source and cap are in place; raises CapUnavailable or PowerError."""
        # The package's own folder is put on the path by hand: the caller may have found it in any way.
        path = [str(Path(harness.__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [*self._argv, *(() if self._elsewhere else ("--parent", str(os.getpid())))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**self._environment, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        )
        try:
            ready = self._answer()
        except BaseException:
            self._end()
            raise
        self.source_name, self.reason, self.cap = ready["source"], ready["reason"], ready["cap"]
        self.scope = ready["scope"]
        return self

    @property
    def pid(self) -> int:
        """Returns the id of the sampling process; PowerError when there is none."""
        if self._process is None:
            raise PowerError("the power sampler is not running")
        return self._process.pid

    def rest(self, seconds: float) -> None:
        """Measures the machine at rest, before `start`, for at least `seconds`; does nothing without a power source."""
        if self.source_name != NONE:
            self._command(f"rest {seconds!r}")

    def start(self) -> float:
        """Reads every counter once, as the value to count from; returns time 0 (time.monotonic)."""
        origin = monotonic()
        self._command(f"start {NOW if self._elsewhere else repr(origin)}")
        return origin

    def watch(self, pid: int) -> None:
        """Follows the ranks below `pid`, the job's first process, for example mpirun. On another host it has none."""
        self._command(f"watch {NOBODY if self._elsewhere else pid}")

    def begin_stop(self) -> None:
        """Tells the process that the run has ended, without waiting: for several samplers to stop at one moment."""
        self._send("stop")
        self._stopping = True

    def stop(self) -> dict[str, Any]:
        """Ends the run and returns the summary; trace and summary are then complete under their names."""
        if not self._stopping:
            self.begin_stop()
        self._await("done")
        self._end()
        content: dict[str, Any] = json.loads(self._summary.read_text(encoding="utf-8"))
        return content

    def __exit__(self, *exception: object) -> None:
        self._end()

    def _command(self, line: str) -> None:
        self._send(line)
        self._await("did")

    def _send(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            raise PowerError("the power sampler is not running")
        with contextlib.suppress(BrokenPipeError):  # its last words are read below
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _await(self, expect: str) -> None:
        while expect not in self._answer():
            continue

    def _answer(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            how = how_ended(self._process.wait())
            raise PowerError(f"the power sampler ended unexpectedly ({how}); see its messages above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise (CapUnavailable if answer.get("kind") == "cap" else PowerError)(answer["error"])
        return answer

    def _end(self) -> None:
        """Closes the input, which makes the process restore a cap and exit; then waits for it."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
