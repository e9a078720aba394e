"""Which power limits a powercap tree offers, and why they cannot be set where they cannot."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.measure.zones import Zone, find_zones, read_number

_LIMIT = re.compile(r"^constraint_(\d+)_power_limit_uw$")


@dataclass(frozen=True)
class Limit:
    """One settable limit of a package: long_term (PAPI's A) or short_term (B)."""

    zone: Zone
    term: str
    path: Path

    @property
    def key(self) -> str:
        """Path relative to the tree."""
        return f"{self.path.parent.name}/{self.path.name}"


def find_limits(root: Path) -> list[Limit]:
    """Long and short term limit of every package (peak_power is left alone); PowerError without packages."""
    limits = []
    for zone in find_zones(root):
        if zone.domain != "package":
            continue
        for path in sorted(zone.path.iterdir()):
            match = _LIMIT.match(path.name)
            if not match:
                continue
            try:
                term = (zone.path / f"constraint_{match[1]}_name").read_text().strip()
            except OSError:
                term = {"0": "long_term", "1": "short_term"}.get(match[1], "")
            if term in ("long_term", "short_term"):
                limits.append(Limit(zone, term, path))
    return limits


def enabled_files(limits: list[Limit]) -> list[Path]:
    """The on/off files of the packages in `limits`, where there are any."""
    zones = dict.fromkeys(limit.zone.path for limit in limits)
    return [zone / "enabled" for zone in zones if (zone / "enabled").exists()]


def cap_problem(settings: PowerSettings, root: Path | None = None) -> str:
    """Why no cap can be set below `root` (default: the settings' tree), '' when it can."""
    try:
        limits = find_limits(root or settings.root)
    except PowerError as error:
        return f"no cap: {error}"
    if not limits:
        return f"no cap: no package zone below {root or settings.root} has a power limit"
    off = [path for path in enabled_files(limits) if _is_zero(path)]
    for path in [limit.path for limit in limits] + off:
        if not os.access(path, os.W_OK):
            status = path.stat()
            return (
                f"no cap: permission denied: {path} is mode {status.st_mode & 0o7777:04o} of uid "
                f"{status.st_uid}, this process is uid {os.geteuid()}; the administrator must grant write "
                "access or set the cap"
            )
    return ""


def _is_zero(path: Path) -> bool:
    try:
        return read_number(path) == 0
    except (OSError, ValueError):
        return False
