"""PageRank on a Kronecker graph with the initiator that BigDataBench fitted to Google's web graph."""

from __future__ import annotations

import math

from pydantic import Field, NonNegativeInt, PositiveInt

from harness.hadoop.benchmarks.base import Benchmark, Cell, Settings, metric, require
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/pagerank"
TOLERANCE = 1e-9


class PageRankSettings(Settings):
    """Size of the graph."""

    scale: int = Field(default=16, ge=1, le=30, description="the graph has 2^scale names of vertices")
    iterations: PositiveInt = 3
    seed: NonNegativeInt = 1
    compare_edges: NonNegativeInt = Field(
        default=5_000_000,
        description="graphs up to this size are ranked again by one process, of larger ones only the sum is checked",
    )


class PageRank(Benchmark[PageRankSettings]):
    """Runs our own jobs."""

    name = "pagerank"
    settings_type = PageRankSettings

    @property
    def data_mb(self) -> int:
        """Zero: only the generator knows."""
        return 0

    @property
    def size(self) -> float:
        """Number of names of vertices."""
        return float(2**self.settings.scale)

    @property
    def path(self) -> str:
        """Where the graph is."""
        return f"/input/graph-{self.settings.scale}-{self.settings.seed}"

    def prepare(self, cell: Cell) -> None:
        """Generate the graph."""
        self.edges(cell)

    def edges(self, cell: Cell) -> int:
        """Return the number of edges; generate the graph unless it is there."""

        def generate() -> int:
            cell.hdfs.remove(self.path)
            settings = self.settings
            arguments = [str(settings.scale), str(settings.seed), str(cell.map_slots), self.path]
            done = cell.program("kronecker", "kvasir.graph.Generate", arguments, settings.timeout_s)
            return done.counter("Count", "EDGES")

        return cell.once(self.path, generate)

    def input(self, cell: Cell) -> str:
        """Return the folder of the graph."""
        return self.path

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Rank."""
        cell.hdfs.remove(OUTPUT)
        arguments = [*cell.options(), str(self.settings.iterations), self.path, OUTPUT]
        return cell.program(name, "kvasir.graph.PageRank", arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that ranks add up to 1, and that those of a small graph are the ones that one process computes."""
        settings, edges = self.settings, self.edges(cell)
        arguments = [self.path, OUTPUT, str(settings.iterations), str(settings.compare_edges)]
        if edges > settings.compare_edges:
            arguments[-1] = "0"
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
                metric("edges", edges, "1", "measured:counters"),
                metric("iterations", settings.iterations, "1", "analytic"),
            ],
            checks,
        )
