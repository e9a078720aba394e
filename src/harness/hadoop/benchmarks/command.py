"""Command: whatever a user wants to have measured on a cell, with a client of the framework's Hadoop at hand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.config.benchmarks import CommandEntry
from harness.core.errors import KvasirError
from harness.core.files import write_text
from harness.hadoop.benchmarks.base import Benchmark, Cell, InvalidOutput, Settings, metric, require
from harness.hadoop.cluster import Cluster
from harness.hadoop.configuration import with_properties
from harness.hadoop.jobs import CLIENT_HEAP_MB, JobError, JobResult, on_master, run_command
from harness.hosts.model import tail
from harness.results.records import Metric

LAST_LINES = 8
JOB_JAR = ("job.jar/*", "job.jar/classes", "job.jar/lib/*", "job.jar")
"""Where a task finds the classes of its job, whose jar Hadoop unpacks into its working folder."""
CLIENTS = ("hadoop", "hdfs", "yarn", "mapred")
LAUNCHER = """#!/bin/sh
# Hadoop's client, as the command of a benchmark finds it: `hadoop jar FILE ...`, `hadoop fs ...`, `hadoop CLASS ...`.
case "$1" in
"" | -*) echo "usage: hadoop jar FILE [CLASS] ... | fs ... | application ... | classpath | CLASS ..." >&2; exit 2 ;;
classpath) echo {class_path}; exit ;;
jar) shift; set -- org.apache.hadoop.util.RunJar "$@" ;;
fs | dfs) shift; set -- org.apache.hadoop.fs.FsShell "$@" ;;
application) set -- org.apache.hadoop.yarn.client.cli.ApplicationCLI "$@" ;;
esac
exec {java} "$@"
"""


class CommandSettings(Settings, CommandEntry):
    """What runs, on which input, and how its output is checked."""


class Command(Benchmark[CommandSettings]):
    """Runs a command on the master, in a folder of its own, with a client that has the framework's job properties."""

    settings_type = CommandSettings

    def __init__(self, name: str, settings: CommandSettings, source: Benchmark[Any] | None) -> None:
        """Keep `source`, the benchmark whose input it reads. Raises KvasirError when that cannot check its output."""
        super().__init__(settings)
        self.name = name
        self.source = source
        if settings.same_output and not (source and source.output):
            whose = (
                f"benchmark {source.name} has none that can be checked without its own jobs" if source else ""
            )
            raise KvasirError(
                f"benchmark {name}: same_output: it has to write what another benchmark does: "
                f"{whose or 'name that one as input'}"
            )

    @property
    def data_mb(self) -> int:
        """Size of the input, 2^20 bytes; 0 without one."""
        return self.source.data_mb if self.source else 0

    @property
    def size(self) -> float:
        """What the time of the benchmark grows with whose input it reads."""
        return self.source.size if self.source else 0.0

    def prepare(self, cell: Cell) -> None:
        """Make the input of the other benchmark."""
        if self.source:
            self.source.prepare(cell)

    def input(self, cell: Cell) -> str:
        """Return the path of that input."""
        return self.source.input(cell) if self.source else ""

    @property
    def path(self) -> str:
        """Where its output goes."""
        if self.settings.same_output and self.source:
            return self.source.output
        return f"/output/{self.name}"

    def folder(self, cell: Cell) -> Path:
        """Return its folder of this cell, which all hosts see."""
        return cell.cluster.folder / "commands" / self.name

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Run the command; its jobs are those that the ResourceManager has got meanwhile."""
        cell.hdfs.remove(self.path)
        folder, values = self.folder(cell), self.values(cell)
        shutil.rmtree(folder, ignore_errors=True)
        provide_client(cell, folder)
        return run_command(
            cell.cluster,
            name,
            ["/bin/sh", "-c", filled(self.settings.command, values)],
            environment(cell.cluster, folder, values),
            folder / "work",
            self.settings.timeout_s,
            last_words,
        )

    def values(self, cell: Cell) -> dict[str, str]:
        """Return what the command is told, by the names of its placeholders."""
        cluster = cell.cluster
        workers = cluster.layout.workers
        return {
            "input": self.input(cell),
            "output": self.path,
            "maps": str(cell.map_slots),
            "reduces": str(len(workers) * cluster.parameters.reducers_per_node),
            "workers": " ".join(node.name for node in workers),
            "hdfs": f"hdfs://{cluster.layout.master.at('namenode')}",
        }

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check the output as its entry says; one that says nothing is taken for what the exit code 0 says."""
        checks: dict[str, str] = {}
        metrics: list[Metric] = []
        if self.settings.check:
            checks["check"] = self._look(cell, result)
        if self.settings.same_output and self.source:
            require(cell.hdfs.exists(self.path), self.name, f"there is no output in hdfs:{self.path}")
            metrics, more = self.source.validate(cell, result)
            checks |= more
        metrics.append(metric("output.checked", float(bool(checks)), "1", "analytic"))
        cell.hdfs.remove(self.path)
        shutil.rmtree(self.folder(cell), ignore_errors=True)
        return metrics, checks or {"exit code": "0; its entry names no check of the output"}

    def _look(self, cell: Cell, result: JobResult) -> str:
        """Run the check; return what it printed last. Raises InvalidOutput where its exit code is not 0."""
        folder, values, limit = self.folder(cell), self.values(cell), self.settings.timeout_s
        log = folder / "output.txt"
        write_text(result.output, log)
        told = {**environment(cell.cluster, folder, values), "KVASIR_LOG": str(log)}
        words = ["/bin/sh", "-c", filled(self.settings.check, values)]
        ended = on_master(cell.cluster, f"{self.name}-check", words, told, limit, folder / "work")
        try:
            ended.require(limit, last_words)
        except JobError as error:
            raise InvalidOutput(f"{self.name}: the check of its output says no: {error}") from None
        return last_words(ended.output, 1) or "exit code 0"


