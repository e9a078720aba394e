"""The engine on a real HDFS: outputs that Hadoop's checks accept, on one network only, and what can go wrong."""

import dataclasses
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from harness.cells.engine import ENVIRONMENT, JOBS, PROGRAM, Engine, mpirun
from harness.config.frameworks import FrameworkEntry
from harness.config.hadoop import Parameters
from harness.hadoop.benchmarks import Cell, make, sort, terasort, wordcount
from harness.hadoop.cluster import settle
from harness.hadoop.jobs import JobError
from harness.hosts import Completed, Hosts
from tests.compiled import build
from tests.hadoop.small import PARAMETERS, SMOKE

ENTRY = FrameworkEntry.model_validate({"class": "engine", "label": "Engine-IPoIB", "interface": "ib"})


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The engine, from the build tree of its own tests."""
    Engine.program = build("engine", PROGRAM.name) / "bin" / PROGRAM.name
    return Engine("engine-ipoib", ENTRY)


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return PARAMETERS.model_copy(update={"mappers_per_node": 2})


def report_of(cell: Cell, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cell.cluster.log(name).with_suffix(".engine.json").read_text())
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", list(JOBS))
def test_benchmark(cell: Cell, engine: Engine, name: str) -> None:
    benchmark = make(name, SMOKE[name])
    benchmark.prepare(cell)
    result = engine.execute(benchmark, cell, f"engine-{name}")
    checks = benchmark.validate(cell, result)[1]
    print(f"{name}: {result.seconds:.2f} s, of which work {result.work_seconds:.2f} s; {checks}")
    assert checks
    assert not result.disturbed
    assert 0 < result.work_seconds < result.seconds
    (job,) = result.jobs
    assert {span.host for span in job.spans} == {"n1", "n2"}
    assert {span.phase for span in job.spans} == {"map", "shuffle", "merge", "reduce"}
    assert all(0 <= span.start_s <= span.end_s <= job.finished_s for span in job.spans)
    report = report_of(cell, f"engine-{name}")
    assert 0 < report["time"]["startup"] < result.seconds
    assert (report["o_ranks"], report["a_ranks"], report["mode"]) == (
        4,
        2,
        "iteration" if name == "pagerank" else "common",
    )
    # Two replicas on two workers: all that is read is read from the own host (but for headers and samples).
    assert report["bytes"]["read_locally"] >= 0.95 * report["bytes"]["read"] > 0
    assert report["blocks"]["first_replica_local"] == report["blocks"]["written"] > 0


@pytest.mark.timeout(300)
def test_parts_are_those_of_hadoop(cell: Cell, engine: Engine) -> None:
    """WordCount and TeraSort write what Hadoop writes, byte by byte: WordCount also part by part."""
    for module, name, by_part in ((wordcount, "wordcount", True), (terasort, "terasort", False)):
        benchmark = make(name, SMOKE[name])
        benchmark.prepare(cell)
        sums = []
        for framework in (engine, None):
            if framework:
                framework.execute(benchmark, cell, f"engine-{name}-parts")
            else:
                benchmark.execute(cell, f"hadoop-{name}-parts")
            parts = sorted(entry.name for entry in cell.hdfs.list(module.OUTPUT) if entry.name[0] == "p")
            texts = [read_bytes(cell, f"{module.OUTPUT}/{part}") for part in parts]
            assert len(texts) == 2
            assert all(texts)
            sums.append(texts if by_part else "".join(texts))
            cell.hdfs.remove(module.OUTPUT)
        assert sums[0] == sums[1], name


def read_bytes(cell: Cell, path: str) -> str:
    """A file's bytes as hexadecimal digits."""
    url = f"http://{cell.cluster.layout.master.at('namenode_http')}/webhdfs/v1{path}?op=OPEN"
    script = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().hex())"
    return cell.cluster.master.run(["python3", "-c", script, url], timeout_s=60).stdout.strip()


