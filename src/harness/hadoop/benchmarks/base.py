"""Defines a benchmark on Hadoop: input made once per cluster, a timed run, and an output that is checked."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from harness.core.errors import KvasirError
from harness.core.models import Strict
from harness.hadoop.cluster import Cluster
from harness.hadoop.hdfs import Hdfs
from harness.hadoop.jobs import CLIENT_HEAP_MB, JobResult, generic_options, run_job
from harness.results.records import Metric

EXAMPLES = "org.apache.hadoop.examples.ExampleDriver"
MIB = 1 << 20
ALONE = generic_options({"mapreduce.framework.name": "local"})
"""Options of a program whose tasks run in its own process."""
T = TypeVar("T")


class InvalidOutput(KvasirError):
    """Reports a run that ended without complaint, but with a wrong output: its time means nothing."""


class Settings(Strict):
    """Settings of all benchmarks."""

    timeout_s: PositiveFloat = 900.0
    """For each program of the benchmark: generator, run and check, seconds."""
    alone_mb: NonNegativeInt = 512
    """Up to this size, 2^20 bytes, generator and check are one process on the master, which starts sooner."""


class SizedSettings(Settings):
    """Settings of benchmarks whose input has the size that is asked for."""

    data_mb: PositiveInt = Field(default=256, description="2^20 bytes")


S = TypeVar("S", bound=Settings)


@dataclass
class Cell:
    """A cluster and the inputs that are on it already. Benchmarks share inputs by their keys."""

    cluster: Cluster
    made: dict[str, Any] = field(default_factory=dict)
    job_properties: Mapping[str, str] = field(default_factory=dict)
    """Properties that the framework of a run gives to its jobs; none where inputs are made and outputs checked."""

    @property
    def hdfs(self) -> Hdfs:
        """The cluster's file system."""
        return self.cluster.hdfs

    @property
    def workers(self) -> int:
        """Number of workers."""
        return len(self.cluster.layout.workers)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return what `make` returns, made when first asked for; an error leaves nothing behind."""
        if key not in self.made:
            self.made[key] = make()
        found: T = self.made[key]
        return found

    @property
    def map_slots(self) -> int:
        """Map tasks that run at once."""
        return self.workers * self.cluster.parameters.mappers_per_node

    def options(self, properties: Mapping[str, str | int | float] | None = None) -> list[str]:
        """Return the options that each program of a timed part takes before its own arguments.

        They hold the framework's job properties and `properties`, which the benchmark needs and which win.
        """
        return generic_options({**self.job_properties, **(properties or {})})

    def program(self, name: str, main_class: str, arguments: list[str], timeout_s: float) -> JobResult:
        """Run a program that submits jobs; see run_job."""
        return run_job(self.cluster, name, main_class, arguments, timeout_s)

    def generated(
        self,
        path: str,
        name: str,
        program: Sequence[str],
        arguments: Sequence[str],
        timeout_s: float,
        *,
        alone: bool = False,
    ) -> JobResult:
        """Return the result of the generator that writes `path`, its last argument; run it when first asked for.

        program: its class, and what that expects before Hadoop's options; alone: its tasks run in its own process, for
        generators that choose their number themselves, as Hadoop gives one task to those that do not.
        What an earlier one left there is removed before. Raises JobError when it fails.
        """

        def generate() -> JobResult:
            self.hdfs.remove(path)
            main_class, *words = program
            options = ALONE if alone else []
            return self.program(name, main_class, [*words, *options, *arguments, path], timeout_s)

        return self.once(path, generate)

    def check(self, main_class: str, arguments: list[str], timeout_s: float) -> dict[str, Any]:
        """Run one of our checks on the master; return what it found. Raises KvasirError when it fails."""
        cluster = self.cluster
        command = cluster.hadoop.command(main_class, cluster.layout.master.conf, 4 * CLIENT_HEAP_MB)
        done = cluster.master.run([*command, *arguments], env=cluster.environment, timeout_s=timeout_s)
        try:
            found = json.loads(done.stdout.strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise KvasirError(f"{main_class} printed {done.stdout[-300:]!r}, no JSON") from None
        assert isinstance(found, dict)
        return found


class Benchmark(ABC, Generic[S]):
    """Makes inputs, runs and checks one benchmark with its settings."""

    name: str
    settings_type: ClassVar[type[Settings]]
    output: str = ""
    """Where `validate` finds what a run has written, whichever program it was; '' where it needs the run's own jobs."""

    def __init__(self, settings: S) -> None:
        """`settings` are an instance of `settings_type`."""
        self.settings = settings

    @property
    def data_mb(self) -> int:
        """Size of the input in HDFS, 2^20 bytes of one replica; 0 where only the generator finds it out."""
        return self.settings.data_mb if isinstance(self.settings, SizedSettings) else 0

    @property
    def size(self) -> float:
        """What the time of a run grows with, in the benchmark's own unit; by default `data_mb`."""
        return float(self.data_mb)

    @property
    def alone(self) -> bool:
        """Return whether generator and check are one process each."""
        return self.data_mb <= self.settings.alone_mb

    @classmethod
    def for_tasks(cls, settings: dict[str, Any], tasks: int) -> dict[str, Any]:
        """Return `settings` such that the same data make at least `tasks` map tasks, where blocks do not see to it."""
        return settings

    def prepare(self, cell: Cell) -> None:
        """Make the inputs, unless they are there; raises KvasirError when that fails."""

    def input(self, cell: Cell) -> str:
        """Return the path in HDFS that a run reads and leaves as it is; '' for a benchmark without such an input."""
        return ""

    @abstractmethod
    def execute(self, cell: Cell, name: str) -> JobResult:
        """Run the timed part; raise JobError when it fails. `name` is for logs."""

    @abstractmethod
    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check the output; return metrics besides the time, and what was checked how. Raises InvalidOutput."""


def require(condition: bool, benchmark: str, complaint: str) -> None:
    """Raise InvalidOutput unless the condition holds."""
    if not condition:
        raise InvalidOutput(f"{benchmark}: {complaint}")


def require_equal(
    benchmark: str, numbers: Sequence[str], found: Mapping[str, Any], expected: Mapping[str, Any], source: str
) -> None:
    """Raise InvalidOutput unless each number that a check found is the expected one, which is that of `source`."""
    for what in numbers:
        require(
            found[what] == expected[what],
            benchmark,
            f"{what} of {source}: {expected[what]}, of the output: {found[what]}",
        )


def metric(name: str, value: float, unit: str, source: str) -> Metric:
    """Return a metric of a run."""
    return Metric(name=name, value=value, unit=unit, source=source)
