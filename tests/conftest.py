"""Tests of one folder share what is costly to make, so they run one after another; folders run side by side.

`make test` has two workers: much of what the tests do is waiting, for daemons and schedulers, or compiling.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRST = ("workflow", "hadoop", "programs")
"""Folders whose tests take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest folders, and keep each folder on one worker."""

    def folder(item: pytest.Item) -> str:
        return item.path.relative_to(HERE).parts[0]

    for item in items:
        item.add_marker(pytest.mark.xdist_group(folder(item)))
    items.sort(key=lambda item: FIRST.index(folder(item)) if folder(item) in FIRST else len(FIRST))
