"""Shuffles over the transport on a real cluster: right outputs, nothing spilled by reduces, faults."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.hadoop.benchmarks import CLASSES, Cell, make
from harness.hadoop.distribution import Distribution
from harness.hadoop.history import JobHistory
from harness.hadoop.jobs import JobResult, job_ids
from harness.hadoop.plugins import job_properties
from harness.hosts import Hosts
from tests.hadoop.small import SMOKE, with_plugins

MIB = 2**20
REDUCES = 2
pytestmark = pytest.mark.slow


PEAKS = {"levitated": "Peak bytes of heads", "rdma": "Peak bytes in memory", "homr": "Peak bytes in memory"}


@pytest.fixture(scope="module", params=[*PEAKS, "levitated+ucx", "rdma+ucx"])
def names(request: pytest.FixtureRequest) -> list[str]:
    """Names of a plug-in and of the network that its transport uses, if that is not TCP."""
    return str(request.param).split("+")


@pytest.fixture(scope="module")
def plugin(names: list[str]) -> str:
    """Name of the plug-in."""
    return names[0]


@pytest.fixture(scope="module")
def cell(names: list[str], nodes: Hosts, hadoop: Distribution, shared: Path) -> Iterator[Cell]:
    """A cluster with the plug-in, whose jobs do not use it unless told."""
    with with_plugins(names, nodes, hadoop, shared) as started:
        yield started


def shuffled(cell: Cell, **more: str) -> Cell:
    """The same cell, with the job properties of a framework that names the plug-in."""
    return replace(cell, job_properties=job_properties(more, cell.cluster.plugins))


def run_checked(name: str, cell: Cell, run: str, **settings: object) -> JobResult:
    benchmark = make(name, {**SMOKE[name], **settings})
    benchmark.prepare(cell)
    result = benchmark.execute(cell, run)
    benchmark.validate(cell, result)
    return result


def reduce_counters(job: JobHistory) -> dict[str, int]:
    """Counters of a job's reduce tasks."""
    return {name: value for group in job.reduce_counters.values() for name, value in group.items()}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "tpcx-hs"])  # its sort is terasort's
def test_output_is_right_and_nothing_is_spilled(cell: Cell, plugin: str, name: str) -> None:
    stock, found = (
        [reduce_counters(job) for job in run_checked(name, where, f"{name}-{run}").jobs if job.reduces]
        for where, run in ((cell, "stock"), (shuffled(cell), plugin))
    )
    assert len(stock) == len(found) > 0
    for before, after in zip(stock, found, strict=True):
        compare(before, after)
        assert after[PEAKS[plugin]] > 0


def compare(stock: dict[str, int], found: dict[str, int]) -> None:
    """Compare the counters of a job's reduces with those of the same job on the stock shuffle."""
    assert found["SPILLED_RECORDS"] == 0 < stock["SPILLED_RECORDS"]
    # What is left is each task's own job.xml, which has the plug-in's properties as well.
    saved = stock["FILE_BYTES_WRITTEN"] + REDUCES * 1024 - found["FILE_BYTES_WRITTEN"]
    assert saved > 0.95 * stock["REDUCE_SHUFFLE_BYTES"]
    assert found["FILE_BYTES_READ"] == 0
    assert found["Outputs"] == found["SHUFFLED_MAPS"] > 0
    assert found.get("Left to the stock shuffle", 0) == 0
    for same in ("REDUCE_INPUT_RECORDS", "REDUCE_INPUT_GROUPS", "REDUCE_OUTPUT_RECORDS"):
        assert found[same] == stock[same], same


def sent(cell: Cell) -> int:
    """Bytes that all hosts have sent over the cluster's interface."""
    return sum(host.counters().interfaces["ib"].sent for host in cell.cluster.hosts)


@pytest.mark.timeout(900)
def test_bytes_cross_the_links(cell: Cell) -> None:
    """Nothing goes by shared memory: one output and input replica each, so that little else is sent."""
    settings = {"output_replication": 1, "data_mb": 24}
    run_checked("terasort", shuffled(cell), "terasort-warm", **settings)
    before = sent(cell)
    job = run_checked("terasort", shuffled(cell), "terasort-links", **settings).jobs[0]
    found = reduce_counters(job)
    # Reduces have their host's own maps' outputs without the link.
    assert sent(cell) - before > 0.3 * found["REDUCE_SHUFFLE_BYTES"] > 6 * MIB


@pytest.mark.timeout(900)
def test_compressed_map_outputs(cell: Cell) -> None:
    codec = {"mapreduce.map.output.compress": "true"}
    found = reduce_counters(run_checked("sort", shuffled(cell, **codec), "sort-compressed").jobs[0])
    assert found["SPILLED_RECORDS"] == 0 and found["Outputs"] > 0


@pytest.mark.timeout(900)
def test_less_memory_than_data(cell: Cell, plugin: str) -> None:
    memory = {f"kvasir.{plugin}.memory-mb": "1"}
    found = reduce_counters(run_checked("terasort", shuffled(cell, **memory), "terasort-1mb").jobs[0])
    assert found["REDUCE_SHUFFLE_BYTES"] > 2 * MIB * REDUCES
    assert found[PEAKS[plugin]] <= MIB * REDUCES
    assert found.get("Left to the stock shuffle", 0) == 0
    if plugin == "homr":
        # No output fits into the memory as a whole.
        assert found["Bytes that came while records were reduced"] > found["REDUCE_SHUFFLE_BYTES"] / 2


