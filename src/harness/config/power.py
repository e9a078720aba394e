"""What the user says about power: which source, where its files are, how to reach a BMC or SLURM."""

from __future__ import annotations

import difflib
import json
import os
import re
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, field_validator, model_validator

from harness.core.errors import PowerError
from harness.core.models import Strict

POWERCAP_ROOT = Path("/sys/class/powercap")
PROFILES = Path(__file__).resolve().parents[3] / "config" / "power"
SOURCES = ("auto", "none", "powercap", "papi", "redfish", "slurm")
EMULATED = r"emulated:[A-Za-z0-9][A-Za-z0-9_.-]*"
SOURCE_PATTERN = rf"^({'|'.join(SOURCES)}|{EMULATED})$"


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


class PowerSettings(Strict):
    """Settings of one power source, the same on every host.

    `source` is `auto` (powercap, then papi, else none), one of the sources by name, or
    `emulated:<profile>` with the profile `<profiles>/<profile>.yaml`.
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

    @field_validator("source")
    @classmethod
    def _is_a_source(cls, source: str) -> str:
        """Refuse other words with those that there are, instead of a regular expression."""
        if not re.fullmatch(SOURCE_PATTERN, source):
            close = difflib.get_close_matches(source.lower(), SOURCES, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"allowed: {', '.join(SOURCES)} or emulated:PROFILE{hint}")
        return source

    @model_validator(mode="after")
    def _redfish_needs_an_address(self) -> Self:
        if self.source == "redfish" and self.redfish is None:
            raise ValueError("source 'redfish' needs the section 'redfish' with at least 'url'")
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
