"""Source `papi`: the paper's way, PAPI's powercap component, with its traps worked around.

The zones are resolved by name from the tree that PAPI reads too. What PAPI gives is relative to PAPI_start
modulo the range, and the absolute counter as long as the counter stands where it stood at the start.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from harness.config.power import POWERCAP_ROOT, PowerSettings
from harness.core.errors import PowerError
from harness.measure.caplimits import cap_problem
from harness.measure.model import Probe, Reader, Reading, Source
from harness.measure.provenance import label
from harness.measure.sources.papi_library import EventSet
from harness.measure.sources.papi_library import Papi as Library
from harness.measure.sources.powercap import countable, domains_of
from harness.measure.unwrap import CounterBroken, Unwrapper
from harness.measure.zones import Zone, find_zones, why_unreadable

_MEASURED = "measured:rapl-papi"
_MAX_PACKAGES = 2  # PAPI's table of events holds 2 packages of 3 subzones


class Papi(Source):
    """Usable where PAPI has the powercap component, on an Intel machine, with readable counters."""

    key: ClassVar[str] = "papi"

    def probe(self) -> Probe:
        """Add the events, start and read them once: what PAPI merely lists need not work."""
        try:
            reader = PapiReader(self._settings)
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=str(error))
        domains = tuple(reader.kinds)
        reader.close()
        problem = cap_problem(self._settings)
        return Probe(True, source_name(self._settings), "", domains, not problem, problem)

    def open(self) -> Reader:
        """Start the events."""
        return PapiReader(self._settings)


class PapiReader(Reader):
    """One PAPI_read gives all zones, so all domains share its clock."""

    def __init__(self, settings: PowerSettings) -> None:
        super().__init__()
        self._library = Library(settings.papi_library)
        if not self._library.has_component("powercap"):
            raise PowerError(
                f"PAPI {self._library.version} ({self._library.path}) is built without the powercap component"
            )
        self.cap_root = settings.root
        self._zones = countable(find_zones(settings.root))
        _check_traps(self._zones)
        self._events = self._start()
        try:
            now, values = monotonic(), self._events.read()
        except ValueError as error:
            self._events.close()
            raise PowerError(str(error)) from error
        self._counters = [
            _Counter(zone, value, settings.max_power_w, now)
            for zone, value in zip(self._zones, values, strict=True)
        ]
        self.kinds = {domain: "counter" for domain in domains_of(self._zones)}

    def _start(self) -> EventSet:
        try:
            return self._library.events([event_of(zone) for zone in self._zones])
        except PowerError as error:
            # PAPI says "Event does not exist" to a missing permission and to a foreign processor alike.
            reasons = [why_unreadable(zone.energy_file) for zone in self._zones]
            reason = next(filter(None, reasons), "") or _foreign_cpu() or str(error)
            raise PowerError(reason) from error

    def read(self) -> list[Reading]:
        """Joules since opening of every domain."""
        before = monotonic()
        try:
            values = self._events.read()
        except ValueError as error:
            after = monotonic()
            return [
                Reading(
                    domain=domain, before=before, after=after, value=None, problem=str(error), lasting=True
                )
                for domain in self.kinds
            ]
        after = monotonic()
        sums = dict.fromkeys(self.kinds, 0.0)
        problems = {}
        for counter, value in zip(self._counters, values, strict=True):
            try:
                sums[counter.zone.domain] += counter.add(value, (before + after) / 2)
            except CounterBroken as error:
                problems[counter.zone.domain] = f"zone {counter.zone.label}: {error}"
        return [
            Reading(
                domain=domain, before=before, after=after, value=None, problem=problems[domain], lasting=True
            )
            if domain in problems
            else Reading(domain=domain, before=before, after=after, value=joules)
            for domain, joules in sums.items()
        ]

    def details(self) -> dict[str, Any]:
        """PAPI's version and every zone with its event."""
        zones = [
            {
                "zone": counter.zone.label,
                "domain": counter.zone.domain,
                "event": event_of(counter.zone),
                "range_uJ": counter.zone.range_uj,
                "energy_J": counter.unwrapper.joules,
                "wraps": counter.unwrapper.wraps,
                "rejected": counter.unwrapper.rejected,
            }
            for counter in self._counters
        ]
        return {"papi": {"version": self._library.version, "library": self._library.path}, "zones": zones}

    def close(self) -> None:
        """Stop the events."""
        self._events.close()


class _Counter:
    """Repairs one event: 0 J until the value first changes (trap 2), unwrapped from then on (trap 3)."""

    def __init__(self, zone: Zone, first: int, max_w: float, now: float) -> None:
        self.zone = zone
        self._first: int | None = first
        self.unwrapper = Unwrapper(0, zone.range_uj, max_w, now)

    def add(self, value: int, now: float) -> float:
        if value == self._first:
            return self.unwrapper.joules
        self._first = None
        return self.unwrapper.add(value, now)


def source_name(settings: PowerSettings) -> str:
    """Measured only when both the tree looked at here and the one that PAPI always reads are the kernel's."""
    names = [label(root, _MEASURED) for root in (settings.root, POWERCAP_ROOT)]
    return next((name for name in names if name != _MEASURED), _MEASURED)


def event_of(zone: Zone) -> str:
    """PAPI's name for a zone's energy; PAPI numbers zones as their folders are numbered."""
    sub = "" if zone.subindex is None else f"_SUBZONE{zone.subindex}"
    return f"powercap:::ENERGY_UJ:ZONE{zone.index}{sub}"


def _check_traps(zones: list[Zone]) -> None:
    """Refuse trees that PAPI misreads."""
    packages = [zone for zone in zones if zone.domain == "package"]
    if len(packages) > _MAX_PACKAGES:
        raise PowerError(f"PAPI has room for {_MAX_PACKAGES} packages, this machine has {len(packages)}")
    # One range serves all packages and one all subzones (the last one found), whatever each zone's own is.
    for level in (packages, [zone for zone in zones if zone.subindex is not None]):
        if len({zone.range_uj for zone in level}) > 1:
            names = ", ".join(f"{zone.label} {zone.range_uj}" for zone in level)
            raise PowerError(f"PAPI keeps one energy range for zones that differ ({names} uJ); use powercap")


def _foreign_cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    if "GenuineIntel" in text:
        return ""
    return "PAPI's powercap component serves Intel processors only, and this is another one"
