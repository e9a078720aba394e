"""Tests of one folder share what is costly to make, so they run one after another; folders run side by side.

With two workers (`make test`) one runs whole workflows meanwhile, which take as long as all else; the other one first
compiles and computes, one thing at a time, and ends with hosts, the emulated cluster and Hadoop's clusters.
"""

from pathlib import Path, PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
FIRST, LAST = ("workflow", "programs"), ("hosts", "cluster", "hadoop")
"""Folders to begin with, as they take longest, and to end with, when nothing compiles any more."""


class ByFolder(LoadScopeScheduling):
    """Gives a worker all tests of one folder of this one."""

    def _split_scope(self, nodeid: str) -> str:
        return PurePosixPath(nodeid).parts[1]


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
