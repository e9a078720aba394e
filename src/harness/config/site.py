"""`config/sites/<site>.yaml`: where runs happen. Nothing about a study stands here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PositiveFloat

from harness.hosts.settings import HostsSettings
from harness.power.settings import PowerSettings
from harness.strict import Strict


class SitePower(PowerSettings):
    """Where joules come from at this site and whether caps may be set."""

    capping: Literal["auto", "yes", "no"] = Field(description="auto probes the machine that plans the runs")
    cap_scale: PositiveFloat = Field(description="watts here per watt of the paper's caps")

    @property
    def meter(self) -> PowerSettings:
        """The settings of the power source alone."""
        return PowerSettings.model_validate(self.model_dump(exclude={"capping", "cap_scale"}))


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
