"""A Hadoop and a cluster that the tests of this folder share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hadoop.assembly import assemble
from harness.hadoop.distribution import Distribution

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def hadoop() -> Distribution:
    """The default version, put together if it is not there yet."""
    return assemble(PROJECT / "src" / "hadoop", "3.4.2", PROJECT / "build" / "hadoop" / "3.4.2", None)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that hosts of all kinds see: emulated ones have a /tmp of their own."""
    folder = PROJECT / "build" / "tests-hadoop" / tmp_path_factory.getbasetemp().name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder
