"""Emulated SLURM clusters for the tests; skipped where they cannot be had."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.config.slurm import SlurmCluster, Watts
from harness.hosts import HostsSettings
from harness.slurm.emulated import EmulatedSlurm, emulated_slurm, refusal
from tests.hosts.conftest import RATES


def settings_in(scratch: Path) -> HostsSettings:
    return HostsSettings.parse({"interfaces": RATES, "scratch": str(scratch)})


@pytest.fixture(scope="module")
def slurm() -> Iterator[EmulatedSlurm]:
    """Three nodes, with accounting and synthetic energy, shared by the tests of a module."""
    with tempfile.TemporaryDirectory() as scratch:
        cluster = SlurmCluster(nodes=3, watts=Watts(), hosts=settings_in(Path(scratch)))
        if reason := refusal(cluster):
            pytest.skip(reason)
        with emulated_slurm(cluster) as running:
            yield running
