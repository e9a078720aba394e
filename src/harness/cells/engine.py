"""Runs the MapReduce-over-MPI engine on the cell's HDFS, in DataMPI's place: inputs and outputs are Hadoop's."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.cells.conditions import engine_facts
from harness.cells.frameworks import Framework
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import Benchmark, Cell, grep, pagerank, sort, terasort, wordcount
from harness.hadoop.history import JobHistory, Span
from harness.hadoop.jobs import JobError, JobResult, on_master
from harness.hosts import Host, Hosts
from harness.results.records import Metric

FACTS = Path("build/engine-hdfs/engine-hdfs.json")
PROGRAM = FACTS.parent / "bin" / "hdfs-jobs"

Words = Callable[[Any, Cell], list[str]]
JOBS: Mapping[str, tuple[str, Words]] = {
    "wordcount": (wordcount.OUTPUT, lambda b, cell: [b.path(cell), wordcount.OUTPUT]),
    "grep": (grep.OUTPUT, lambda b, cell: [b.path(cell), grep.OUTPUT, b.settings.pattern]),
    "sort": (sort.OUTPUT, lambda b, cell: [b.path(cell), sort.OUTPUT]),
    "terasort": (
        terasort.OUTPUT,
        lambda b, cell: [b.path, terasort.OUTPUT, f"--replication={b.settings.output_replication}"],
    ),
    "pagerank": (
        pagerank.OUTPUT,
        lambda b, cell: [b.path, pagerank.OUTPUT, f"--iterations={b.settings.iterations}"],
    ),
}
"""Output and words of the command line after the job's name, by benchmark."""


class Engine(Framework):
    """Starts ranks on all workers of the cell: an O rank for each map slot, an A rank for each reduce slot."""

    built: ClassVar[tuple[str, ...]] = (str(FACTS),)
    program: Path = PROGRAM

    @classmethod
    def refusal(cls, benchmark: str) -> str:
        """Return the reason why it cannot run a benchmark: all but five are Hadoop's own or not part of DataMPI's."""
        return "" if benchmark in JOBS else f"the engine runs only {', '.join(JOBS)}"

    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Run the engine's job of the benchmark's name."""
        output, words = JOBS[benchmark.name]
        cell.hdfs.remove(output)
        report = cell.cluster.log(name).with_suffix(".engine.json")
        report.unlink(missing_ok=True)
        return self.launch(
            cell, name, [benchmark.name, *words(benchmark, cell)], report, benchmark.settings.timeout_s
        )

    def launch(self, cell: Cell, name: str, words: list[str], report: Path, timeout_s: float) -> JobResult:
        """Run one job; raises JobError when it fails, with its own message, or takes longer than `timeout_s`."""
        cluster, parameters = cell.cluster, cell.cluster.parameters
        workers = [cluster.hosts[node.index] for node in cluster.layout.workers]
        o_ranks = len(workers) * parameters.mappers_per_node
        a_ranks = len(workers) * parameters.reducers_per_node
        network = self.entry.interface
        link = cell.once(f"device {network}", lambda: device(workers[0], workers[0].address(network)))
        program = [str(self.program.resolve()), f"--namenode={cluster.layout.master.at('namenode')}"]
        program += [f"--o-ranks={o_ranks}", f"--a-ranks={a_ranks}", f"--report={report}"]
        shell = cluster.hosts.remote_shell if isinstance(cluster.hosts, Hosts) else ()
        launched = time.time()
        command = mpirun(
            [host.name for host in workers],
            max(o_ranks, a_ranks),
            link,
            shell,
            [*program, f"--launched={launched:.6f}", *words],
        )
        ended = on_master(cluster, name, command, ENVIRONMENT, timeout_s)
        ended.require(timeout_s, complaint)
        facts = read_report(report)
        return JobResult(ended.seconds, ended.output, [history_of(facts, name)], sorted(cluster.dead()))

    def conditions(self, cell: Cell, result: JobResult) -> list[Metric]:
        """Return tasks, bytes moved and the ranks of each kind: the engine has no job.xml."""
        return engine_facts(cell, result)


def complaint(said: str) -> str:
    """Return the line of the engine's output that says why it failed."""
    lines = [line for line in said.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("error: ")), "\n".join(lines[-6:]))


def read_report(path: Path) -> dict[str, Any]:
    """Return the report of a job; raise JobError when there is none."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise JobError(f"{path}: the engine left no report: {error}") from None
    if facts.get("format") != "kvasir-hdfs-report-1":
        raise KvasirError(f"{path}: expected format kvasir-hdfs-report-1, found {facts.get('format')!r}")
    found: dict[str, Any] = facts
    return found


def history_of(report: Mapping[str, Any], name: str) -> JobHistory:
    """Return a job's course in the form that Hadoop's have: O ranks as map tasks, A ranks as reduce tasks."""
    began = report["time"]["launched_s"]
    spans = []
    for rank in report["per_rank"]:
        for span in rank.get("spans") or []:
            task = f"m_{rank['o']:06d}_0" if span["kind"] == "map" else f"r_{rank['a']:06d}_0"
            start, end = span["start_s"] - began, span["end_s"] - began
            spans.append(Span(attempt=task, host=rank["host"], phase=span["phase"], start_s=start, end_s=end))
    ready = report["time"]["ready_s"] - began
    counts = {fact.upper(): value for fact, value in (report.get("facts") or {}).items()}
    return JobHistory(
        id=f"engine-{name}",
        name=report["job"],
        status="SUCCEEDED",
        reason="",
        submitted_ms=round(began * 1000),
        master_s=ready,
        launched_s=ready,
        finished_s=report["time"]["end_s"] - began,
        maps=report["o_ranks"],
        reduces=report["a_ranks"],
        counters={"Count": counts, "Bytes": report["bytes"], "Blocks": report["blocks"]},
        spans=spans,
        failures=[],
    )


ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def device(host: Host, address: str) -> str:
    """Return the network interface of a host that has an address. Raises KvasirError when none has."""
    listed = json.loads(host.run(["ip", "-json", "-4", "address"], timeout_s=20).stdout)
    for link in listed:
        if any(info.get("local") == address for info in link.get("addr_info", [])):
            return str(link["ifname"])
    raise KvasirError(f"host {host.name}: no network interface has the address {address}")


def mpirun(
    hosts: Sequence[str], ranks: int, interface: str, remote_shell: Sequence[str], program: Sequence[str]
) -> list[str]:
    """Return the command that starts `ranks` processes, dealt out to `hosts` in turn.

    TCP over `interface` is the only way for messages, also between processes of one host: emulated hosts share a
    machine, whose memory would carry messages past their network. `remote_shell` stands in for ssh, if not empty.
    """
    settings = {
        "pml": "ob1",
        "btl": "tcp,self",
        "btl_tcp_if_include": interface,
        "oob_tcp_if_include": interface,
        "coll": "^sm",
        "mpi_yield_when_idle": "1",
    }
    if remote_shell:
        settings |= {"plm_rsh_agent": shlex.join(remote_shell), "plm_rsh_no_tree_spawn": "1"}
        # Within a job of SLURM as well: the hosts are named, and ranks are to be where they are.
        settings |= {"plm": "rsh", "ras": "^slurm"}
    slots = -(-ranks // len(hosts))
    words = ["mpirun", "-n", str(ranks), "--host", ",".join(f"{host}:{slots}" for host in hosts)]
    words += ["--map-by", "node", "--bind-to", "none", "--quiet"]
    return [*words, *(word for key, value in settings.items() for word in ("--mca", key, value)), *program]
