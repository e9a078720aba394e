"""A checkout on the login host of an emulated cluster, and the literal command there."""

from __future__ import annotations

import csv
import json
import shutil
import time
from collections.abc import Callable
from typing import Any

from harness.hosts import Host
from harness.hosts.spawned import SpawnedProcess
from harness.slurm.emulated import EmulatedSlurm

from .checkout import Checkout

RESULTS = "results-emulated/part"
CHOSEN = ["--config", "scale=part", "studies=[mimir,eee,mrev,hpc]"]
PROGRAM = "^build/programs/bin/"
"""How the command line of a rank begins; that of its launcher has it further on."""
OFTEN = ["--seconds-between-status-checks", "2", "--slurm-init-seconds-before-status-checks", "2"]
"""This controller does not mind being asked so often."""
MPI = f"{RESULTS}/tables/mimir/realtext.csv"
SIMULATED = f"{RESULTS}/tables/eee/timeline.csv"
CELL = f"{RESULTS}/cells/3n_ssd_ib/cell.json"
"""One cluster with the runs of both studies that want cells."""
IN_CELL = tuple(f"{RESULTS}/tables/{study}/terasort.csv" for study in ("mrev", "hpc"))


class Cluster:
    """The checkout on the login host of a cluster."""

    def __init__(self, slurm: EmulatedSlurm, checkout: Checkout) -> None:
        self.slurm = slurm
        self.checkout = checkout
        self.log = checkout.folder.parent / "cluster.log"

    def start(self, *arguments: str) -> SpawnedProcess:
        """Start the literal command in the checkout."""
        environment = {key: self.checkout.environment[key] for key in ("PATH", "PYTHONPATH", "HOME")}
        self.log.unlink(missing_ok=True)
        command = ["snakemake", "--profile", "slurm", *CHOSEN, *OFTEN, *arguments]
        process = self.slurm.login.start(command, log=self.log, env=environment, cwd=self.checkout.folder)
        assert isinstance(process, SpawnedProcess)
        return process

    def run(self, *arguments: str, code: int = 0, timeout_s: float = 600) -> str:
        """The same to its end; what it printed."""
        ended = self.start(*arguments).wait(timeout_s)
        said = self.log.read_text(errors="replace")
        assert ended == code, said[-6000:]
        return said

    def until(self, what: str, done: Callable[[], bool], timeout_s: float = 120) -> None:
        self.slurm.wait(what, time.monotonic() + timeout_s, done)

    def queue(self) -> list[str]:
        """Jobs that wait or run."""
        return self.slurm.ask("squeue", "-h", "-o", "%A").split()

    def ranks(self) -> list[tuple[Host, list[int]]]:
        """Nodes where the engine's programs run, with their process ids there."""
        found = []
        for node in self.slurm.nodes:
            said = node.run(["pgrep", "-f", PROGRAM], check=False).stdout
            if said.strip():
                found.append((node, [int(pid) for pid in said.split()]))
        return found

    def record(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.checkout.folder / RESULTS / name).read_text())
        return content

    def forget(self, *names: str) -> None:
        """Delete results, so that they are made again."""
        for name in names:
            path = self.checkout.folder / RESULTS / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def jobs(self) -> list[dict[str, str]]:
        """All jobs that the accounts know, whole jobs only."""
        fields = ["JobID", "State", "NNodes", "AllocCPUS", "NodeList", "Comment"]
        said = self.slurm.ask("sacct", "-n", "-P", "-X", "-S", "now-1hour", "-o", ",".join(fields))
        return [dict(zip(fields, line.split("|"), strict=True)) for line in said.splitlines()]

    def read(self, name: str) -> list[dict[str, str]]:
        with (self.checkout.folder / name).open(newline="") as file:
            return list(csv.DictReader(file))