def run(cell: Cell, engine: Engine, ranks: int, *words: str, **changes: Any) -> Completed:
    """The program as a user starts it, on both workers."""
    master = cell.cluster.layout.master
    program = [str(engine.program), f"--namenode={changes.get('namenode', master.at('namenode'))}", *words]
    shell = cell.cluster.hosts.remote_shell if isinstance(cell.cluster.hosts, Hosts) else ()
    command = mpirun(["n1", "n2"], ranks, "ib", shell, program)
    return cell.cluster.master.run(command, env=ENVIRONMENT, timeout_s=60, check=False)


@pytest.mark.timeout(300)
def test_o_and_a_ranks_apart(cell: Cell, engine: Engine) -> None:
    """With roles split the same records come out, whatever the numbers of ranks."""
    benchmark = make("sort", SMOKE["sort"])
    benchmark.prepare(cell)
    path = benchmark.path(cell)
    for o_ranks, a_ranks in ((3, 2), (1, 4)):
        words = [f"--o-ranks={o_ranks}", f"--a-ranks={a_ranks}", "--placement=split", "--send-buffer=64KiB"]
        done = run(cell, engine, o_ranks + a_ranks, *words, "sort", path, sort.OUTPUT)
        assert done.code == 0, done.stderr
        found = cell.check("kvasir.check.Records", [sort.OUTPUT], 120)
        facts = benchmark.facts(cell)
        assert (found["records"], found["checksum"]) == (facts["records"], facts["checksum"])
        assert (found["disorder"], found["misplaced"]) == (0, 0)
        cell.hdfs.remove(sort.OUTPUT)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["wordcount", "grep", "sort", "terasort"])
def test_a_budget_of_memory_changes_nothing(cell: Cell, engine: Engine, name: str) -> None:
    """A job whose records do not fit the budget spills them and writes the same; without a folder it refuses."""
    benchmark = make(name, SMOKE[name])
    benchmark.prepare(cell)
    output, words_of = JOBS[name]
    job = [name, *words_of(benchmark, cell)]
    if name == "grep":
        job[-1] = "[a-z]+"  # more matches than the budget has room for
    found = []
    report = cell.cluster.log(f"budget-{name}").with_suffix(".engine.json")
    for budget in ([], ["--memory=64KiB", "--spill=/tmp"]):
        done = run(cell, engine, 2, f"--report={report}", *job, *budget)
        assert done.code == 0, done.stderr
        facts = json.loads(report.read_text())
        assert (facts["spill"]["record_bytes"] > 0) == bool(budget)
        if name == "sort":  # SequenceFiles have a random mark
            checked = cell.check("kvasir.check.Records", [output], 120)
            found.append([checked[key] for key in ("records", "checksum", "disorder", "misplaced")])
        else:
            found.append([read_bytes(cell, f"{output}/part-r-0000{part}") for part in range(2)])
        cell.hdfs.remove(output)
        report.unlink()
    assert found[0] == found[1]
    refused = run(cell, engine, 2, *job, "--memory=64KiB")
    assert refused.code != 0
    assert "memory: the records need" in refused.stderr
    assert "give --spill a folder" in refused.stderr


def test_traffic_takes_the_chosen_interface(cell: Cell, engine: Engine, nodes: Hosts) -> None:
    """What ranks of different hosts send each other is what the named interface counts, and the other one nothing."""
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    settle(cell.cluster)
    before = [nodes.counters(host).interfaces for host in nodes]
    engine.execute(benchmark, cell, "engine-traffic")
    after = [nodes.counters(host).interfaces for host in nodes]
    cell.hdfs.remove(terasort.OUTPUT)
    report = report_of(cell, "engine-traffic")
    # Ranks 0 and 2 are on n1, 1 and 3 on n2; A ranks are 0 and 1: half of the rows change hosts.
    half = report["bytes"]["sent"] / 2
    for i in (1, 2):
        gbe = after[i]["gbe"].sent - before[i]["gbe"].sent
        ib = after[i]["ib"].sent - before[i]["ib"].sent
        assert gbe < 10_000
        assert ib > 0.8 * half / 2


