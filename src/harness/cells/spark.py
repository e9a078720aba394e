"""Runs programs of ours for Spark on the cell's HDFS and YARN: inputs and outputs are Hadoop's.

A program is submitted on the master in client mode: its driver is the program that Hadoop's client is, so that what it
says and why it fails is in the run's log, and Spark's application master has the container of Hadoop's. A driver would
not fit into that: Spark wants LEAST_HEAP_MB of it.

A worker has one executor, which takes all its places and their memory, so that as many tasks run at once as Hadoop has
places of both kinds: as those of Tez, maps and reduces use the same ones.

All Java programs of Spark have its released jars before those of Hadoop on their class path, and both in a class
archive, as Hadoop's own have. The first run that finds none makes it, before the clock starts.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cells.conditions import FILES, HISTORY, configured, digest, metric, moved, tasks_of
from harness.cells.frameworks import Framework
from harness.cells.tez import AT_ONCE, places
from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.hadoop import spark_history
from harness.hadoop.assembly.assemble import merge_class_lists
from harness.hadoop.benchmarks import (
    Benchmark,
    Cell,
    bayes,
    grep,
    kmeans,
    pagerank,
    sort,
    terasort,
    wordcount,
)
from harness.hadoop.cluster import Cluster
from harness.hadoop.distribution import plain_flags
from harness.hadoop.jobs import JobError, JobResult, kill, on_master
from harness.hadoop.plugins import released_in
from harness.results.records import Metric

PLUGIN = "spark"
SUBMIT = "org.apache.spark.deploy.SparkSubmit"
ON_CLASS_PATH = "spark-internal"
"""What Spark calls a program whose jar it need not look for."""
LEAST_HEAP_MB = 480
"""Spark refuses less than 450 MiB, of which the serial collector does not count a survivor space."""
DRIVER_HEAP_MB = 512
ENVIRONMENT_CONF = "HADOOP_CONF_DIR"
CONTAINER_CONF = ("__spark_conf__", "__spark_conf__/__hadoop_conf__")
"""Where a container finds what the client was configured with."""
MOVED = ("shuffle.bytes", "hdfs.read", "hdfs.written")
"""Bytes that Spark counts; of those on local disks it counts the shuffle's alone."""
OF_HADOOP = ("conf.block", "conf.replication", "conf.reduces")
"""Conditions that Hadoop's files set for Spark as well."""
EVENTS = "spark"
"""Folder of event logs beside the logs of programs."""
TRAINING_TIMEOUT_S = 300.0
DUMP_TIMEOUT_S = 300
MODULES = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
)
"""Packages of Java that Spark reaches into. It opens them in its containers; its shell script does for the driver."""


@dataclass(frozen=True)
class Program:
    """Describes a program of the plug-in that does a benchmark's work."""

    main: str
    output: str
    words: Callable[[Any, Cell], list[str]]
    """Words of the command line before the output."""
    rest: Callable[[Any], list[str]] = lambda benchmark: []
    """Those behind it."""
    properties: Callable[[Any], Mapping[str, str | int]] = lambda benchmark: {}
    """Hadoop's properties that the benchmark gives its jobs."""


PROGRAMS: Mapping[str, Program] = {
    "wordcount": Program("WordCount", wordcount.OUTPUT, lambda b, cell: [b.path(cell)]),
    "sort": Program("Sort", sort.OUTPUT, lambda b, cell: [b.path(cell)]),
    "grep": Program("Grep", grep.OUTPUT, lambda b, cell: [b.path(cell)], lambda b: [b.settings.pattern]),
    "terasort": Program(
        "TeraSort",
        terasort.OUTPUT,
        lambda b, cell: [b.path],
        # Which Hadoop's example sets by itself.
        properties=lambda b: {**b.properties(), "dfs.replication": b.settings.output_replication},
    ),
    "pagerank": Program("PageRank", pagerank.OUTPUT, lambda b, cell: [str(b.settings.iterations), b.path]),
    "bayes": Program("Bayes", bayes.OUTPUT, lambda b, cell: [f"{b.path}/train", f"{b.path}/test"]),
    "kmeans": Program(
        "KMeans",
        kmeans.OUTPUT,
        lambda b, cell: [*b.limits(), b.input(cell), f"{b.path}/centres"],
        properties=lambda b: b.properties(),
    ),
}


def executor_memory(parameters: Parameters) -> tuple[int, int]:
    """Return heap of an executor and its container's memory besides, MB: together those of all places of a worker.

    Raises JobError when Spark cannot do with it.
    """
    all_ = places(parameters) * parameters.task_memory_mb
    heap = max(places(parameters) * parameters.heap_mb, LEAST_HEAP_MB)
    if heap >= all_:
        raise JobError(
            f"Spark cannot be started: the places of a worker have {all_} MB, and its executor needs a heap of "
            f"{LEAST_HEAP_MB} MB and memory besides: raise heap_mb or overhead_mb"
        )
    return heap, all_ - heap


def cluster_properties(cluster: Cluster) -> dict[str, str]:
    """Return what Spark needs to know of a cluster, as properties of its programs.

    Executors announce themselves by the name of their NodeManager, the driver by that of the master: both mean the
    cell's interface.
    """
    parameters, master = cluster.parameters, cluster.layout.master
    heap, besides = executor_memory(parameters)
    return {
        "spark.driver.host": master.name,
        "spark.driver.bindAddress": master.name,
        "spark.executor.instances": str(len(cluster.layout.workers)),
        "spark.executor.cores": str(places(parameters)),
        "spark.executor.memory": f"{heap}m",
        "spark.executor.memoryOverhead": f"{besides}m",
        # A worker has as many of them as it has places.
        "spark.yarn.executor.resource.map-slot.amount": str(parameters.mappers_per_node),
        "spark.yarn.executor.resource.reduce-slot.amount": str(parameters.reducers_per_node),
        "spark.yarn.am.memory": f"{parameters.am_heap_mb}m",
        "spark.yarn.am.memoryOverhead": f"{parameters.overhead_mb}m",
        "spark.yarn.scheduler.heartbeat.interval-ms": str(parameters.heartbeat_ms),
        "spark.yarn.scheduler.initial-allocation.interval": f"{parameters.heartbeat_ms}ms",
        "spark.yarn.report.interval": f"{parameters.heartbeat_ms}ms",
        "spark.shuffle.compress": str(parameters.compress_map_output).lower(),
    }


def quoted(words: Sequence[str]) -> str:
    """Return options as one property, which Spark takes apart again."""
    return " ".join('"' + re.sub(r'(["\\])', r"\\\1", word) + '"' for word in words)


@dataclass(frozen=True)
class Software:
    """Locates Spark's jars, ours and Hadoop's, for the Java programs of a cluster."""

    cluster: Cluster

    @property
    def folder(self) -> Path:
        """Folder of the plug-in."""
        return self.cluster.hadoop.plugin_jar(PLUGIN).parent

    @property
    def jars(self) -> list[Path]:
        """Jars of the class path: Spark's come first, as some are younger than Hadoop's of the same name."""
        hadoop = self.cluster.hadoop
        released = released_in(self.folder)
        return [released, *(hadoop.root / jar for jar in hadoop.facts.class_path), hadoop.plugin_jar(PLUGIN)]

    @property
    def archive(self) -> Path:
        """The class archive; its name says what it was made from."""
        facts = self.cluster.hadoop.facts
        stamps = [(str(jar), jar.stat().st_mtime_ns, jar.stat().st_size) for jar in self.jars]
        made_from = hashlib.sha256(repr((facts.java.version, stamps)).encode()).hexdigest()
        return self.folder / f"classes-{made_from[:12]}.jsa"

    def options(self, compiler: str, conf: Sequence[str], recording: Path | None = None) -> list[str]:
        """Return options of Java but for its heap; with `recording`, the file that gets the names of its classes."""
        if recording:
            classes = [f"-XX:DumpLoadedClassList={recording}"]
        else:
            classes = ["-Xshare:auto", f"-XX:SharedArchiveFile={self.archive}"]
        path = ":".join([*map(str, self.jars), *conf])
        return [*plain_flags(compiler), *classes, "-cp", path]


