"""Hosts for the tests: two interfaces with rates of ratio ten."""

from __future__ import annotations

import pytest

from harness.hosts import HostsSettings, refusal

RATES = {"gbe": {"rate_mbit_s": 30}, "ib": {"rate_mbit_s": 300}}


@pytest.fixture
def emulated() -> HostsSettings:
    settings = HostsSettings.parse({"kind": "emulated", "interfaces": RATES})
    if reason := refusal(settings):
        pytest.skip(reason)
    return settings


@pytest.fixture
def local() -> HostsSettings:
    return HostsSettings.parse({"kind": "local"})