@pytest.mark.timeout(900)
def test_outputs_are_merged_while_maps_run(cell: Cell, plugin: str) -> None:
    if plugin != "homr":
        pytest.skip(f"{plugin} merges when all maps have ended")
    two = shuffled(cell, **{"kvasir.homr.merge-outputs": "2"})
    found = reduce_counters(run_checked("terasort", two, "terasort-merged", data_mb=40).jobs[0])
    assert found["Merges while maps ran"] > 0 and found["Bytes merged while maps ran"] > MIB
    assert found["SPILLED_RECORDS"] == 0
    assert found.get("Left to the stock shuffle", 0) == 0


@pytest.mark.timeout(900)
def test_servers_have_read_ahead(cell: Cell, plugin: str) -> None:
    if plugin != "rdma":
        pytest.skip(f"{plugin} is served from the files")
    job = run_checked("terasort", shuffled(cell), "terasort-ahead").jobs[0].id
    logs = [cell.cluster.log(name) for name in cell.cluster.handles if name.startswith("nodemanager")]
    told = rf"until the end of {job}: (\d+) bytes from memory, (\d+) from files"
    # NodeManagers hear of it after the client, and only those that ran tasks of it.
    deadline = time.monotonic() + 60
    given: list[tuple[str, str]] = []
    while not given and time.monotonic() < deadline:
        time.sleep(0.2)
        given = [found for log in logs for found in re.findall(told, log.read_text(errors="replace"))]
    assert given and all(int(memory) > int(files) for memory, files in given)


def sorted_through(cell: Cell, run: str, fault: Callable[[str], bool], **more: str) -> JobResult:
    """Run TeraSort with a fault, check its output and return how it ended.

    `fault` gets all that the job's client has printed, again and again until it returns that it has struck.
    """
    benchmark = make("terasort", {**SMOKE["terasort"], "output_replication": 2, "timeout_s": 600})
    benchmark.prepare(cell)
    over, struck = threading.Event(), threading.Event()

    def watch() -> None:
        log = cell.cluster.log(run)
        while not over.wait(0.1):
            if fault(log.read_text(errors="replace") if log.is_file() else ""):
                struck.set()
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        result = benchmark.execute(shuffled(cell, **more), run)
    finally:
        over.set()
        thread.join()
    assert struck.is_set(), "the job was over before the fault"
    benchmark.validate(cell, result)
    return result


@pytest.mark.timeout(900)
def test_reducer_that_is_killed(cell: Cell, plugin: str) -> None:
    """The next attempt merges all outputs anew."""
    slow = {
        f"kvasir.{plugin}.memory-mb": "1",
        f"kvasir.{plugin}.chunk-kb": "1",
        "kvasir.transport.window-kb": "1",
    }

    def kill(said: str) -> bool:
        if "map 100%" not in said:
            return False
        pattern = "YarnChild .*_r_000000_0 "
        ended = [host.run(["pkill", "-KILL", "-f", pattern], check=False) for host in cell.cluster.hosts]
        return any(done.code == 0 for done in ended)

    (job,) = sorted_through(cell, "reducer-killed", kill, **slow).jobs
    assert [failure.attempt for failure in job.failures] == ["r_000000_0"]
    assert reduce_counters(job).get("Left to the stock shuffle", 0) == 0


@pytest.mark.timeout(900)
def test_corrupt_map_output(cell: Cell) -> None:
    """The reducer that meets it fails, the map runs again, and the output is right."""
    late = {"mapreduce.job.reduce.slowstart.completedmaps": "1.0"}
    damage = (
        "f=$(find {folder} -path '*/output/attempt_{job}_m_000000_0/file.out') && test -n \"$f\" && "
        'printf \'\\0\\0\\0\\0\' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") / 3)) conv=notrunc'
    )

    def corrupt(said: str) -> bool:
        if not re.search(r"map [1-9]\d*% reduce", said):
            return False
        job = job_ids(said)[0].removeprefix("job_")
        commands = [damage.format(folder=host.scratch("ssd"), job=job) for host in cell.cluster.hosts]
        ended = [
            host.run(["sh", "-c", command], check=False)
            for host, command in zip(cell.cluster.hosts, commands, strict=True)
        ]
        return any(done.code == 0 for done in ended)

    (job,) = sorted_through(cell, "corrupt", corrupt, **late).jobs
    assert any("is corrupt" in failure.reason for failure in job.failures), job.failures
    assert any(span.attempt.startswith("m_000000") and span.attempt != "m_000000_0" for span in job.spans)


@pytest.mark.timeout(900)
def test_server_that_is_killed(cell: Cell) -> None:
    """The maps of a NodeManager that is lost run again, and the output is right."""
    made = cell.cluster
    killed: list[str] = []

    def kill(said: str) -> bool:
        # Some maps are done, and reduces are at work or about to be.
        if not re.search(r"map [1-9]\d*% reduce", said):
            return False
        masters = made.log("resourcemanager-0").read_text(errors="replace")
        master = int(re.findall(r"Setting up container Container: .*?NodeId: n(\d+):", masters)[-1])
        killed.append(f"nodemanager-{3 - master}")
        made.handles[killed[0]].signal(signal.SIGKILL)
        return True

    result = sorted_through(cell, "server-killed", kill)
    assert killed and result.disturbed == killed
