"""Tests of one folder share what is costly to make, so they run one after another; folders run side by side.

With two workers (`make test`) the tests that start clusters and whole workflows run one after another in one of them,
as they would hold up each other; the other worker compiles and computes meanwhile, on what processor time they leave.
"""

import os
from pathlib import Path, PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
APART = ("workflow", "hadoop", "hosts", "cluster")
"""Folders whose tests start clusters or whole workflows."""
LONG = "programs"
"""The folder whose tests take longest of the others."""


class ByFolder(LoadScopeScheduling):
    """Gives a worker all tests of one folder of this one, or of all that are to run one after another."""

    def _split_scope(self, nodeid: str) -> str:
        folder = PurePosixPath(nodeid).parts[1]
        return APART[0] if folder in APART else folder


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFolder:
    return ByFolder(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    order = (*APART, LONG)

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0]
        return order.index(folder) if folder in order else len(order)

    items.sort(key=rank)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A worker that has no cluster to run gives way to the one that has."""
    beside = "PYTEST_XDIST_WORKER" in os.environ and item.path.relative_to(HERE).parts[0] not in APART
    if beside and os.nice(0) == 0:
        os.nice(15)
