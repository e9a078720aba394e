"""Hadoop, emulated hosts and clusters on them, as the tests of this folder need them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.config.hadoop import Parameters
from harness.hadoop.assembly import assemble
from harness.hadoop.benchmarks import Cell
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import Distribution
from harness.hadoop.plugins import BUILT
from harness.hosts import Hosts, HostsSettings, hosts, refusal
from tests.hadoop.small import HOSTS, PARAMETERS

PROJECT = Path(__file__).parents[2]
SETTINGS = HostsSettings.parse({"kind": "emulated", "default": "ib", "interfaces": {"gbe": {}, "ib": {}}})


def skip_without(settings: HostsSettings) -> None:
    """Skip the test where there can be no such hosts."""
    if reason := refusal(settings):
        pytest.skip(f"no emulated hosts: {reason}")


@pytest.fixture(scope="session")
def hadoop() -> Distribution:
    """The default version, put together if it is not there yet."""
    made = assemble(PROJECT / "src" / "hadoop", "3.4.2", PROJECT / "build" / "hadoop" / "3.4.2", None)
    return Distribution(made.root, PROJECT / BUILT / "3.4.2")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that hosts of all kinds see: emulated ones have a /tmp of their own."""
    folder = PROJECT / "build" / "tests-hadoop" / tmp_path_factory.getbasetemp().name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder


@pytest.fixture
def emulation() -> None:
    """Hosts of small cells can be emulated; else the test is skipped."""
    skip_without(HostsSettings.parse(HOSTS))


@pytest.fixture
def builds(emulation: None, hadoop: Distribution, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is that of the project's builds, as for the driver of a cell."""
    monkeypatch.chdir(PROJECT)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Hosts]:
    """Three hosts of a module's own: tests count the bytes of their interfaces since they started."""
    skip_without(SETTINGS)
    with hosts(SETTINGS, 3) as started:
        yield started


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    """Of the cluster of `cell`; a module may have its own."""
    return PARAMETERS


@pytest.fixture(scope="module")
def cell(
    nodes: Hosts, hadoop: Distribution, parameters: Parameters, shared: Path, request: pytest.FixtureRequest
) -> Iterator[Cell]:
    """A cluster of a master and two workers. Each module has its own: parameters differ, and daemons are killed."""
    with cluster(nodes, hadoop, parameters, shared / request.path.stem, "ib", "ssd") as started:
        print(f"cluster of 1 + 2: ready after {started.start_seconds:.1f} s")
        yield Cell(started)