class Spark(Framework):
    """Submits the program of the benchmark's name to YARN: the entry's plug-in has it, and Spark."""

    runs_hadoop_jobs = True

    @classmethod
    def refusal(cls, benchmark: str) -> str:
        """Return the reason why it cannot run a benchmark: there are programs for some."""
        return "" if benchmark in PROGRAMS else f"Spark has programs for {', '.join(PROGRAMS)} alone"

    def prepare(self, benchmark: Benchmark[Any], cell: Cell) -> None:
        """Make the class archive unless it is there."""
        software = Software(cell.cluster)
        if not software.archive.is_file():
            self._train(cell, software)

    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Run the program; the entry's properties win, but for those that the benchmark needs."""
        program = PROGRAMS[benchmark.name]
        cell.hdfs.remove(program.output)
        words = [*program.words(benchmark, cell), program.output, *program.rest(benchmark)]
        properties = {**self.entry.job_properties, **program.properties(benchmark)}
        return submit(cell.cluster, name, program.main, words, properties, benchmark.settings.timeout_s)

    def conditions(self, cell: Cell, result: JobResult) -> list[Metric]:
        """Return tasks and bytes of the jobs, the tasks at once, and what Hadoop's files say of the output."""
        application = spark_history.application_of(result.jobs[0].id)
        with event_log(cell.cluster, application).open(encoding="utf-8") as log:
            properties = spark_history.configuration(log)
        tasks = cell.workers * places(cell.cluster.parameters)
        facts = [*tasks_of(result, HISTORY), *moved(result, MOVED)]
        return [
            *facts,
            *(fact for fact in configured(properties) if fact.name in OF_HADOOP),
            *(metric(name, tasks, "1", FILES) for name in AT_ONCE),
            digest(cell),
        ]

    def _train(self, cell: Cell, software: Software) -> None:
        """Run a program that does what all do, write down which classes it loads, and make an archive of them."""
        cluster, output = cell.cluster, "/output/training"
        properties = self.entry.job_properties
        cell.hdfs.remove(output)
        with tempfile.TemporaryDirectory(prefix="classes-", dir=cluster.folder) as folder:
            lists = Path(folder)
            submit(cluster, "spark-classes", "Training", [output], properties, TRAINING_TIMEOUT_S, lists)
            cell.hdfs.remove(output)
            found = [path.read_text(encoding="utf-8") for path in sorted(lists.glob("*.classes"))]
            (lists / "all").write_text(merge_class_lists(found), encoding="utf-8")
            for old in software.folder.glob("classes-*.jsa"):
                old.unlink(missing_ok=True)  # another cell may make one as well
            with replacing(software.archive) as scratch:
                dump(software, lists / "all", scratch)


