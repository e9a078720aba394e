"""Reads source `redfish`: watts of a whole chassis from its BMC. Slow: one request per second at the most.

The few requests go over the standard library's urllib.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import urllib.error
import urllib.request
from time import monotonic
from typing import Any, ClassVar

from harness.config.power import RedfishSettings
from harness.core.errors import PowerError
from harness.measure.model import Probe, Reader, Reading, Source, short_host_name

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
    """Gives domain `node`: a gauge, integrated to joules by the sampler."""

    key: ClassVar[str] = "redfish"

    def refusal(self, hosts: int) -> str:
        """Refuses several hosts with one address: it is one chassis, which each host would count."""
        redfish = self._settings.redfish
        if hosts < 2 or redfish is None or HOST in redfish.url:
            return ""
        return (
            f"source redfish: {redfish.url} is one BMC, there are {hosts} hosts; write {HOST} in power.redfish.url "
            "where a host's short name stands in its BMC's name"
        )

    def probe(self) -> Probe:
        """Returns usable when one reading could be taken."""
        try:
            self.open().close()
        except PowerError as error:
            return Probe(False, reason=str(error), cap_reason=_NO_CAP)
        return Probe(True, "measured:bmc-redfish", "", ("node",), False, _NO_CAP)

    def open(self) -> Reader:
        """Finds chassis and sensor."""
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
        """Reads the BMC's own energy meter, J (Redfish gives kWh); None where there is none."""
        try:
            kwh = number(self._bmc.get(self._chassis + "/EnvironmentMetrics"), "EnergykWh", "Reading")
        except PowerError:
            return None
        return None if kwh is None else kwh * JOULES_PER_KWH

    def read(self) -> list[Reading]:
        """Takes one reading by one request."""
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
        """Returns the sensor that was read, failed requests, and the BMC's own meter as a cross-check."""
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


JOULES_PER_KWH = 3.6e6


class Bmc:
    """Sends GETs for JSON to one BMC, with basic authentication if there are credentials; TLS is always verified."""

    def __init__(self, settings: RedfishSettings) -> None:
        self._base = settings.url.rstrip("/")
        self._timeout = settings.timeout_s
        self._headers = {"Accept": "application/json", "OData-Version": "4.0"}
        login = credentials(settings)
        if login:
            token = base64.b64encode(":".join(login).encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"
        try:
            context = ssl.create_default_context(cafile=settings.ca_file and str(settings.ca_file))
        except (OSError, ssl.SSLError) as error:
            raise PowerError(f"{settings.ca_file}: not a file of certificates: {error}") from error
        # No redirect is followed: it could carry the credentials to another host.
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=context),
            urllib.request.ProxyHandler({}),
            _NoRedirect(),
        )

    def get(self, path: str) -> dict[str, Any] | None:
        """Returns the resource at `path`; None when there is none (404), PowerError for everything else."""
        url = self._base + path
        request = urllib.request.Request(url, headers=self._headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                content = json.loads(response.read())
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                return None
            hint = {401: ": user or password missing or wrong", 403: ": this user may not read it"}
            raise PowerError(f"{url}: HTTP {error.code}{hint.get(error.code, '')}") from error
        except (urllib.error.URLError, OSError) as error:
            cause = getattr(error, "reason", error)
            if isinstance(cause, TimeoutError):
                raise PowerError(f"{url}: no answer within {self._timeout:g} s") from error
            raise PowerError(f"{url}: {cause}") from error
        except ValueError as error:
            raise PowerError(f"{url}: the answer is not JSON: {error}") from error
        if not isinstance(content, dict):
            raise PowerError(f"{url}: the answer is not a JSON object")
        return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Treats every redirect as the error that it is here."""
        return None


def credentials(settings: RedfishSettings) -> tuple[str, str] | None:
    """Reads user and password from the file (two lines) or the environment; never from the command line."""
    if settings.credentials is None:
        user, password = (os.environ.get(f"KVASIR_REDFISH_{name}") for name in ("USER", "PASSWORD"))
        return (user, password) if user and password else None
    try:
        mode = settings.credentials.stat().st_mode
        lines = settings.credentials.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PowerError(f"{settings.credentials}: cannot read the credentials: {error.strerror}") from error
    if mode & 0o077:
        raise PowerError(f"{settings.credentials}: others can read the credentials; set mode 0600")
    if len(lines) < 2 or not lines[0] or not lines[1]:
        raise PowerError(f"{settings.credentials}: expected two lines, user and password")
    return lines[0], lines[1]


def find_chassis(bmc: Bmc, wanted: str | None) -> str:
    """Returns the path of the chassis to read; PowerError lists them if there are several and none was named."""
    collection = bmc.get("/redfish/v1/Chassis") or {}
    members = [str(item.get("@odata.id", "")) for item in collection.get("Members", [])]
    if wanted is not None:
        members = [path for path in members if path.rstrip("/").rpartition("/")[2] == wanted]
    if len(members) == 1:
        return members[0].rstrip("/")
    names = ", ".join(path.rpartition("/")[2] for path in members)
    if not members:
        raise PowerError(f"no chassis {wanted or ''} under /redfish/v1/Chassis".replace("  ", " "))
    raise PowerError(f"several chassis ({names}): set redfish.chassis to one of them")


def number(content: Any, *keys: str | int) -> float | None:
    """Returns the number at a path of keys and indices; None when any step is missing."""
    for key in keys:
        try:
            content = content[key]
        except (KeyError, IndexError, TypeError):
            return None
    return float(content) if isinstance(content, int | float) and not isinstance(content, bool) else None
