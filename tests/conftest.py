"""Tests of one folder share what is costly to make, so they run one after another; folders run side by side.

With two workers (`make test`) whole workflows and Hadoop's clusters run one after another in one of them,
as they would hold up each other; the other worker compiles and computes meanwhile, one thing at a time.
"""

from pathlib import Path, PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
HEAVY = ("workflow", "hadoop")
"""Folders whose tests run whole workflows and clusters of Javas."""
FIRST, LAST = (*HEAVY, "programs"), ("hosts", "cluster")
"""Folders to begin with, as they take longest, and to end with, when nothing compiles any more."""


class ByFolder(LoadScopeScheduling):
    """Gives a worker all tests of one folder of this one, or of all that are to run one after another."""

    def _split_scope(self, nodeid: str) -> str:
        folder = PurePosixPath(nodeid).parts[1]
        return HEAVY[0] if folder in HEAVY else folder


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFolder:
    return ByFolder(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the folders."""

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0]
        if folder in FIRST:
            return FIRST.index(folder) - len(FIRST)
        return LAST.index(folder) + 1 if folder in LAST else 0

    items.sort(key=rank)
