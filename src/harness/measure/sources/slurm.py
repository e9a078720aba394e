"""Source `slurm`: joules of the job's steps, as SLURM accounts for them, asked for after the run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from harness.config.power import PowerSettings, SlurmSettings
from harness.core.errors import PowerError
from harness.measure.model import Probe, Reader

EMULATED_CLUSTER = "kvasir_emulated"
"""Name of the clusters that we emulate (harness.slurm): their joules are synthetic."""
SAMPLER_STEP = "kvasir-sampler"
"""Name of steps that only sample on a node (harness.measure.nodes): their node's joules are the job's already."""
_MEASURED, _EMULATED = "measured:slurm", "emulated:slurm"
_NO_CAP = "no cap: source slurm only reads"
# A feed that was read while half-written gives values just below 2^64.
_ABSURD_J = 2**60
_SUFFIX = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


class Slurm:
    """Domain `node`: whole nodes, summed over the job's nodes; means something only with --exclusive."""

    key: ClassVar[str] = "slurm"

    def __init__(self, settings: PowerSettings, argument: str) -> None:
        self._settings = settings.slurm

    def probe(self) -> Probe:
        """Usable inside a job (or with a job id) of a cluster with an energy plugin."""
        try:
            plugin = energy_plugin(self._settings)
            job_of(self._settings)
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=_NO_CAP)
        source = _EMULATED if plugin.synthetic else f"{_MEASURED}-{plugin.name}"
        return Probe(True, source, "", ("node",), False, _NO_CAP)

    def open(self) -> Reader:
        """Remember what the job has used so far."""
        return SlurmReader(self._settings)


class SlurmReader(Reader):
    """Energy of the steps that began after opening; without accounting, the growth of the job's total."""

    def __init__(self, settings: SlurmSettings) -> None:
        super().__init__()
        self._settings = settings
        self._job = job_of(settings)
        self._plugin = energy_plugin(settings).name
        self._steps_before = set(step_energies(settings, self._job) or {})
        self._total_before = job_energy(settings, self._job)
        self._used: dict[str, Any] = {}

    def afterwards(self) -> dict[str, tuple[float | None, str]]:
        """Joules of domain `node`, or the reason why there are none."""
        deadline = time.monotonic() + self._settings.settle_s
        while True:
            energy, reason = self._ask()
            if energy is not None or time.monotonic() >= deadline:
                return {"node": (energy, reason)}
            time.sleep(min(1.0, max(0.0, deadline - time.monotonic())))

    def _ask(self) -> tuple[float | None, str]:
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

    def details(self) -> dict[str, Any]:
        """What was asked and what the answer covers."""
        scope = "whole nodes of the job; only meaningful with exclusive nodes"
        return {"slurm": {"job": self._job, "plugin": self._plugin, "scope": scope, **self._used}}


def counts_the_job(source_name: str) -> bool:
    """Whether a source gives the joules of all nodes of the job, and not of the one that asks."""
    return source_name.startswith((_MEASURED, _EMULATED))


def implausible(raw: int | None) -> str:
    """Why a number of joules cannot be one, '' when it can."""
    if raw is None:
        return "no energy is recorded"
    if raw == 0:
        return "energy is 0: shorter than two samples of the plugin, or the plugin is off"
    if raw > _ABSURD_J or raw < 0:
        return f"energy {raw} J is absurd: the plugin read a broken value"
    return ""


def job_of(settings: SlurmSettings) -> str:
    """The job to ask for; PowerError when there is none."""
    job = settings.job_id or os.environ.get("SLURM_JOB_ID", "")
    if not re.fullmatch(r"\d+", job):
        raise PowerError("not inside a SLURM job: SLURM_JOB_ID is not set and slurm.job_id is not given")
    return job


@dataclass(frozen=True)
class Plugin:
    """What gathers a cluster's energy."""

    name: str
    synthetic: bool
    """Whether the cluster is one of our emulated ones, whose counters no meter feeds."""


def energy_plugin(settings: SlurmSettings) -> Plugin:
    """The cluster's energy plugin; PowerError when there is none."""
    said = dict(re.findall(r"^(\w+)\s*=\s*(\S+)", _run(settings, "scontrol", "show", "config"), re.M))
    name = said.get("AcctGatherEnergyType", "").rpartition("/")[2]
    if name in ("", "none", "(null)"):
        raise PowerError("this cluster gathers no energy: AcctGatherEnergyType is none in slurm.conf")
    return Plugin(name, said.get("ClusterName") == EMULATED_CLUSTER)


def step_energies(settings: SlurmSettings, job: str) -> dict[str, int | None] | None:
    """ConsumedEnergyRaw of every numbered step that ran something, J; None when there is no accounting to ask."""
    try:
        text = _run(settings, "sacct", "-n", "-P", "-j", job, "-o", "JobID,JobName,ConsumedEnergyRaw")
    except PowerError:
        return None
    steps: dict[str, int | None] = {}
    for line in text.splitlines():
        step, _, rest = line.strip().partition("|")
        name, _, raw = rest.rpartition("|")
        if re.fullmatch(rf"{job}\.\d+", step) and name != SAMPLER_STEP:
            steps[step] = int(raw) if raw.isdigit() else None
    return steps


def job_energy(settings: SlurmSettings, job: str) -> int | None:
    """`energy=` among the job's TRES, J; None when it is not there."""
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
