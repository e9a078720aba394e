"""What the user says about power: which source, where its files are, how to reach a BMC or SLURM."""

from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from harness.core.errors import PowerError
from harness.core.models import Strict

POWERCAP_ROOT = Path("/sys/class/powercap")
PROFILES = Path(__file__).resolve().parents[3] / "config" / "power"


class RedfishSettings(Strict):
    """How to reach a BMC. The password is never part of the settings.

    `credentials` is a file with two lines, `user` and `password` (mode 0600); without it the environment
    variables KVASIR_REDFISH_USER and KVASIR_REDFISH_PASSWORD are used, and without those no login is tried.
    """

    url: str = Field(
        pattern=r"^https?://[^/]+/?$",
        description="https://bmc.example, no path; {host}: the measured host's short name",
    )
    chassis: str | None = Field(default=None, description="chassis id; needed when there are several")
    credentials: Path | None = None
    ca_file: Path | None = Field(default=None, description="certificates to trust besides the system's")
    period_s: float = Field(default=1.0, ge=1.0, description="a BMC refreshes slowly: never below 1 s")
    timeout_s: float = Field(default=5.0, gt=0)


class SlurmSettings(Strict):
    """Which SLURM job to ask for energy; by default the one this process runs in."""

    job_id: str | None = Field(default=None, pattern=r"^\d+$", description="default: $SLURM_JOB_ID")
    timeout_s: float = Field(default=20.0, gt=0)
    settle_s: float = Field(default=5.0, ge=0, description="how long to wait for the last step's record")


@dataclass(frozen=True, kw_only=True)
class SourceEntry:
    """A power source that settings may name."""

    reference: str
    """Its class, as `package.module:Class`; imported where it is used."""
    settings: type[Strict] | None = None
    """Model of its own section of the settings, which bears its name."""
    argument: str = ""
    """Pattern of what follows its name and a colon."""


_MEASURE = "harness.measure.sources"
POWER_SOURCES = {
    "powercap": SourceEntry(reference=f"{_MEASURE}.powercap:Powercap"),
    "papi": SourceEntry(reference=f"{_MEASURE}.papi:Papi"),
    "redfish": SourceEntry(reference=f"{_MEASURE}.redfish:Redfish", settings=RedfishSettings),
    "slurm": SourceEntry(reference=f"{_MEASURE}.slurm:Slurm", settings=SlurmSettings),
    "emulated": SourceEntry(reference=f"{_MEASURE}.emulated:Emulated", argument="[A-Za-z0-9][A-Za-z0-9_.-]*"),
    "none": SourceEntry(reference="harness.measure.probe:NoSource"),
}
"""All sources of this tree by name. One from outside needs no entry: its name is its class."""
_PLAIN = [
    "auto",
    *sorted((name for name, one in POWER_SOURCES.items() if not one.argument), key="none".__ne__),
]
_NAMES = [*_PLAIN, *(f"{name}:{one.argument}" for name, one in POWER_SOURCES.items() if one.argument)]
_OUTSIDE = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+:[A-Za-z_]\w*"
SOURCE_PATTERN = f"^({'|'.join([*_NAMES, _OUTSIDE])})$"


class PowerSettings(Strict):
    """Settings of one power source, the same on every host.

    `source` is `auto` (powercap, then papi, else none), one of the sources by name, `emulated:<profile>` with the
    profile `<profiles>/<profile>.yaml`, or `package.module:Class`, a subclass of harness.measure.model.Source from
    outside of Kvasir, which finds its own settings in `options`.
    """

    source: str = Field(default="auto", json_schema_extra={"pattern": SOURCE_PATTERN})
    root: Path = Field(default=POWERCAP_ROOT, description="powercap tree; another one only in tests")
    papi_library: str | None = Field(default=None, description="path of libpapi.so; default: searched")
    profiles: Path | None = Field(
        default=None, description="folder of emulation profiles; default: config/power"
    )
    state: Path | None = Field(default=None, description="folder for limits to restore; default under /run")
    max_power_w: float = Field(default=2000.0, gt=0, description="a domain above this is a misread")
    redfish: RedfishSettings | None = None
    slurm: SlurmSettings = SlurmSettings()
    options: dict[str, Any] = Field(default={}, description="settings of a source from outside of Kvasir")

    @field_validator("source")
    @classmethod
    def _is_a_source(cls, source: str) -> str:
        """Refuse other words with those that there are, instead of a regular expression."""
        if not re.fullmatch(SOURCE_PATTERN, source):
            close = difflib.get_close_matches(source.lower(), _PLAIN, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            own = "or PACKAGE.MODULE:CLASS of a source of your own"
            raise ValueError(f"allowed: {', '.join(_PLAIN)} or emulated:PROFILE, {own}{hint}")
        return source

    @model_validator(mode="after")
    def _check_section(self) -> Self:
        model = POWER_SOURCES[self.source].settings if self.source in POWER_SOURCES else None
        if model is not None and getattr(self, self.source) is None:
            required = [name for name, field in model.model_fields.items() if field.is_required()]
            keys = ", ".join(repr(name) for name in required)
            raise ValueError(f"source {self.source!r} needs the section {self.source!r} with at least {keys}")
        return self

    @property
    def profile_dir(self) -> Path:
        """Folder of the emulation profiles."""
        return PROFILES if self.profiles is None else self.profiles

    @property
    def state_dir(self) -> Path:
        """Folder of the limits to restore: a reboot empties it, and resets the limits too."""
        if self.state is not None:
            return self.state
        runtime = os.environ.get("XDG_RUNTIME_DIR")
        if os.geteuid() == 0:
            return Path("/run/kvasir-power")
        return Path(runtime) / "kvasir-power" if runtime else Path(f"/tmp/kvasir-power-{os.geteuid()}")

    @classmethod
    def load(cls, text_or_path: str) -> PowerSettings:
        """Read settings from JSON text (starts with `{`) or a JSON file; PowerError says what is wrong."""
        where = "settings" if text_or_path.lstrip().startswith("{") else text_or_path
        try:
            text = text_or_path if where == "settings" else Path(text_or_path).read_text(encoding="utf-8")
            return cls.model_validate_json(text)
        except OSError as error:
            raise PowerError(f"{where}: cannot read the power settings: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"]) or "(whole document)"
            found = json.dumps(first.get("input"), default=str)
            raise PowerError(f"{where}: power setting {key}: {first['msg']}; found {found}") from error
