"""Models the emulated machine: its profile, the cube law from cap and load to frequency and watts, its powercap tree.

Parameters have their origin beside them. The law is pure and has no clock. The tree is plain files, rewritten in place
and never shorter than before, as readers keep descriptors.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.core.errors import PowerError
from harness.measure.rapl import MARKER, parse_number


class Parameter(BaseModel):
    """Describes one number: its origin, and whether it is an assumption rather than a published figure."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: float
    unit: str
    origin: str = Field(min_length=1)
    assumption: bool


class Parameters(BaseModel):
    """Holds the parameters of the cube-law model."""

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
    """Describes an emulated machine."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    description: str
    parameters: Parameters

    @property
    def sha256(self) -> str:
        """Returns a hash of the whole profile, to tell two runs' models apart."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def slice_cores(self) -> float:
        """Returns the emulated node's share of this machine, in cores."""
        return self.parameters.slice_share.value * len(os.sched_getaffinity(0))

    def as_json(self) -> dict[str, Any]:
        """Returns the profile for the summary and the marker file."""
        content: dict[str, Any] = json.loads(self.model_dump_json())
        return {**content, "sha256": self.sha256, "slice_cores": self.slice_cores()}


def load(folder: Path, name: str) -> Profile:
    """Reads `<folder>/<name>.yaml`; PowerError names file, key, what was found and what is allowed."""
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


@dataclass(frozen=True, kw_only=True)
class CubeLaw:
    """Computes frequency and watts from cap and load, with the parameters as plain numbers."""

    idle_w: float
    dynamic_w: float
    exponent: float
    beta: float
    fmin: float
    dram_idle_w: float
    dram_dynamic_w: float
    filter_s: float

    @classmethod
    def of(cls, p: Parameters) -> CubeLaw:
        """Takes the numbers out of a profile."""
        return cls(
            idle_w=p.idle_w.value,
            dynamic_w=p.dynamic_w.value,
            exponent=p.exponent.value,
            beta=p.compute_boundness.value,
            fmin=p.min_frequency.value,
            dram_idle_w=p.dram_idle_w.value,
            dram_dynamic_w=p.dram_dynamic_w.value,
            filter_s=p.filter_ms.value / 1e3,
        )

    def target_frequency(self, cap_w: float) -> float:
        """Returns the frequency ratio in [fmin, 1] at which a full load draws `cap_w`."""
        share = max(0.0, (cap_w - self.idle_w) / self.dynamic_w)
        return float(min(1.0, max(self.fmin, share ** (1 / self.exponent))))

    def next_frequency(self, now: float, cap_w: float, dt_s: float) -> float:
        """Returns the frequency ratio after `dt_s` of moving towards the target."""
        gain = 1.0 if self.filter_s <= 0 else 1 - exp(-dt_s / self.filter_s)
        return now + (self.target_frequency(cap_w) - now) * gain

    def speed(self, frequency: float) -> float:
        """Returns the share q of the slice's CPU time that is left at `frequency`."""
        return 1 / (self.beta / frequency + 1 - self.beta)

    def package_w(self, load: float, frequency: float) -> float:
        """Returns the watts of the package at `load` = c (share of the slice's CPU time used)."""
        busy = min(1.0, load / self.speed(frequency))
        return float(self.idle_w + self.dynamic_w * busy * frequency**self.exponent)

    def dram_w(self, load: float) -> float:
        """Returns the watts of the memory at `load`."""
        return self.dram_idle_w + self.dram_dynamic_w * min(1.0, load)


_WIDTH = 20


class Tree:
    """Writes `intel-rapl:0` (package-0) and `intel-rapl:0:0` (dram) with counters that wrap like real ones.

    Readers keep descriptors open, so files are neither renamed nor truncated: one pwrite of a fixed width.
    """

    ZONES = ("intel-rapl:0", "intel-rapl:0:0")

    def __init__(self, root: Path, profile: Profile) -> None:
        p = profile.parameters
        self._range = int(p.energy_range_uj.value)
        start = (self._range - int(p.start_below_wrap_j.value * 1e6)) % self._range
        self._uj = [float(start), float(start)]
        limit = int(p.limit_w.value * 1e6)
        root.mkdir(parents=True, exist_ok=True)
        # The marker comes first: there is no moment at which the tree could pass for a real one.
        marker = f"{profile.name}\n{json.dumps(profile.as_json(), indent=1)}\n"
        (root / MARKER).write_text(marker, encoding="utf-8")
        for zone, name in zip(self.ZONES, ("package-0", "dram"), strict=True):
            folder = root / zone
            folder.mkdir(exist_ok=True)
            (folder / "name").write_text(name + "\n")
            (folder / "enabled").write_text("1\n")
            (folder / "max_energy_range_uj").write_text(f"{self._range}\n")
        for index, term in enumerate(("long_term", "short_term")):
            (root / self.ZONES[0] / f"constraint_{index}_name").write_text(term + "\n")
            (root / self.ZONES[0] / f"constraint_{index}_power_limit_uw").write_text(f"{limit}\n")
        self._energy = [
            os.open(root / zone / "energy_uj", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            for zone in self.ZONES
        ]
        self._limits = [
            os.open(root / self.ZONES[0] / f"constraint_{index}_power_limit_uw", os.O_RDONLY | os.O_CLOEXEC)
            for index in (0, 1)
        ]
        self._show()

    def add(self, package_j: float, dram_j: float) -> None:
        """Advances both counters."""
        for index, joules in enumerate((package_j, dram_j)):
            self._uj[index] = (self._uj[index] + joules * 1e6) % self._range
        self._show()

    def cap_w(self) -> float:
        """Returns the lower of the two limits, W."""
        return min(parse_number(os.pread(fd, 64, 0)) for fd in self._limits) / 1e6

    def _show(self) -> None:
        for fd, value in zip(self._energy, self._uj, strict=True):
            os.pwrite(fd, f"{int(value):<{_WIDTH}}\n".encode(), 0)

    def close(self) -> None:
        """Closes the files; the caller removes the folder."""
        for fd in (*self._energy, *self._limits):
            os.close(fd)
        self._energy, self._limits = [], []
