"""The planner's makespan against SLURM's: jobs that sleep, on emulated clusters of 8 and 32 nodes."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

import pytest

from harness.config.slurm import SlurmCluster
from harness.plan.makespan import Job, makespan
from harness.slurm.emulated import EmulatedSlurm, emulated_slurm, refusal

from .conftest import settings_in

EACH = 5
"""Jobs a node."""


def submit(slurm: EmulatedSlurm, job: Job) -> None:
    slurm.ask(
        *("sbatch", "--exclusive", f"-N{job.nodes}", "-t10", "-o/dev/null", "-J", job.name),
        f"--wrap=sleep {job.seconds:.1f}",
    )


def took(slurm: EmulatedSlurm, jobs: list[Job]) -> float:
    """Submit jobs; return seconds until the last has ended."""
    began = time.monotonic()
    for job in jobs:
        submit(slurm, job)
    slurm.wait("all jobs have ended", began + 900, lambda: not slurm.ask("squeue", "-h", "-o", "%A").split())
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("nodes", [8, 32])
def test_the_planned_makespan_is_slurms_within_a_fifth(nodes: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        cluster = SlurmCluster(nodes=nodes, cpus=1, memory_mb=500, hosts=settings_in(Path(scratch)))
        if reason := refusal(cluster):
            pytest.skip(reason)
        with emulated_slurm(cluster) as slurm:
            alone = took(slurm, [Job(name="alone", nodes=1, seconds=5)]) - 5
            random = Random(nodes)
            jobs = [
                Job(name=str(number), nodes=random.choice([1, 1, 1, 2, 5]), seconds=random.uniform(5, 40))
                for number in range(EACH * nodes)
            ]
            found = took(slurm, jobs)
    planned = makespan(
        [Job(name=job.name, nodes=job.nodes, seconds=job.seconds + alone) for job in jobs], nodes
    )
    print(f"{nodes} nodes: {planned.seconds:.0f} s planned, {found:.0f} s taken, {alone:.1f} s a job besides")
    assert planned.seconds == pytest.approx(found, rel=0.2)
