"""What a job of the workflow is told about one cell: the cluster to start and the runs to make on it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.results.records import Identity


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CellRun(_Model):
    """One run: a benchmark by a framework, once. Several studies may need it."""

    identity: Identity
    framework: str
    benchmark: str
    settings: dict[str, Any]
    """Of the benchmark, all that differ from its defaults."""
    folder: str
    """Where its record goes."""


class CellSpec(_Model):
    """A cluster of one size, on one disk and interface, and its runs in their order."""

    cell: str
    folder: str
    """Results of the cell."""
    nodes: int
    """Hosts, the master among them."""
    disk: str
    interface: str
    hadoop: str
    """Folder below build/hadoop."""
    built: list[str]
    """Files that say what Hadoop and the other frameworks' programs are."""
    hosts: dict[str, Any]
    """HostsSettings of the site."""
    power: dict[str, Any]
    """Settings of the site's power source, as far as they differ from the defaults."""
    parameters: dict[str, Any]
    """Of Hadoop."""
    frameworks: dict[str, dict[str, Any]]
    """Entries of those that run here."""
    period_s: float
    """Between two samples of a host."""
    minutes: int
    """Time to ask a scheduler for."""
    runs: list[CellRun]
