"""Emulation profiles: the model's parameters, each with its origin."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.core.errors import PowerError


class Parameter(BaseModel):
    """One number, where it comes from, and whether it is an assumption rather than a published figure."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: float
    unit: str
    origin: str = Field(min_length=1)
    assumption: bool


class Parameters(BaseModel):
    """Parameters of the cube-law model (see harness.measure.emulator.cubelaw for their meaning)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    idle_w: Parameter
    dynamic_w: Parameter
    exponent: Parameter
    compute_boundness: Parameter
    min_frequency: Parameter
    dram_idle_w: Parameter
    dram_dynamic_w: Parameter
    limit_w: Parameter
    slice_share: Parameter
    tick_ms: Parameter
    window_ms: Parameter
    filter_ms: Parameter
    quota_period_ms: Parameter
    energy_range_uj: Parameter
    start_below_wrap_j: Parameter

    @model_validator(mode="after")
    def _in_range(self) -> Parameters:
        unit_interval = ("compute_boundness", "min_frequency", "slice_share")
        for name, parameter in self:
            if parameter.value < 0 or (name in unit_interval and parameter.value > 1):
                raise ValueError(f"{name}: {parameter.value} is out of range")
        for name in ("min_frequency", "slice_share", "dynamic_w", "exponent", "tick_ms", "window_ms"):
            if getattr(self, name).value == 0:
                raise ValueError(f"{name}: must be above 0")
        return self


class Profile(BaseModel):
    """A named emulated machine."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    description: str
    parameters: Parameters

    @property
    def sha256(self) -> str:
        """Hash of everything in the profile, to tell two runs' models apart."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def slice_cores(self) -> float:
        """The emulated node's share of this machine, in cores."""
        return self.parameters.slice_share.value * len(os.sched_getaffinity(0))

    def as_json(self) -> dict[str, Any]:
        """For the summary and the marker file."""
        content: dict[str, Any] = json.loads(self.model_dump_json())
        return {**content, "sha256": self.sha256, "slice_cores": self.slice_cores()}


def load(folder: Path, name: str) -> Profile:
    """Read `<folder>/<name>.yaml`; PowerError names file, key, what was found and what is allowed."""
    path = folder / f"{name}.yaml"
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        profile = Profile.model_validate(content)
    except FileNotFoundError as error:
        known = ", ".join(sorted(file.stem for file in folder.glob("*.yaml"))) or "none"
        raise PowerError(
            f"no emulation profile {name!r}: {path} does not exist (there are: {known})"
        ) from error
    except (OSError, yaml.YAMLError) as error:
        raise PowerError(f"{path}: unreadable: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise PowerError(f"{path}: {key}: {first['msg']}; found {first.get('input')!r}") from error
    if profile.name != name:
        raise PowerError(f"{path}: name is {profile.name!r}, expected {name!r} as the file is called")
    return profile
