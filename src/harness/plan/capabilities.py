"""Probes whether caps, simulated caches, hosts and disks can be had, before all planning and only if a plan asks.

The modules that probe are imported with the first probe: most jobs are simulations, which probe nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import psutil

from harness.config import Site
from harness.config.archive import Refused


@dataclass(frozen=True)
class Refusals:
    """Why clusters cannot be had: all hosts, or those with a disk. Empty: they can, or nobody can tell before."""

    hosts: str = ""
    disks: Mapping[str, str] = field(default_factory=dict)
    memory: int | None = None
    """Bytes of the machine that all hosts share; None: they are machines, or not this one's."""


class Capabilities:
    """Probes what one site can do, when first asked. Looks at this machine only where runs happen here."""

    def __init__(self, site: Site, known: Refused | None = None) -> None:
        """`known`: what the site refused when the runs of an archive were planned; nothing is probed then."""
        self.site = site
        self._known = known

    @cached_property
    def caps(self) -> str:
        """Why no power cap can be set at this site, or '' if it can."""
        if self._known is not None:
            return self._known.caps
        if self.site.power.capping == "yes":
            return ""
        if self.site.power.capping == "no":
            return "the site's configuration says that caps cannot be set"
        if not self.site.here:
            return "the site's configuration says capping: auto, but its nodes cannot be probed from here"
        from harness.measure.probe import resolve

        found = resolve(self.site.power.meter)
        return "" if found.can_cap else found.cap_reason.removeprefix("no power source: ")

    @cached_property
    def cachegrind(self) -> str:
        """Why no caches can be simulated, or '' if they can: by Valgrind, with programs compiled for it."""
        if self._known is not None:
            return self._known.cachegrind
        absent = [tool for tool in ("valgrind", "cmake", "ninja", "mpicxx") if shutil.which(tool) is None]
        return f"caches are simulated by Valgrind: not installed: {', '.join(absent)}" if absent else ""

    @cached_property
    def clusters(self) -> Refusals:
        """Why hosts or disks cannot be had, where they are this machine's own."""
        if self._known is not None:
            return Refusals(self._known.hosts, self._known.disks, self._known.memory)
        hosts = self.site.hosts
        if hosts is None or not self.site.here:
            return Refusals()
        from harness.hosts import disk_refusal, refusal

        disks = {disk: disk_refusal(hosts, disk) for disk in hosts.disks}
        return Refusals(refusal(hosts), disks, psutil.virtual_memory().total)

    @property
    def refused(self) -> Refused:
        """What the site refuses, all of it probed."""
        clusters = self.clusters
        return Refused(
            caps=self.caps,
            cachegrind=self.cachegrind,
            hosts=clusters.hosts,
            disks=dict(clusters.disks),
            memory=clusters.memory,
        )
