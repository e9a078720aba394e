"""Reads source `papi`: the paper's way, PAPI's powercap component, with its traps worked around.

The zones are resolved by name from the tree that PAPI reads too. What PAPI gives is relative to PAPI_start
modulo the range, and the absolute counter as long as the counter stands where it stood at the start. The handful of
libpapi functions that this needs is called through ctypes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from harness.config.power import POWERCAP_ROOT, PowerSettings
from harness.core.errors import PowerError
from harness.measure.caps import cap_problem
from harness.measure.model import Probe, Reader, Reading, Source
from harness.measure.rapl import CounterBroken, Unwrapper, Zone, find_zones, label, why_unreadable
from harness.measure.sources.powercap import countable, domains_of

_MEASURED = "measured:rapl-papi"
_MAX_PACKAGES = 2  # PAPI's table of events holds 2 packages of 3 subzones


class Papi(Source):
    """Gives RAPL energy where PAPI has the powercap component, on an Intel machine, with readable counters."""

    key: ClassVar[str] = "papi"

    def probe(self) -> Probe:
        """Adds the events, starts and reads them once: an event that PAPI merely lists need not work."""
        try:
            reader = PapiReader(self._settings)
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=str(error))
        domains = tuple(reader.kinds)
        reader.close()
        problem = cap_problem(self._settings)
        return Probe(True, source_name(self._settings), "", domains, not problem, problem)

    def open(self) -> Reader:
        """Starts the events."""
        return PapiReader(self._settings)


class PapiReader(Reader):
    """Reads all zones by one PAPI_read, so all domains share its clock."""

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
        """Returns joules since opening of every domain."""
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
        """Returns PAPI's version and every zone with its event."""
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
        """Stops the events."""
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
    """Returns the source: measured only if the settings' tree and the one that PAPI always reads are the kernel's."""
    names = [label(root, _MEASURED) for root in (settings.root, POWERCAP_ROOT)]
    return next((name for name in names if name != _MEASURED), _MEASURED)


def event_of(zone: Zone) -> str:
    """Returns PAPI's name for a zone's energy; PAPI numbers zones as their folders are numbered."""
    sub = "" if zone.subindex is None else f"_SUBZONE{zone.subindex}"
    return f"powercap:::ENERGY_UJ:ZONE{zone.index}{sub}"


def _check_traps(zones: list[Zone]) -> None:
    """Refuses trees that PAPI misreads."""
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


_OK = 0
_NULL = -1
# PAPI_library_init accepts only the version it was built as (major and minor; PAPI_VER_CURRENT in papi.h).
_VERSIONS = [(major, minor) for major in (8, 7, 6, 5) for minor in range(10)]


class Library:
    """Initialises libpapi and makes its event sets."""

    def __init__(self, path: str | None) -> None:
        name = path or ctypes.util.find_library("papi")
        if name is None:
            raise PowerError("libpapi is not installed")
        try:
            self._lib = ctypes.CDLL(name)
            self.version = self._initialise()
            self._lib.PAPI_strerror.restype = ctypes.c_char_p
            self._lib.PAPI_add_named_event.argtypes = [ctypes.c_int, ctypes.c_char_p]
            self._lib.PAPI_get_component_index.argtypes = [ctypes.c_char_p]
        except (OSError, AttributeError) as error:
            raise PowerError(f"{name}: not a usable libpapi: {error}") from error
        self.path = name

    def _initialise(self) -> str:
        for major, minor in _VERSIONS:
            version = major << 24 | minor << 16
            if self._lib.PAPI_library_init(ctypes.c_int(version)) == version:
                return f"{major}.{minor}"
        raise PowerError(f"libpapi is of none of the known versions ({_VERSIONS[-1]} to {_VERSIONS[0]})")

    def has_component(self, name: str) -> bool:
        """Returns True if the component was compiled in (it may still be disabled)."""
        return int(self._lib.PAPI_get_component_index(name.encode())) >= 0

    def events(self, names: Sequence[str]) -> EventSet:
        """Adds `names` to a new event set and starts it; PowerError names the event that PAPI refuses."""
        return EventSet(self._lib, names)


class EventSet:
    """Reads a running event set."""

    def __init__(self, lib: ctypes.CDLL, names: Sequence[str]) -> None:
        self._lib = lib
        self._set = ctypes.c_int(_NULL)
        self._values = (ctypes.c_longlong * len(names))()
        self._started = False
        self._check("PAPI_create_eventset", lib.PAPI_create_eventset(ctypes.byref(self._set)))
        try:
            for name in names:
                self._check(name, lib.PAPI_add_named_event(self._set, name.encode()))
            self._check("PAPI_start", lib.PAPI_start(self._set))
            self._started = True
        except PowerError:
            self.close()
            raise

    def read(self) -> list[int]:
        """Returns the values as PAPI gives them; ValueError when it cannot."""
        code = self._lib.PAPI_read(self._set, self._values)
        if code != _OK:
            raise ValueError(f"PAPI_read: {self._lib.PAPI_strerror(code).decode()}")
        return list(self._values)

    def _check(self, what: str, code: int) -> None:
        if code != _OK:
            raise PowerError(f"PAPI: {what}: {self._lib.PAPI_strerror(code).decode()}")

    def close(self) -> None:
        """Stops and frees the set."""
        if self._set.value == _NULL:
            return
        if self._started:
            self._lib.PAPI_stop(self._set, self._values)
        self._lib.PAPI_cleanup_eventset(self._set)
        self._lib.PAPI_destroy_eventset(ctypes.byref(self._set))
        self._set.value = _NULL
