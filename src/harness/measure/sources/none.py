"""No power source: energy stays empty, the CPU-use trace is still taken."""

from __future__ import annotations

from typing import ClassVar

from harness.config.power import PowerSettings
from harness.measure.model import Probe, Reader, Scope


class Nothing:
    """The source `none`: always there, gives nothing, says that it was asked for."""

    key: ClassVar[str] = "none"
    scope: ClassVar[Scope] = "host"

    def __init__(self, settings: PowerSettings, argument: str) -> None:
        self._settings = settings

    def refusal(self, hosts: int) -> str:
        """Each host has its own: none."""
        return ""

    def probe(self) -> Probe:
        """Usable, without domains."""
        reason = "no power source: 'none' was asked for"
        return Probe(True, reason=reason, cap_reason=reason)

    def open(self) -> Reader:
        """A reader without domains."""
        return Reader()