COMPLAINTS = [
    (
        {},
        ["wordcount", "/nothing", "/output/x"],
        r"error: rank 0: input path does not exist: hdfs:/nothing",
    ),
    (
        {},
        ["wordcount", "/input", "/history"],
        r"error: rank 0: output folder exists already: hdfs:/history; remove it or give another one",
    ),
    (
        {"namenode": "n0:9"},
        ["wordcount", "/input", "/output/x"],
        "error: rank 0: NameNode n0:9: cannot connect: Connection refused",
    ),
    (
        {"namenode": "n9:9"},
        ["wordcount", "/input", "/output/x"],
        "error: rank 0: NameNode n9:9: host n9 is not known",
    ),
    (
        {},
        ["--o-ranks=3", "--a-ranks=1", "wordcount", "/input", "/output/x"],
        "error: 3 O and 1 A ranks, shared, need 3 processes, there are 2; start as many",
    ),
    ({}, ["wordcount", "/input"], "error: OUTPUT is required (see --help)"),
]


@pytest.mark.parametrize(("changes", "words", "message"), COMPLAINTS)
def test_one_clear_message(
    cell: Cell, engine: Engine, changes: dict[str, str], words: list[str], message: str
) -> None:
    done = run(cell, engine, 2, *words, **changes)
    assert done.code != 0
    assert done.stderr.count("error: ") == 1, done.stderr
    assert message in done.stderr
    assert not cell.hdfs.exists("/output/x")


def test_wrong_port(cell: Cell, engine: Engine) -> None:
    namenode = cell.cluster.layout.master.at("namenode_http")
    done = run(cell, engine, 2, "wordcount", "/input", "/output/x", namenode=namenode)
    assert done.code != 0
    assert done.stderr.count("error: ") == 1, done.stderr
    assert f"NameNode {namenode}: answers no Hadoop RPC; is this the port of fs.defaultFS?" in done.stderr


def test_inputs_of_a_wrong_kind(cell: Cell, engine: Engine) -> None:
    """A failure in the midst of a job: the message of one rank, no output left."""
    tera = make("terasort", SMOKE["terasort"])
    tera.prepare(cell)
    done = run(cell, engine, 2, "wordcount", tera.path, "/output/x")
    assert done.code != 0
    assert done.stderr.count("error: ") == 1, done.stderr
    assert f"{tera.path}/part-m-0000" in done.stderr
    assert "no SequenceFile of Texts that is not compressed" in done.stderr
    assert not cell.hdfs.exists("/output/x")


def test_a_job_that_fails_says_why(cell: Cell, engine: Engine) -> None:
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    gone = dataclasses.replace(cell, made={})
    with pytest.raises(JobError, match=r"exit code 1 .*\nerror: rank 0: input path does not exist"):
        engine.launch(gone, "engine-failing", ["sort", "/nothing", "/output/x"], Path("/dev/null"), 60)


@pytest.mark.timeout(300)
def test_a_data_node_dies(cell: Cell, engine: Engine) -> None:
    """The last test of this cluster. With a replica elsewhere the job goes on; without one it ends with one message."""
    benchmark = make("terasort", SMOKE["terasort"])
    benchmark.prepare(cell)
    namenode = f"--namenode={cell.cluster.layout.master.at('namenode')}"
    lonely = run(cell, engine, 2, "--replication=1", "terasort", benchmark.path, "/input/lonely")
    assert lonely.code == 0, (namenode, lonely.stderr)
    cell.cluster.handles["datanode-2"].signal(signal.SIGKILL)
    cell.cluster.handles["datanode-2"].wait(10)
    result = engine.execute(benchmark, cell, "engine-disturbed")
    assert result.disturbed == ["datanode-2"]
    assert benchmark.validate(cell, result)[1]
    done = run(cell, engine, 2, "terasort", "/input/lonely", "/output/x")
    assert done.code != 0
    assert done.stderr.count("error: ") == 1, done.stderr
    assert (
        "no DataNode gives its block at byte 0; DataNode " in done.stderr
        or "is on no DataNode" in done.stderr
    )
