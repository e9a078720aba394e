"""What an emulated SLURM cluster is like: its nodes, what they claim to have, and which services it runs."""

from __future__ import annotations

from pydantic import Field

from harness.config.hosts import HostsSettings
from harness.core.models import Strict

PARTITION = "compute"


class Watts(Strict):
    """Synthetic power of one node: linear between idle and all claimed cores busy."""

    idle: float = Field(default=60.0, gt=0)
    busy: float = Field(default=150.0, gt=0)


class SlurmCluster(Strict):
    """A controller, which is the login host as well, and compute nodes."""

    nodes: int = Field(default=5, ge=1, le=64, description="compute nodes")
    cpus: int = Field(default=2, ge=1, description="cores that each node claims")
    memory_mb: int = Field(default=8_000, ge=100, description="2^20 bytes that each node claims")
    accounting: bool = Field(default=True, description="slurmdbd and its database, for sacct")
    watts: Watts | None = Field(default=None, description="synthetic energy counters; none: no energy plugin")
    max_minutes: int = Field(default=120, ge=1, description="longest job")
    node_timeout_s: int = Field(default=15, ge=5, description="silence after which a node counts as down")
    start_timeout_s: float = Field(default=90, gt=0)
    hosts: HostsSettings = HostsSettings()

    @property
    def names(self) -> list[str]:
        """Names of the compute nodes; the controller is n0."""
        return [f"n{i}" for i in range(1, self.nodes + 1)]
