"""No power source: energy stays empty, the CPU-use trace is still taken."""

from __future__ import annotations

from typing import ClassVar

from harness.measure.model import Probe, Reader, Source


class Nothing(Source):
    """The source `none`: always there, gives nothing, says that it was asked for."""

    key: ClassVar[str] = "none"

    def probe(self) -> Probe:
        """Usable, without domains."""
        reason = "no power source: 'none' was asked for"
        return Probe(True, reason=reason, cap_reason=reason)

    def open(self) -> Reader:
        """A reader without domains."""
        return Reader()