def last_words(output: str, lines: int = LAST_LINES) -> str:
    """Return the last lines of what a command printed, without the rest of those that are very long."""
    return "\n".join(line[:120] for line in tail(output, lines).splitlines())


def filled(command: str, values: Mapping[str, str]) -> str:
    """Return a command with its placeholders filled in, a word each; other braces are the shell's, as in ${input}."""
    names = "|".join(values)
    return re.sub(rf"(?<!\$)\{{({names})\}}", lambda found: shlex.quote(values[found[1]]), command)


def environment(cluster: Cluster, folder: Path, values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a command: what it is told, and where Hadoop's client and configuration are."""
    return {
        **cluster.environment,
        **{f"KVASIR_{name.upper()}": value for name, value in values.items()},
        "HADOOP_CONF_DIR": str(folder / "conf"),
        "PATH": f"{folder / 'bin'}:{cluster.hadoop.facts.java.home / 'bin'}:{os.environ.get('PATH', os.defpath)}",
    }


def job_settings(cell: Cell) -> dict[str, str]:
    """Return what the jobs of a command need besides the cluster's configuration; the framework's properties win.

    Tasks have a class path that is ours, from the archive on: that of the job's own jar comes behind it.
    """
    hadoop, parameters, jars = cell.cluster.hadoop, cell.cluster.parameters, cell.cluster.jars
    more = (*jars, *map(Path, JOB_JAR))
    task = hadoop.task_options(parameters.heap_mb, parameters.task_compiler, more)
    return {
        "mapreduce.map.java.opts": task,
        "mapreduce.reduce.java.opts": task,
        "yarn.app.mapreduce.am.command-opts": hadoop.task_options(parameters.am_heap_mb, "c1", more),
        **cell.job_properties,
    }


def launcher(cluster: Cluster, conf: Path, temporary: Path) -> str:
    """Return the script that runs Hadoop's client with a folder of configuration."""
    hadoop = cluster.hadoop
    *java, _ = hadoop.command("Class", conf, CLIENT_HEAP_MB, plugins=cluster.jars, temporary=temporary)
    return LAUNCHER.format(
        java=shlex.join(java), class_path=shlex.quote(hadoop.class_path(conf, cluster.jars))
    )


def provide_client(cell: Cell, folder: Path) -> None:
    """Write Hadoop's client and its configuration, with the framework's job properties, and a folder to work in."""
    cluster = cell.cluster
    conf, work = folder / "conf", folder / "work"
    work.mkdir(parents=True)
    shutil.copytree(cluster.layout.master.conf, conf)
    site = conf / "mapred-site.xml"
    write_text(with_properties(site.read_text(encoding="utf-8"), job_settings(cell)), site)
    (folder / "bin").mkdir()
    for name in CLIENTS:
        program = folder / "bin" / name
        write_text(launcher(cluster, conf, work), program)
        program.chmod(0o755)
