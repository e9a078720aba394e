"""What the test files of this folder share: one whole run in a checkout, and an emulated cluster that has it."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from harness.config.slurm import SlurmCluster, Watts
from harness.hosts import HostsSettings
from harness.slurm.emulated import EmulatedSlurm, emulated_slurm, refusal

from .checkout import PROJECT, Checkout, copy_project
from .cluster import Cluster

RATES = {"gbe": {"rate_mbit_s": 250}, "ib": {"rate_mbit_s": 2500}}
LONGEST = ["grep", "pagerank", "bayes"]
"""Benchmarks that the whole run leaves out: tests/hadoop has each, and the whole run in images has all."""
LEFT_OUT = ["dfsio-write", "dfsio-read", "sort", "grep", "pagerank", "bayes"]


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The project's files, as git knows them, in a folder with spaces; scale smoke by default. Nothing runs in it."""
    return copy_project(tmp_path_factory.mktemp("an untouched folder") / "kvasir copy")


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Another one after a whole run at scale smoke. Its results stay as they are: tests change a `spare` one."""
    checkout = copy_project(tmp_path_factory.mktemp("a stranger's folder") / "kvasir copy")
    # Hadoop is large and hardly changes: the project's own is used, made there if it is not there yet.
    (PROJECT / "build/hadoop").mkdir(parents=True, exist_ok=True)
    (checkout.folder / "build").mkdir()
    (checkout.folder / "build/hadoop").symlink_to(PROJECT / "build/hadoop")
    left_out = ", ".join(f"{{benchmark: {name}}}" for name in LONGEST)
    for study, more in (("mrev", ""), ("hpc", "\n  leave_out: [pagerank]")):
        checkout.edit(
            "config/scales/smoke.yaml", f"\n{study}:\n", f"\n{study}:\n  without: [{left_out}]{more}\n"
        )
    began = time.monotonic()
    output = checkout.snakemake("--logger", "kvasir")
    print(f"smoke run took {time.monotonic() - began:.0f} s")
    (checkout.folder.parent / "smoke.log").write_text(output)
    return checkout


@pytest.fixture
def spare(smoke: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A copy of the checkout with all that its whole run has left, for one test to change as it likes.

    Build trees are left out: a test that compiles begins anew.
    """
    folder = tmp_path / "spare" / smoke.folder.name
    shutil.copytree(smoke.folder, folder, ignore=shutil.ignore_patterns("tree", "results-*"), symlinks=True)
    yield Checkout(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def slurm(smoke: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedSlurm]:
    """A SLURM of four nodes of four cores, as they claim, that see what lies beside the checkout."""
    scratch = tmp_path_factory.mktemp("hosts")
    settings = SlurmCluster(
        nodes=4,
        cpus=4,
        watts=Watts(),
        hosts=HostsSettings.parse({"interfaces": RATES, "scratch": str(scratch)}),
    )
    if reason := refusal(settings):
        pytest.skip(reason)
    if " " in str(PROJECT):
        pytest.skip("Snakemake's plugin for SLURM cannot start a Python in a folder with a blank")
    with emulated_slurm(settings, shared=[smoke.folder.parent, PROJECT]) as running:
        yield running


def on_cluster(slurm: EmulatedSlurm, checkout: Checkout) -> Cluster:
    """Give a checkout the site `slurm` and a scale `part`: scale smoke with only some benchmarks of the cells."""
    sites, scales = checkout.folder / "config/sites", checkout.folder / "config/scales"
    shutil.copyfile(sites / "emulated-slurm.yaml", sites / "slurm.yaml")
    part = yaml.safe_load((scales / "smoke.yaml").read_text())
    for study in ("mrev", "hpc"):
        part[study]["without"] = [{"benchmark": name} for name in LEFT_OUT]
    part["hpc"]["leave_out"] = ["dfsio", "pagerank"]
    (scales / "part.yaml").write_text(yaml.safe_dump(part))
    # What smoke leaves out for its time, the part does too.
    leave_out(checkout, "missing_at: {", "missing_at: {part: left to scale night, ")
    return Cluster(slurm, checkout)


def leave_out(checkout: Checkout, found: str, wanted: str) -> None:
    """Change what the frameworks of a checkout are left out at."""
    frameworks = checkout.folder / "config/frameworks.yaml"
    text = frameworks.read_text()
    assert found in text
    frameworks.write_text(text.replace(found, wanted))


@pytest.fixture(scope="module")
def cluster(slurm: EmulatedSlurm, smoke: Checkout) -> Iterator[Cluster]:
    """The checkout of the whole run on the login host of a cluster; without its site and scale afterwards."""
    yield on_cluster(slurm, smoke)
    for name in ("sites/slurm.yaml", "scales/part.yaml"):
        (smoke.folder / "config" / name).unlink()
    leave_out(smoke, "missing_at: {part: left to scale night, ", "missing_at: {")
