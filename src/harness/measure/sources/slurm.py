"""Reads source `slurm`: joules of the job's steps from SLURM's accounting, after the run."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from harness.config.power import SlurmSettings
from harness.core.environment import EMULATED_CLUSTER
from harness.core.errors import PowerError
from harness.measure.model import Hold, Probe, Reader, Scope, Source

SAMPLER_STEP = "kvasir-sampler"
"""Name of steps that only sample on a node (harness.measure.nodes): their node's joules are the job's already."""
_MEASURED, _EMULATED = "measured:slurm", "emulated:slurm"
HOLD_S = 60.0
"""Timeout for a step to run on all nodes."""
_NO_CAP = "no cap: source slurm only reads"
# A feed that was read while half-written gives values just below 2^64.
_ABSURD_J = 2**60
_SUFFIX = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


class Slurm(Source):
    """Gives domain `node`: whole nodes, summed over the job's nodes; means something only with --exclusive."""

    key: ClassVar[str] = "slurm"
    scope: ClassVar[Scope] = "job"

    def probe(self) -> Probe:
        """Returns usable inside a job (or with a job id) of a cluster with an energy plugin."""
        try:
            plugin = energy_plugin(self._settings.slurm)
            job_of(self._settings.slurm)
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=_NO_CAP)
        source = _EMULATED if plugin.synthetic else f"{_MEASURED}-{plugin.name}"
        return Probe(True, source, "", ("node",), False, _NO_CAP)

    def open(self) -> Reader:
        """Remembers what the job has used so far."""
        return SlurmReader(self._settings.slurm)


class HeldStep:
    """Runs an idle step on some nodes of the job, so that SLURM counts their energy from now until `end`.

    Steps of programs that began before or go on afterwards, such as daemons, say nothing of the time between.
    It ends with this process, as its life hangs on its `srun`'s input.
    """

    def __init__(self, hold: Hold, timeout_s: float) -> None:
        """Starts the step; returns when it runs on all nodes. Raises PowerError after `timeout_s`."""
        each = [f"--nodes={len(hold.nodes)}", f"--ntasks={len(hold.nodes)}", "--ntasks-per-node=1"]
        beside = ["--overlap", "--mem=0", "--cpu-bind=none", "--mpi=none", "--quiet", "--unbuffered"]
        words = [*each, f"--nodelist={','.join(hold.nodes)}", *beside, f"--job-name={SAMPLER_STEP}"]
        script = 'echo "$SLURM_STEP_ID"; exec cat > /dev/null'
        self._errors = os.fdopen(os.memfd_create("stderr"), "w+b")
        try:
            self._srun = subprocess.Popen(
                [*hold.srun, *words, "/bin/sh", "-c", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
            )
        except OSError as error:
            raise PowerError(f"slurm: {hold.srun[0]}: {error.strerror}") from error
        self.number = self._await(len(hold.nodes), timeout_s)

    def _await(self, nodes: int, timeout_s: float) -> str:
        """Returns the step's number, once each node has printed it."""
        assert self._srun.stdout is not None
        deadline = time.monotonic() + timeout_s
        told = b""
        while told.count(b"\n") < nodes:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._srun.stdout], [], [], left)[0]:
                break
            part = os.read(self._srun.stdout.fileno(), 4096)
            if not part:
                break
            told += part
        words = told.decode(errors="replace").split()
        if len(words) < nodes or not words[0].isdigit():
            self._srun.kill()
            self.end()
            self._errors.seek(0)
            said = " ".join(self._errors.read().decode(errors="replace").split())[-500:]
            self._errors.close()
            raise PowerError(
                f"slurm: no step on {nodes} nodes within {timeout_s:g} s: {said or 'no message'}"
            )
        return words[0]

    def end(self) -> None:
        """Ends the step; may be called twice."""
        assert self._srun.stdin is not None and self._srun.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._srun.stdin.close()
        try:
            self._srun.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._srun.kill()
            self._srun.wait()
        self._srun.stdout.close()

    def close(self) -> None:
        """Ends the step and closes its output."""
        self.end()
        self._errors.close()


