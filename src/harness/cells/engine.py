"""The MapReduce-over-MPI engine on the cell's HDFS."""

from __future__ import annotations

from typing import Any

from harness.cells.framework import Framework
from harness.hadoop.benchmarks import Benchmark, Cell
from harness.hadoop.jobs import JobError, JobResult


class Engine(Framework):
    """Ranks on all hosts of the cell."""

    @classmethod
    def refusal(cls, benchmark: str) -> str:
        """No benchmark runs yet."""
        return "the engine does not read HDFS yet"

    def execute(self, benchmark: Benchmark[Any], cell: Cell, name: str) -> JobResult:
        """Not there yet."""
        raise JobError(f"{name}: {self.refusal(benchmark.name)}")
