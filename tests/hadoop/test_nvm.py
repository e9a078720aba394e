"""The plug-in nvm on a real cluster: right outputs on every workload, a lost host, memory that is full."""

from __future__ import annotations

import getpass
import re
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config.load import read_profile
from harness.hadoop.benchmarks import CLASSES, Cell, make
from harness.hadoop.distribution import Distribution
from harness.hadoop.history import JobHistory
from harness.hadoop.jobs import JobError
from harness.hadoop.plugins import job_properties
from harness.hosts import Hosts
from tests.hadoop.small import SMOKE, with_plugins

PROJECT = Path(__file__).parents[2]
STAGES = ("READ_NS", "MAP_NS", "COLLECT_NS", "SPILL_NS", "MERGE_NS")
STOCK = {"mapreduce.job.map.output.collector.class": "kvasir.nvm.StockCollector"}
OUTPUTS = f"kvasir-nvm-{getpass.getuser()}.outputs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cell(nodes: Hosts, hadoop: Distribution, shared: Path) -> Iterator[Cell]:
    """A cluster with the plug-in, whose jobs do not use it unless told."""
    with with_plugins(["nvm"], nodes, hadoop, shared) as started:
        yield started


def told(cell: Cell, **more: str) -> Cell:
    """The same cell, with the job properties of a framework that names the plug-in; buffers are small."""
    properties = job_properties({"mapreduce.task.io.sort.mb": "1", **more}, cell.cluster.plugins)
    return replace(cell, job_properties=properties)


def jobs(name: str, cell: Cell, run: str, own: dict[str, str]) -> list[JobHistory]:
    """Run a benchmark with job properties, check its output, and return its jobs."""
    benchmark = make(name, SMOKE[name])
    benchmark.prepare(cell)
    result = benchmark.execute(told(cell, **own), f"{name}-{run}")
    benchmark.validate(cell, result)
    return result.jobs


def compare(stock: JobHistory, found: JobHistory) -> None:
    """Compare a job with the same one on Hadoop's own collector."""
    before, after = stock.counters["TaskCounter"], found.counters["TaskCounter"]
    for same in ("MAP_OUTPUT_RECORDS", "REDUCE_INPUT_GROUPS", "REDUCE_OUTPUT_RECORDS"):
        assert after.get(same) == before.get(same), same
    if not found.reduces:
        return  # maps without reduce tasks write to HDFS themselves
    for job in (stock, found):
        stages = job.counters["StageCount"]
        total = stages["TOTAL_NS"]
        assert sum(stages[stage] for stage in STAGES) == pytest.approx(total, rel=0.05)
        # The rest of an attempt's time is that of starting and ending its Java.
        attempts = sum(span.end_s - span.start_s for span in job.spans if span.phase == "map")
        assert (total + stages["START_NS"]) / 1e9 < attempts
    assert found.counters["NvmCount"]["WRITE_GOT_NS"] > 0.98 * found.counters["NvmCount"]["WRITE_ASKED_NS"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [name for name in CLASSES if not name.startswith(("dfsio", "tpcx"))])
def test_records_are_those_of_hadoops_own_collector(cell: Cell, name: str) -> None:
    paper = read_profile(PROJECT / "config/nvm/paper.yaml")
    optane = read_profile(PROJECT / "config/nvm/optane.yaml")
    packed = {"mapreduce.map.output.compress": "true", "kvasir.nvm.output": "memory"}
    stock = jobs(name, cell, "stock", STOCK)
    for run, own in (("paper", paper), ("optane", {**optane, **packed})):
        found = jobs(name, cell, run, own)
        assert len(stock) == len(found) > 0
        for before, after in zip(stock, found, strict=True):
            compare(before, after)
    spills = sum(job.counters["NvmCount"]["SPILLS"] for job in found if job.reduces)
    assert spills > 0 or name in ("bayes", "grep", "kmeans"), "a buffer of 1 MiB is too small for its maps"


def outputs(cell: Cell) -> list[str]:
    """Merged outputs in the memory of the hosts."""
    find = ["find", "/dev/shm", "-path", "*.outputs/*", "-type", "f"]
    return [path for host in cell.cluster.hosts for path in host.run(find).stdout.split()]


@pytest.mark.timeout(300)
def test_outputs_in_memory_go_with_their_application(cell: Cell) -> None:
    jobs("sort", cell, "removed", {"kvasir.nvm.output": "memory"})
    # NodeManagers hear of the end of an application a heartbeat later.
    for _ in range(100):
        if not outputs(cell):
            return
        time.sleep(0.2)
    assert not outputs(cell)


@pytest.mark.timeout(300)
def test_memory_that_is_full(cell: Cell) -> None:
    """No disk takes what the memory has no room for: the job says why it failed."""
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    with pytest.raises(JobError, match="full: exit code"):
        benchmark.execute(told(cell, **{"kvasir.nvm.capacity-mb": "1"}), "full")
    said = cell.cluster.log("full").read_text()
    assert (
        "the region for spills in /dev/shm is full" in said
        and "kvasir.nvm.capacity-mb allows 1048576" in said
    )


@pytest.mark.timeout(900)
def test_host_that_is_lost_with_its_memory(cell: Cell) -> None:
    """The maps of a NodeManager that is killed run again, and the output is right. Keep this test the last one."""
    made = cell.cluster
    benchmark = make("terasort", {**SMOKE["terasort"], "output_replication": 2, "timeout_s": 600})
    benchmark.prepare(cell)
    over = threading.Event()
    killed: list[str] = []

    def kill() -> None:
        log = made.log("lost")
        while not over.wait(0.1):
            said = log.read_text(errors="replace") if log.is_file() else ""
            if re.search(r"map [1-9]\d*% reduce", said):
                masters = made.log("resourcemanager-0").read_text(errors="replace")
                master = int(re.findall(r"Setting up container Container: .*?NodeId: n(\d+):", masters)[-1])
                killed.append(f"nodemanager-{3 - master}")
                made.handles[killed[0]].signal(signal.SIGKILL)
                made.hosts[3 - master].run(["rm", "-rf", f"/dev/shm/{OUTPUTS}"])
                return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        result = benchmark.execute(told(cell, **{"kvasir.nvm.output": "memory"}), "lost")
    finally:
        over.set()
        thread.join()
    benchmark.validate(cell, result)
    assert killed and result.disturbed == killed