class SlurmReader(Reader):
    """Reads the energy of the steps that began after opening; without accounting, the growth of the job's total.

    Told to `hold` nodes, the energy of the step that it holds there.
    """

    def __init__(self, settings: SlurmSettings) -> None:
        super().__init__()
        self._settings = settings
        self._job = job_of(settings)
        self._plugin = energy_plugin(settings).name
        self._steps_before = set(step_energies(settings, self._job) or {})
        self._total_before = job_energy(settings, self._job)
        self._used: dict[str, Any] = {}
        self._held: HeldStep | None = None
        self._while_running: int | None = None

    def hold(self, hold: Hold) -> None:
        """Counts all of these nodes' energy from now on, whatever runs there. Raises PowerError."""
        self._held = HeldStep(hold, HOLD_S)

    def _let_go(self) -> None:
        """Ends the held step; a cluster without accounting forgets its energy then."""
        if self._held is not None:
            self._while_running = running_energy(self._settings, f"{self._job}.{self._held.number}")
            self._held.end()

    def close(self) -> None:
        """Ends the held step, if there is one."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def afterwards(self) -> dict[str, tuple[float | None, str]]:
        """Returns joules of domain `node`, or the reason why there are none."""
        self._let_go()
        deadline = time.monotonic() + self._settings.settle_s
        while True:
            energy, reason = self._ask()
            if energy is not None or time.monotonic() >= deadline:
                return {"node": (energy, reason)}
            time.sleep(min(1.0, max(0.0, deadline - time.monotonic())))

    def _ask(self) -> tuple[float | None, str]:
        if self._held is not None:
            return self._ask_for_held(f"{self._job}.{self._held.number}")
        steps = step_energies(self._settings, self._job)
        if steps is not None:
            fresh = {step: raw for step, raw in steps.items() if step not in self._steps_before}
            self._used = {"asked": "sacct", "steps": fresh}
            if not fresh:
                return None, f"slurm: sacct knows no step of job {self._job} begun during the run"
            for step, raw in fresh.items():
                problem = implausible(raw)
                if problem:
                    return None, f"slurm: step {step}: {problem}"
            return float(sum(raw for raw in fresh.values() if raw is not None)), ""
        total = job_energy(self._settings, self._job)
        self._used = {"asked": "scontrol", "before_J": self._total_before, "after_J": total}
        for raw in (total, self._total_before or 1):
            problem = implausible(raw)
            if problem:
                return None, f"slurm: job {self._job}: {problem}"
        assert total is not None
        if self._total_before is None or total <= self._total_before:
            return None, f"slurm: the energy of job {self._job} did not grow during the run"
        return float(total - self._total_before), ""

    def _ask_for_held(self, step: str) -> tuple[float | None, str]:
        try:
            _, raw = accounted(self._settings, self._job).get(step, ("", None))
            asked = "sacct"
        except PowerError:
            raw, asked = self._while_running, "sstat"
        self._used = {"asked": asked, "steps": {step: raw}}
        problem = implausible(raw)
        return (None, f"slurm: step {step}: {problem}") if problem or raw is None else (float(raw), "")

    def details(self) -> dict[str, Any]:
        """Returns job, plugin, the command that was asked, and the joules of each step."""
        scope = "whole nodes of the job; only meaningful with exclusive nodes"
        return {"slurm": {"job": self._job, "plugin": self._plugin, "scope": scope, **self._used}}


def implausible(raw: int | None) -> str:
    """Returns why a number of joules cannot be one, '' when it can."""
    if raw is None:
        return "no energy is recorded"
    if raw == 0:
        return "energy is 0: shorter than two samples of the plugin, or the plugin is off"
    if raw > _ABSURD_J or raw < 0:
        return f"energy {raw} J is absurd: the plugin read a broken value"
    return ""


def job_of(settings: SlurmSettings) -> str:
    """Returns the id of the job to ask for; PowerError when there is none."""
    job = settings.job_id or os.environ.get("SLURM_JOB_ID", "")
    if not re.fullmatch(r"\d+", job):
        raise PowerError("not inside a SLURM job: SLURM_JOB_ID is not set and slurm.job_id is not given")
    return job


@dataclass(frozen=True)
class Plugin:
    """Names a cluster's energy plugin (AcctGatherEnergyType)."""

    name: str
    synthetic: bool
    """True on our emulated clusters, whose counters no meter feeds."""


def energy_plugin(settings: SlurmSettings) -> Plugin:
    """Returns the cluster's energy plugin; PowerError when there is none."""
    said = dict(re.findall(r"^(\w+)\s*=\s*(\S+)", _run(settings, "scontrol", "show", "config"), re.M))
    name = said.get("AcctGatherEnergyType", "").rpartition("/")[2]
    if name in ("", "none", "(null)"):
        raise PowerError("this cluster gathers no energy: AcctGatherEnergyType is none in slurm.conf")
    return Plugin(name, said.get("ClusterName") == EMULATED_CLUSTER)


def step_energies(settings: SlurmSettings, job: str) -> dict[str, int | None] | None:
    """Returns ConsumedEnergyRaw (J) of every numbered step but samplers'; None when there is no accounting."""
    try:
        steps = accounted(settings, job)
    except PowerError:
        return None
    return {step: raw for step, (name, raw) in steps.items() if name != SAMPLER_STEP}


def accounted(settings: SlurmSettings, job: str) -> dict[str, tuple[str, int | None]]:
    """Returns name and ConsumedEnergyRaw (J) of every numbered step. Raises PowerError without accounting."""
    text = _run(settings, "sacct", "-n", "-P", "-j", job, "-o", "JobID,JobName,ConsumedEnergyRaw")
    steps: dict[str, tuple[str, int | None]] = {}
    for line in text.splitlines():
        step, _, rest = line.strip().partition("|")
        name, _, raw = rest.rpartition("|")
        if re.fullmatch(rf"{job}\.\d+", step):
            steps[step] = name, int(raw) if raw.isdigit() else None
    return steps


def running_energy(settings: SlurmSettings, step: str) -> int | None:
    """Returns ConsumedEnergyRaw of a running step from sstat, J; None when there is none."""
    try:
        text = _run(settings, "sstat", "-n", "-P", "-j", step, "-o", "ConsumedEnergyRaw")
    except PowerError:
        return None
    return int(text.strip()) if text.strip().isdigit() else None


def job_energy(settings: SlurmSettings, job: str) -> int | None:
    """Returns `energy=` among the job's TRES, J; None when it is not there."""
    try:
        text = _run(settings, "scontrol", "show", "job", job)
    except PowerError:
        return None
    match = re.search(r"\benergy=(\d+(?:\.\d+)?)([KMGTP]?)\b", text)
    return round(float(match[1]) * _SUFFIX[match[2]]) if match else None


def _run(settings: SlurmSettings, program: str, *arguments: str) -> str:
    if shutil.which(program) is None:
        raise PowerError(f"program {program} is not installed: this is no SLURM host")
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=settings.timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PowerError(f"{program}: {error}") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.split()) or "no message"
        raise PowerError(f"{program} {' '.join(arguments)}: exit code {done.returncode}: {said}")
    return done.stdout
