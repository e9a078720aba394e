"""`config/sites/<site>.yaml`: where runs happen. Nothing about a study stands here."""

from __future__ import annotations

import shlex
from typing import Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from harness.config.hosts import HostsSettings
from harness.config.power import PowerSettings
from harness.core.models import Strict


class SitePower(PowerSettings):
    """Where joules come from at this site and whether caps may be set."""

    capping: Literal["auto", "yes", "no"] = Field(description="auto probes the machine that plans the runs")
    cap_scale: PositiveFloat = Field(description="watts here per watt of the paper's caps")

    @property
    def meter(self) -> PowerSettings:
        """The settings of the power source alone."""
        return PowerSettings.model_validate(self.model_dump(exclude={"capping", "cap_scale"}))


class Batch(Strict):
    """How jobs are asked for at a site with SLURM. Every node of a job is the job's alone where it measures."""

    partition: str | None = Field(default=None, description="none: the cluster's default")
    account: str | None = Field(default=None, description="none: the user's default")
    cores_per_node: PositiveInt = Field(description="MPI processes that one node takes")
    memory_mb_per_node: PositiveInt = Field(description="2^20 bytes that a job may ask for on one node")
    options: list[str] = Field(default=[], description="more options of sbatch, such as --constraint=haswell")


class BuildCache(Strict):
    """What Spack has built elsewhere: a binary mirror, such as reviewers get."""

    url: str = Field(description="its address, or a folder of this machine")
    key: str = Field(description="public key, a file of GnuPG, that its packages are signed with")


class SiteSpack(Strict):
    """Where images take Spack from, and what they make of it."""

    checkout: str = Field(description="folder of a checkout of Spack, at the commit that the lock names")
    packages_checkout: str | None = Field(
        default=None,
        description="folder of a checkout of Spack's packages, at the commit in spack.yaml; none: Spack clones it",
    )
    environment: Literal[".", "config/spack/own"] = Field(
        default=".",
        description=".: all of spack.lock; config/spack/own: our own packages and their MPI, in minutes",
    )
    source_mirror: str | None = Field(
        default=None, description="address or folder of a source mirror, for machines without network"
    )
    build_cache: BuildCache | None = Field(default=None, description="none: all is built from source")


class SiteImages(Strict):
    """How images are built and trusted; all of it can be left out."""

    packages: Literal["debian", "spack"] = Field(
        default="debian", description="what images are made of: Debian packages, or the stack of spack.yaml"
    )
    spack: SiteSpack | None = Field(default=None, description="needed with packages: spack")
    mirror: str | None = Field(
        default=None,
        pattern=r"^[a-z]+://\S+$",
        description="address of a Debian mirror; none: what apt of the machine that builds is set up with",
    )
    sign_key: str | None = Field(
        default=None, description="private key that new images are signed with: a PEM file without a password"
    )
    verify_key: str | None = Field(
        default=None, description="public key, a PEM file, that an image must be signed with to be used"
    )

    @model_validator(mode="after")
    def _require_spack(self) -> Self:
        if self.packages == "spack" and self.spack is None:
            raise ValueError(
                "packages: spack makes images by Spack, and nothing says where it is: add spack: {checkout: DIR}, "
                "a checkout of Spack (README, Images), or leave packages out"
            )
        return self

    @property
    def environment(self) -> str | None:
        """Folder of the environment of Spack that images are made of; None: they are made of Debian's packages."""
        return self.spack.environment if self.spack and self.packages == "spack" else None


class Site(Strict):
    """A machine or cluster."""

    description: str
    launcher: str = Field(description="starts an MPI program; `-n RANKS PROGRAM` is appended")
    here: bool = Field(description="runs happen on the machine that plans them, so it can be looked at")
    native: bool = Field(description="compile for the instruction set of the machine that builds")
    have: list[str] = Field(description="hardware that a claim's literal check may rely on")
    power: SitePower
    hosts: HostsSettings | None = Field(
        default=None,
        description="hosts, networks and disks for clusters; none: no study that needs them runs",
    )
    results: str = Field(default="results", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    images: SiteImages = SiteImages()
    batch: Batch | None = Field(
        default=None, description="how SLURM is asked for jobs; none: jobs run on this machine"
    )

    @model_validator(mode="after")
    def _batch_is_elsewhere(self) -> Self:
        if (self.batch is None) != self.here:
            raise ValueError(
                "here: true means jobs on this machine and no section batch, here: false needs one"
            )
        return self

    def nodes_for(self, ranks: int) -> int:
        """Nodes that so many MPI processes take."""
        return 1 if self.batch is None else -(-ranks // self.batch.cores_per_node)

    def launch(self, ranks: int) -> list[str]:
        """What starts an MPI program, before its name."""
        nodes = [] if self.batch is None else [f"--nodes={self.nodes_for(ranks)}"]
        return [*shlex.split(self.launcher), *nodes, "-n", str(ranks)]
