"""PageRank on a Kronecker graph."""

from __future__ import annotations

import math

from pydantic import PositiveInt

from harness.hadoop.benchmarks.base import Cell, metric, require
from harness.hadoop.benchmarks.graph import GraphBenchmark, GraphSettings
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/pagerank"
TOLERANCE = 1e-9


class PageRankSettings(GraphSettings):
    """Size of the graph. Of graphs that are not compared the sum of all ranks is checked."""

    iterations: PositiveInt = 3


class PageRank(GraphBenchmark[PageRankSettings]):
    """Runs our own jobs."""

    name = "pagerank"
    settings_type = PageRankSettings

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Rank."""
        cell.hdfs.remove(OUTPUT)
        arguments = [*cell.options(), str(self.settings.iterations), self.path, OUTPUT]
        return cell.program(name, "kvasir.graph.PageRank", arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that ranks add up to 1, and that those of a small graph are the ones that one process computes."""
        settings = self.settings
        most_edges = settings.compare_edges if self.compared(cell) else 0
        arguments = [self.path, OUTPUT, str(settings.iterations), str(most_edges)]
        found = cell.check("kvasir.check.Ranks", arguments, settings.timeout_s)
        vertices = result.jobs[0].counter("Count", "VERTICES")
        require(
            found["vertices"] == vertices, self.name, f"{found['vertices']} ranks for {vertices} vertices"
        )
        require(
            math.isclose(found["sum"], 1, abs_tol=TOLERANCE), self.name, f"the ranks add up to {found['sum']}"
        )
        checks = {"sum": f"{vertices} ranks add up to 1 within {TOLERANCE:g}"}
        if (difference := found["difference"]) is not None:
            require(difference <= TOLERANCE, self.name, f"a rank is wrong by a factor of 1 ± {difference:g}")
            checks["ranks"] = f"each as one process computes it, within a factor of 1 ± {TOLERANCE:g}"
        cell.hdfs.remove(OUTPUT)
        return (
            [
                metric("vertices", vertices, "1", "measured:counters"),
                metric("edges", self.edges(cell), "1", "measured:counters"),
                metric("iterations", settings.iterations, "1", "analytic"),
            ],
            checks,
        )
