"""Source `redfish`: watts of a whole chassis from its BMC. Slow: one request per second at the most."""

from __future__ import annotations

from time import monotonic
from typing import Any, ClassVar

from harness.config.power import RedfishSettings
from harness.core.errors import PowerError
from harness.measure.model import Probe, Reader, Reading, Source, short_host_name
from harness.measure.sources.redfish_http import JOULES_PER_KWH, Bmc, find_chassis, number

HOST = "{host}"
"""Stands in the address for the short name of the host that is measured."""
_NO_CAP = "no cap: source redfish only reads"
# (resource below the chassis, keys of the watts, name of the sensor): two different sensors on some machines,
# so the first that answers is kept and recorded.
_SENSORS: tuple[tuple[str, tuple[str | int, ...], str], ...] = (
    ("/EnvironmentMetrics", ("PowerWatts", "Reading"), "EnvironmentMetrics.PowerWatts"),
    ("/Power", ("PowerControl", 0, "PowerConsumedWatts"), "Power.PowerControl[0].PowerConsumedWatts"),
)


class Redfish(Source):
    """Domain `node`: a gauge, integrated to joules by the sampler."""

    key: ClassVar[str] = "redfish"

    def refusal(self, hosts: int) -> str:
        """One address is one chassis, which several hosts would each count."""
        redfish = self._settings.redfish
        if hosts < 2 or redfish is None or HOST in redfish.url:
            return ""
        return (
            f"source redfish: {redfish.url} is one BMC, there are {hosts} hosts; write {HOST} in power.redfish.url "
            "where a host's short name stands in its BMC's name"
        )

    def probe(self) -> Probe:
        """Usable when one reading could be taken."""
        try:
            self.open().close()
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=_NO_CAP)
        return Probe(True, "measured:bmc-redfish", "", ("node",), False, _NO_CAP)

    def open(self) -> Reader:
        """Find chassis and sensor."""
        if self._settings.redfish is None:
            raise PowerError("source redfish is not configured: the settings have no section 'redfish'")
        return RedfishReader(self._settings.redfish)


class RedfishReader(Reader):
    """Polls one sensor; a request that fails is one sample less, not the end of the run."""

    def __init__(self, settings: RedfishSettings) -> None:
        super().__init__()
        self.kinds = {"node": "gauge"}
        self.min_period_s = settings.period_s
        settings = settings.model_copy(update={"url": settings.url.replace(HOST, short_host_name())})
        self._bmc = Bmc(settings)
        self._url = settings.url
        self._chassis = find_chassis(self._bmc, settings.chassis)
        self._path, self._keys, self._sensor = self._find_sensor()
        self._failures: list[str] = []
        self._meter_start = self._meter()

    def _find_sensor(self) -> tuple[str, tuple[str | int, ...], str]:
        for resource, keys, name in _SENSORS:
            path = self._chassis + resource
            if number(self._bmc.get(path), *keys) is not None:
                return path, keys, name
        raise PowerError(f"{self._url}{self._chassis}: neither EnvironmentMetrics nor Power gives watts")

    def _meter(self) -> float | None:
        """The BMC's own energy meter, J (Redfish gives kWh); None where there is none."""
        try:
            kwh = number(self._bmc.get(self._chassis + "/EnvironmentMetrics"), "EnergykWh", "Reading")
        except PowerError:
            return None
        return None if kwh is None else kwh * JOULES_PER_KWH

    def read(self) -> list[Reading]:
        """One request."""
        before = monotonic()
        try:
            watts = number(self._bmc.get(self._path), *self._keys)
            problem = "" if watts is not None else f"{self._path}: {self._sensor} is gone"
        except PowerError as error:
            watts, problem = None, str(error)
        if problem:
            self._failures.append(problem)
        return [Reading(domain="node", before=before, after=monotonic(), value=watts, problem=problem)]

    def details(self) -> dict[str, Any]:
        """Which sensor was read, failed requests, and the BMC's own meter as a cross-check."""
        end = self._meter()
        metered = None if end is None or self._meter_start is None else end - self._meter_start
        return {
            "redfish": {
                "url": self._url,
                "chassis": self._chassis,
                "sensor": self._sensor,
                "meter_energy_J": metered,
                "failed_requests": len(self._failures),
                "first_failure": self._failures[0] if self._failures else "",
            }
        }
