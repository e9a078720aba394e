"""Makes the Kronecker graphs that PageRank and AdjacencyList work on, like Google's web graph."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import Field, NonNegativeInt

from harness.hadoop.benchmarks.base import MIB, Benchmark, Cell, Settings

EDGES = 2.1537
"""The number of edges is that to the power of the scale (kvasir.graph.Kronecker)."""
LINE_BYTES = 22
"""Most bytes of an edge's line."""


class GraphSettings(Settings):
    """Size of the graph. Benchmarks of one cluster that name the same size and seed share it."""

    scale: int = Field(default=16, ge=1, le=30, description="the graph has 2^scale names of vertices")
    seed: NonNegativeInt = 1
    compare_edges: NonNegativeInt = Field(
        default=5_000_000,
        description="for graphs up to this size one process computes the output again, to compare",
    )


S = TypeVar("S", bound=GraphSettings)


class GraphBenchmark(Benchmark[S], Generic[S]):
    """Reads a graph as its edges, one in a line."""

    @property
    def size(self) -> float:
        """Number of names of vertices."""
        return float(2**self.settings.scale)

    @property
    def edges_mb(self) -> float:
        """Size of the edges at most, 2^20 bytes."""
        return LINE_BYTES * EDGES**self.settings.scale / MIB

    @property
    def path(self) -> str:
        """Where the graph is."""
        return f"/input/graph-{self.settings.scale}-{self.settings.seed}"

    def prepare(self, cell: Cell) -> None:
        """Generate the graph."""
        self.edges(cell)

    def input(self, cell: Cell) -> str:
        """Return the folder of the graph."""
        return self.path

    def edges(self, cell: Cell) -> int:
        """Return the number of edges; generate the graph unless it is there."""
        s = self.settings
        numbers = [str(s.scale), str(s.seed), str(cell.map_slots)]
        program, alone = ["kvasir.graph.Generate"], self.edges_mb <= s.alone_mb
        done = cell.generated(self.path, "kronecker", program, numbers, s.timeout_s, alone=alone)
        return done.counter("Count", "EDGES")

    def compared(self, cell: Cell) -> bool:
        """Return whether the graph is small enough for one process."""
        return self.edges(cell) <= self.settings.compare_edges