def submit(
    cluster: Cluster,
    name: str,
    program: str,
    words: Sequence[str],
    properties: Mapping[str, str | int],
    limit_s: float,
    recording: Path | None = None,
) -> JobResult:
    """Run a program; raise JobError when it fails or takes longer than `limit_s` seconds.

    `properties` of Hadoop may be among those of Spark. `recording` is a folder for lists of the classes that it loads.
    """
    (logs := cluster.folder / "logs" / EVENTS).mkdir(parents=True, exist_ok=True)
    all_ = {
        **cluster_properties(cluster),
        **containers(Software(cluster), recording),
        "spark.eventLog.dir": logs.as_uri(),
        **{
            key if key.startswith("spark.") else f"spark.hadoop.{key}": str(value)
            for key, value in properties.items()
        },
    }
    command = driver(Software(cluster), all_, recording)
    command += ["--class", f"kvasir.spark.{program}", ON_CLASS_PATH, *words]
    environment = {**cluster.environment, ENVIRONMENT_CONF: str(cluster.layout.master.conf)}
    ended = on_master(cluster, name, command, environment, limit_s)
    told = spark_history.Driver.of(ended.output)
    if ended.code != 0:
        kill(cluster, told.applications)
    ended.require(limit_s, complaint)
    if not told.applications:
        raise JobError(f"{name}: the driver names no application that it submitted (log: {ended.log})")
    with event_log(cluster, told.applications[0]).open(encoding="utf-8") as log:
        jobs = spark_history.parse(log, cluster.by_port, told)
    return JobResult(ended.seconds, ended.output, jobs, sorted(cluster.dead()))


def dump(software: Software, classes: Path, archive: Path) -> None:
    """Make the archive of a list of classes. Raises KvasirError when Java fails."""
    command = [str(software.cluster.hadoop.java), "-Xshare:dump", "-XX:+UseG1GC"]
    command += [f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={archive}"]
    command += ["-cp", ":".join(map(str, software.jars))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DUMP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise KvasirError(f"Java took longer than {DUMP_TIMEOUT_S} s to make Spark's class archive") from None
    if done.returncode or not archive.exists():
        raise KvasirError(
            f"Java cannot make Spark's class archive: {(done.stderr or done.stdout).strip()[-500:]}"
        )


def event_log(cluster: Cluster, application: str) -> Path:
    """Return the event log of a program that has ended."""
    return cluster.folder / "logs" / EVENTS / application


def containers(software: Software, recording: Path | None) -> dict[str, str]:
    """Return properties that give the Java programs in containers their class path."""
    compiler = software.cluster.parameters.task_compiler

    def options(compiler: str, name: str) -> str:
        file = recording / f"{name}.classes" if recording else None
        return quoted(software.options(compiler, CONTAINER_CONF, file))

    found = {
        # Nothing is uploaded for a program: every host sees the jars.
        "spark.yarn.jars": released_in(software.folder).as_uri().replace("file:", "local:"),
        "spark.yarn.am.extraJavaOptions": options("c1", "master"),
        "spark.executor.extraJavaOptions": options(compiler, "executor"),
    }
    # Only one may write into the file.
    return {**found, "spark.executor.instances": "1"} if recording else found


def driver(software: Software, properties: Mapping[str, str], recording: Path | None) -> list[str]:
    """Return the command that submits a program, without its class and arguments."""
    cluster = software.cluster
    file = recording / "driver.classes" if recording else None
    master = cluster.layout.master
    command = [str(cluster.hadoop.java), f"-Xmx{DRIVER_HEAP_MB}m"]
    command += software.options("c1", [str(master.conf)], file)
    command += [f"-Djava.io.tmpdir={master.temporary}", "-Djdk.reflect.useDirectMethodHandle=false"]
    command += ["-Dio.netty.tryReflectionSetAccessible=true"]
    command += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in MODULES]
    command += [SUBMIT, "--master", "yarn", "--deploy-mode", "client"]
    return [*command, *(word for key, value in properties.items() for word in ("--conf", f"{key}={value}"))]


def complaint(output: str) -> str:
    """Return the lines of a failed driver that say why: from the exception that ended it, and what caused that."""
    lines = output.splitlines()
    for i, line in enumerate(lines):
        if line.startswith('Exception in thread "main"'):
            causes = [cause for cause in lines[i + 1 :] if cause.startswith("Caused by: ")]
            return "\n".join([line, *causes[:4]])
    errors = [line for line in lines if " ERROR " in line]
    return "\n".join((errors or lines)[-6:])
