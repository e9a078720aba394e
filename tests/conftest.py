"""Tests of one folder share what is costly to make, so they run one after another; folders run side by side.

Much of what the tests do is waiting, for daemons and schedulers, so two at a time are done sooner.
"""

from pathlib import Path, PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
FIRST = ("workflow", "hadoop", "programs")
"""Folders whose tests take longest."""


class ByFolder(LoadScopeScheduling):
    """Gives a worker all tests of one folder of this one."""

    def _split_scope(self, nodeid: str) -> str:
        return PurePosixPath(nodeid).parts[1]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFolder:
    return ByFolder(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest folders."""

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0]
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=rank)
