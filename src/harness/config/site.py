"""`config/sites/<site>.yaml`: where runs happen. Nothing about a study stands here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, StringConstraints

from harness.config.base import Strict

Source = Annotated[str, StringConstraints(pattern=r"^(auto|none|powercap|papi|redfish|slurm|emulated:[a-z0-9-]+)$")]


class SitePower(Strict):
    """Where joules come from at this site and whether caps may be set."""

    source: Source = Field(description="auto, none, powercap, papi, redfish, slurm or emulated:<profile>")
    capping: Literal["auto", "yes", "no"] = Field(description="auto probes the machine that plans the runs")
    cap_scale: PositiveFloat = Field(description="watts here per watt of the paper's caps")
    options: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="settings of the source, for example the address of a Redfish service"
    )


class Site(Strict):
    """A machine or cluster."""

    description: str
    launcher: str = Field(description="starts an MPI program; `-n RANKS PROGRAM` is appended")
    here: bool = Field(description="runs happen on the machine that plans them, so it can be looked at")
    native: bool = Field(description="compile for the instruction set of the machine that builds")
    have: list[str] = Field(description="hardware that a claim's literal check may rely on")
    power: SitePower
    results: str = Field(default="results", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
