"""Defines a framework, which runs benchmarks on the HDFS of a cell: one small class and one config entry.

To add one, write a subclass of Framework anywhere on PYTHONPATH and name it in an entry of config/frameworks.yaml
(`class: package.module:Class`). A subclass replaces the timed part only. For each run the driver
(harness.cells.driver) does

    benchmark.prepare(cell)                               # inputs, once a cell: Hadoop's
    framework.prepare(benchmark, cell)                    # what the framework itself needs, not timed
    with Monitor(...):
        result = framework.execute(benchmark, cell, name) # the timed part
    framework.conditions(cell, result)                    # metrics that say under which conditions it ran
    benchmark.validate(cell, result)                      # output in HDFS, checked as Hadoop's is
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

from harness.cells.conditions import hadoop_facts
from harness.config.frameworks import FrameworkEntry, class_of
from harness.hadoop.benchmarks import Benchmark, Cell
from harness.hadoop.jobs import JobResult
from harness.plan.spec import CellSpec
from harness.results.records import Metric


class Framework(ABC):
    """Runs benchmarks as an entry of config/frameworks.yaml says."""

    built: ClassVar[tuple[str, ...]] = ()
    """Files that say what its programs are (besides Hadoop's); the workflow makes them before the cell."""

    runs_hadoop_jobs: ClassVar[bool] = False
    """Whether its entry may have `plugins` and `job_properties`: it gives the latter to all jobs that it runs."""

    def __init__(self, name: str, entry: FrameworkEntry) -> None:
        """Keep the entry and `name`, its key."""
        self.name = name
        self.entry = entry

    @classmethod
    def refusal(cls, benchmark: str) -> str:
        """Return the reason why it cannot run a benchmark, '' if it can: such points are `not run` with this reason."""
        return ""

    def prepare(self, benchmark: Benchmark[Any], cell: Cell) -> None:  # noqa: B027
        """Prepare a run before the clock starts; `cell.once` keeps its result for the cell's other runs."""

    @abstractmethod
    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Run a benchmark once, output in HDFS where Hadoop's is. Raises JobError when it fails or takes too long.

        `name` is for logs (`cell.cluster.log(name)`). `cell.cluster.hosts` are the hosts, with `remote_shell`;
        `self.entry.interface` is the network to take. A result without Hadoop jobs sets `own_work_s`.
        """

    def conditions(self, cell: Cell, result: JobResult) -> list[Metric]:
        """Return the conditions that a run was under, as its jobs report them; none by default."""
        return []


class Hadoop(Framework):
    """Runs the benchmark's own jobs on Hadoop itself."""

    runs_hadoop_jobs = True

    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Run the jobs, with the entry's properties."""
        return benchmark.execute(replace(cell, job_properties=self.entry.job_properties), name)

    def conditions(self, cell: Cell, result: JobResult) -> list[Metric]:
        """Return tasks and bytes of the jobs, and the properties that job.xml has of them."""
        return hadoop_facts(cell, result)


def framework_of(spec: CellSpec, name: str) -> Framework:
    """Return a cell's framework by name. Raises KvasirError when its class cannot be imported."""
    entry = spec.frameworks[name]
    made = class_of(name, entry)(name, entry)
    assert isinstance(made, Framework)
    return made
