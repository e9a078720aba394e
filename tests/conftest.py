"""Sets the marks `unit` and `integration` by folder, and gives tests that share what is costly to one worker.

`slow` is set at the tests themselves: whole runs in images, Spack, campaigns of faults. `make check` runs `unit`,
`make test` all but `slow`, `make test-all` everything.

No test depends on another's turn. The order of folders only saves time: what one worker takes longest for begins, so
that both end together, and tests that measure time come last, when nothing compiles any more.
"""

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
# How long an example takes says how busy the machine is.
settings.register_profile("kvasir", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kvasir")
UNIT = "unit"
SHARING = ("workflow", "programs", "netsim", "hadoop")
"""Folders whose files share costly fixtures or build trees: a worker gets all of one. Of the others it gets a file."""
ALONE = ("test_dry_runs.py", "test_image.py", "test_logger.py", "test_make.py")
"""Files of the folder workflow that share nothing with the whole run."""
FIRST, LAST = ("workflow", "hadoop", "programs", "netsim"), ("hosts", "cluster")


class BySharing(LoadScopeScheduling):
    """Gives a worker all tests that share something, and of the others one file at a time."""

    def _split_scope(self, nodeid: str) -> str:
        path = PurePosixPath(nodeid.partition("::")[0])
        folder = path.parts[1]
        return folder if folder in SHARING and path.name not in ALONE else str(path)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> BySharing:
    return BySharing(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests by their folder, and order the folders."""

    def folder(item: pytest.Item) -> str:
        return item.path.relative_to(HERE).parts[0]

    def rank(item: pytest.Item) -> int:
        name = folder(item)
        if item.path.name in ALONE:
            return 0
        if name in FIRST:
            return FIRST.index(name) - len(FIRST)
        return LAST.index(name) + 1 if name in LAST else 0

    for item in items:
        item.add_marker(pytest.mark.unit if folder(item) == UNIT else pytest.mark.integration)
    items.sort(key=rank)
