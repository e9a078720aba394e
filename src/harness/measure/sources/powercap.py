"""Reads source `powercap`: the kernel's RAPL counters, directly from sysfs."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.measure.caps import cap_problem
from harness.measure.model import Probe, Reader, Reading, Source, timed
from harness.measure.rapl import Unwrapper, Zone, find_zones, label, parse_number, why_unreadable


class Powercap(Source):
    """Gives zones by name below `settings.root`: packages and their dram are summed, psys stays apart."""

    key: ClassVar[str] = "powercap"

    def probe(self) -> Probe:
        """Returns usable when the energy counter of every zone can be read."""
        try:
            zones = countable(find_zones(self._settings.root))
            for zone in zones:
                _ZoneCounter(zone, self._settings.max_power_w).close()
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=str(error))
        problem = cap_problem(self._settings)
        name = label(self._settings.root, "measured:rapl-powercap")
        return Probe(True, name, "", domains_of(zones), not problem, problem)

    def open(self) -> Reader:
        """Opens every counter; its file stays open, so a read is one pread."""
        return PowercapReader(self._settings)


class PowercapReader(Reader):
    """Reads all zones of a domain between two reads of the clock and adds them up."""

    def __init__(self, settings: PowerSettings) -> None:
        super().__init__()
        self.cap_root = settings.root
        self._zones: dict[str, list[_ZoneCounter]] = {}
        try:
            for zone in countable(find_zones(settings.root)):
                self._zones.setdefault(zone.domain, []).append(_ZoneCounter(zone, settings.max_power_w))
        except PowerError:
            self.close()
            raise
        self.kinds = {domain: "counter" for domain in self._zones}

    def read(self) -> list[Reading]:
        """Returns joules since opening of every domain; a zone that vanished takes its domain with it."""
        return [timed(domain, partial(_joules_of, zones)) for domain, zones in self._zones.items()]

    def details(self) -> dict[str, Any]:
        """Returns every zone with its range, energy, wrap-arounds and rejected reads."""
        return {"zones": [zone.details() for zones in self._zones.values() for zone in zones]}

    def close(self) -> None:
        """Closes the counters' files."""
        for zones in self._zones.values():
            for zone in zones:
                zone.close()


class _ZoneCounter:
    """Reads one open energy counter, unwrapped with its own range."""

    def __init__(self, zone: Zone, max_w: float) -> None:
        self._zone = zone
        self._fd: int | None = None
        try:
            self._fd = os.open(zone.energy_file, os.O_RDONLY | os.O_CLOEXEC)
            first = timed(zone.label, self._raw)
            if first.value is None:
                raise PowerError(f"{zone.energy_file}: {first.problem}")
            self._counter = Unwrapper(int(first.value), zone.range_uj, max_w, first.time)
        except (OSError, ValueError) as error:
            self.close()
            reason = why_unreadable(zone.energy_file) or f"{zone.energy_file}: {error}"
            raise PowerError(reason) from error
        except PowerError:
            self.close()
            raise

    def _raw(self) -> int:
        if self._fd is None:
            raise ValueError("counter is closed")
        return parse_number(os.pread(self._fd, 64, 0))

    def joules(self) -> float:
        try:
            reading = timed(self._zone.label, self._raw)
            if reading.value is None:
                raise ValueError(reading.problem)
            return self._counter.add(int(reading.value), reading.time)
        except ValueError as error:
            raise ValueError(f"zone {self._zone.label} ({self._zone.path}): {error}") from error

    def details(self) -> dict[str, Any]:
        return {
            "zone": self._zone.label,
            "domain": self._zone.domain,
            "path": str(self._zone.path),
            "range_uJ": self._zone.range_uj,
            "energy_J": self._counter.joules,
            "wraps": self._counter.wraps,
            "rejected": self._counter.rejected,
        }

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _joules_of(zones: list[_ZoneCounter]) -> float:
    return sum(zone.joules() for zone in zones)


def countable(zones: list[Zone]) -> list[Zone]:
    """Returns zones that count: without dram and psys of range 0; a package of range 0 is an error."""
    for zone in zones:
        if zone.range_uj <= 0 and zone.domain == "package":
            raise PowerError(
                f"{zone.path}/max_energy_range_uj is 0 or unreadable: {zone.name} counts no energy"
            )
    return [zone for zone in zones if zone.range_uj > 0]


def domains_of(zones: list[Zone]) -> tuple[str, ...]:
    """Returns the domains that `zones` make up, each once."""
    return tuple(dict.fromkeys(zone.domain for zone in zones))
