"""What the test files of this folder share: one checkout, and an emulated cluster that has it.

The files are numbered and run in that order: before anything has run, one whole run, faults, a cluster, images.
"""

import shutil
import time
from collections.abc import Iterator

import pytest
import yaml

from harness.config.slurm import SlurmCluster, Watts
from harness.hosts import HostsSettings
from harness.slurm.emulated import emulated_slurm, refusal

from .checkout import PROJECT, Checkout, copy_project
from .cluster import Cluster

RATES = {"gbe": {"rate_mbit_s": 250}, "ib": {"rate_mbit_s": 2500}}
LEFT_OUT = ["dfsio-write", "dfsio-read", "sort", "grep", "pagerank", "bayes"]


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The project's files, as git knows them, in a folder with spaces; scale smoke by default."""
    folder = tmp_path_factory.mktemp("a stranger's folder") / "kvasir copy"
    return copy_project(folder)


@pytest.fixture(scope="session")
def smoke(checkout: Checkout) -> Checkout:
    """The same after one whole run at scale smoke."""
    # Hadoop is large and hardly changes: the project's own is used, made there if it is not there yet.
    (PROJECT / "build/hadoop").mkdir(parents=True, exist_ok=True)
    (checkout.folder / "build").mkdir()
    (checkout.folder / "build/hadoop").symlink_to(PROJECT / "build/hadoop")
    began = time.monotonic()
    output = checkout.snakemake("--logger", "kvasir")
    print(f"smoke run took {time.monotonic() - began:.0f} s")
    (checkout.folder.parent / "smoke.log").write_text(output)
    return checkout


@pytest.fixture(scope="module")
def cluster(smoke: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A SLURM of four nodes that have the checkout, and a scale `part`."""
    scratch = tmp_path_factory.mktemp("hosts")
    settings = SlurmCluster(
        nodes=4, watts=Watts(), hosts=HostsSettings.parse({"interfaces": RATES, "scratch": str(scratch)})
    )
    if reason := refusal(settings):
        pytest.skip(reason)
    if " " in str(PROJECT):
        pytest.skip("Snakemake's plugin for SLURM cannot start a Python in a folder with a blank")
    sites = smoke.folder / "config/sites"
    shutil.copyfile(sites / "emulated-slurm.yaml", sites / "slurm.yaml")
    # Scale smoke, but only some benchmarks on the cluster within the cluster.
    scales = smoke.folder / "config/scales"
    part = yaml.safe_load((scales / "smoke.yaml").read_text())
    for study in ("mrev", "hpc"):
        part[study]["without"] = [{"benchmark": name} for name in LEFT_OUT]
    part["hpc"]["leave_out"] = ["dfsio", "pagerank"]
    (scales / "part.yaml").write_text(yaml.safe_dump(part))
    with emulated_slurm(settings, shared=[smoke.folder.parent, PROJECT]) as slurm:
        yield Cluster(slurm, smoke)
