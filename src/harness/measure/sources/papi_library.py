"""The handful of libpapi functions that reading energy needs, through ctypes."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Sequence

from harness.core.errors import PowerError

_OK = 0
_NULL = -1
# PAPI_library_init accepts only the version it was built as (major and minor; PAPI_VER_CURRENT in papi.h).
_VERSIONS = [(major, minor) for major in (8, 7, 6, 5) for minor in range(10)]


class Papi:
    """An initialised libpapi."""

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
        """Whether the component was compiled in (it may still be disabled)."""
        return int(self._lib.PAPI_get_component_index(name.encode())) >= 0

    def events(self, names: Sequence[str]) -> EventSet:
        """Add `names` to a new event set and start it; PowerError names the event that PAPI refuses."""
        return EventSet(self._lib, names)


class EventSet:
    """A running event set."""

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
        """The values as PAPI gives them; ValueError when it cannot."""
        code = self._lib.PAPI_read(self._set, self._values)
        if code != _OK:
            raise ValueError(f"PAPI_read: {self._lib.PAPI_strerror(code).decode()}")
        return list(self._values)

    def _check(self, what: str, code: int) -> None:
        if code != _OK:
            raise PowerError(f"PAPI: {what}: {self._lib.PAPI_strerror(code).decode()}")

    def close(self) -> None:
        """Stop and free the set."""
        if self._set.value == _NULL:
            return
        if self._started:
            self._lib.PAPI_stop(self._set, self._values)
        self._lib.PAPI_cleanup_eventset(self._set)
        self._lib.PAPI_destroy_eventset(ctypes.byref(self._set))
        self._set.value = _NULL
