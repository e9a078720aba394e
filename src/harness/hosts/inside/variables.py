"""What SLURM says to a program by its environment, and what of it may be passed on."""

from __future__ import annotations

from collections.abc import Mapping

OF_JOB = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_CLUSTER_NAME", "SLURM_CONF")
_OF_SLURM = ("SLURM_", "PMIX_", "PMI_")


def step_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without what SLURM said to the step that this process is in.

    `srun` and `mpirun` take that for wishes: from a step of one task on one host they could start none on two.
    """
    return {
        name: value for name, value in environment.items() if name in OF_JOB or not name.startswith(_OF_SLURM)
    }
