"""A process that starts an emulated SLURM with a job on it, says so, and waits to be killed."""

from __future__ import annotations

import sys
import time

from harness.config.slurm import SlurmCluster, Watts
from harness.hosts import HostsSettings
from harness.slurm.emulated import emulated_slurm


def main() -> None:
    print("begin", flush=True)
    hosts = HostsSettings.model_validate_json(sys.argv[1])
    with emulated_slurm(SlurmCluster(nodes=2, watts=Watts(), hosts=hosts)) as cluster:
        cluster.ask("sbatch", "-N2", "-o", "/dev/null", "--wrap", "srun sleep 1000")
        while "RUNNING" not in cluster.ask("squeue", "-h", "-o", "%T"):
            time.sleep(0.1)
        print("up", flush=True)
        time.sleep(1000)


if __name__ == "__main__":
    main()
