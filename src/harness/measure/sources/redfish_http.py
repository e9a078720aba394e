"""The few Redfish requests that power needs, over the standard library's urllib."""

from __future__ import annotations

import base64
import json
import os
import ssl
import urllib.error
import urllib.request
from typing import Any

from harness.config.power import RedfishSettings
from harness.core.errors import PowerError

JOULES_PER_KWH = 3.6e6


class Bmc:
    """One BMC: GETs JSON, with basic authentication when credentials are given, TLS always verified."""

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
        """The resource at `path`; None when there is none (404), PowerError for everything else."""
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
        """Treat every redirect as the error that it is here."""
        return None


def credentials(settings: RedfishSettings) -> tuple[str, str] | None:
    """User and password from the file (two lines) or from the environment; never from the command line."""
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
    """Path of the chassis to read; PowerError lists them when there are several and none was named."""
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
    """The number at a path of keys and indices; None when any step is missing."""
    for key in keys:
        try:
            content = content[key]
        except (KeyError, IndexError, TypeError):
            return None
    return float(content) if isinstance(content, int | float) and not isinstance(content, bool) else None
