"""Workloads of the PUMA suite: adjacency lists, candidates of item sets, sequences of words, two indices of a text."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field, NonNegativeInt, PositiveInt

from harness.hadoop.benchmarks.base import (
    MIB,
    Benchmark,
    Cell,
    Settings,
    SizedSettings,
    metric,
    require,
    require_equal,
)
from harness.hadoop.benchmarks.graph import GraphBenchmark, GraphSettings
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/puma"
ITEM_BYTES = 7
"""Digits of an item, and the comma or end of line behind it."""
CHECKSUM_BITS = 48
"""Of a checksum's 64 bits: as many as a table's numbers hold exactly."""
COUNT_BYTES = 6
"""Bytes of SequenceCount's output for one byte of text."""


def checksum_metric(checksum: int) -> Metric:
    """Return a metric that is the same for equal outputs, whatever ran the job and with how many tasks."""
    return metric("output.checksum", float(checksum % (1 << CHECKSUM_BITS)), "1", "measured:output")


S = TypeVar("S", bound=Settings)


class PumaBenchmark(Benchmark[S], Generic[S]):
    """Runs one job of ours that writes lines, and checks them against what one process computes."""

    output = OUTPUT
    program: ClassVar[str]
    keys: ClassVar[str] = "texts"
    """Order of the output's keys: texts or numbers."""

    @property
    @abstractmethod
    def path(self) -> str:
        """Where the generated input is, which the process that checks reads."""

    @abstractmethod
    def compared(self, cell: Cell) -> bool:
        """Return whether the input is small enough for one process."""

    def input(self, cell: Cell) -> str:
        """Return the folder that the job reads."""
        return self.path

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Run the job."""
        cell.hdfs.remove(OUTPUT)
        arguments = [*cell.options(), self.input(cell), OUTPUT]
        return cell.program(name, self.program, arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that the output is in order and, if the input is not too large, that it holds the right lines.

        That of a larger input must be the same in all runs of a cell.
        """
        found = cell.check("kvasir.check.Lines", [OUTPUT, self.keys], self.settings.timeout_s)
        require(
            found["disorder"] == 0, self.name, f"{found['disorder']} lines of the output are out of order"
        )
        compared = self.compared(cell)
        expected = cell.once(f"{self.path} {self.name}", lambda: self._expected(cell) if compared else found)
        source = "one process" if compared else "the cell's first run"
        require_equal(self.name, ("lines", "checksum"), found, expected, source)
        cell.hdfs.remove(OUTPUT)
        return (
            [metric("lines", found["lines"], "1", "measured:output"), checksum_metric(found["checksum"])],
            {"lines": f"{found['lines']} with checksum {found['checksum']} as of {source}, in order"},
        )

    def _expected(self, cell: Cell) -> dict[str, Any]:
        return cell.check("kvasir.check.Expected", [self.name, self.path], self.settings.timeout_s)


class AdjacencyList(GraphBenchmark[GraphSettings], PumaBenchmark[GraphSettings]):
    """Groups the edges of a Kronecker graph both ways."""

    name = "adjacency-list"
    settings_type = GraphSettings
    program = "kvasir.graph.AdjacencyList"
    keys = "numbers"


class GeneratedSettings(SizedSettings):
    """Settings of inputs that are generated and of outputs that are computed again."""

    seed: NonNegativeInt = 1
    compare_mb: NonNegativeInt = Field(
        default=512,
        description="for inputs up to this size one process computes the output again, to compare",
    )


class SetsSettings(GeneratedSettings):
    """Size of the sets."""

    items: PositiveInt = Field(default=12, ge=2, le=1000, description="of a set")


class SelfJoin(PumaBenchmark[SetsSettings]):
    """Makes candidates of k + 1 items from sets of k, a step of the Apriori algorithm."""

    name = "self-join"
    settings_type = SetsSettings
    program = "kvasir.sets.SelfJoin"

    @property
    def sets(self) -> int:
        """Number of sets."""
        return max(1, self.settings.data_mb * MIB // (ITEM_BYTES * self.settings.items))

    @property
    def path(self) -> str:
        """Where the sets are."""
        return f"/input/sets-{self.sets}-{self.settings.items}-{self.settings.seed}"

    def prepare(self, cell: Cell) -> None:
        """Write the sets."""
        s = self.settings
        numbers = [self.sets, s.items, s.seed, cell.map_slots]
        program = ["kvasir.sets.Generate"]
        cell.generated(self.path, "sets", program, [*map(str, numbers)], s.timeout_s, alone=self.alone)

    def compared(self, cell: Cell) -> bool:
        """Return whether the sets are small enough."""
        return self.settings.data_mb <= self.settings.compare_mb


class ZipfSettings(GeneratedSettings):
    """Size of a text by Zipf's law. Benchmarks of one cluster with the same settings share it."""

    files: PositiveInt = Field(default=16, description="documents of the text, on every number of hosts")
    vocabulary: PositiveInt = Field(default=100_000, description="different words")
    line_words: PositiveInt = Field(default=40, ge=2, description="mean number of words in a line")


class ZipfBenchmark(PumaBenchmark[ZipfSettings]):
    """Reads files of text; each is a document."""

    settings_type = ZipfSettings

    @property
    def path(self) -> str:
        """Where the text is."""
        s = self.settings
        return f"/input/zipf-{s.data_mb}-{s.files}-{s.vocabulary}-{s.line_words}-{s.seed}"

    def prepare(self, cell: Cell) -> None:
        """Write the text."""
        s = self.settings
        numbers = [s.files, math.ceil(s.data_mb * MIB / s.files), s.vocabulary, s.line_words, s.seed]
        program = ["kvasir.text.Generate"]
        cell.generated(self.path, "zipf-text", program, [*map(str, numbers)], s.timeout_s, alone=self.alone)

    def compared(self, cell: Cell) -> bool:
        """Return whether the text is small enough."""
        return self.settings.data_mb <= self.settings.compare_mb


class InvertedIndex(ZipfBenchmark):
    """Names the documents of each word."""

    name = "inverted-index"
    program = "kvasir.text.InvertedIndex"


class SequenceCount(ZipfBenchmark):
    """Counts each sequence of three words in each document."""

    name = "sequence-count"
    program = "kvasir.text.SequenceCount"


class RankedInvertedIndex(ZipfBenchmark):
    """Ranks the documents of each sequence of three words; its input is SequenceCount's output."""

    name = "ranked-inverted-index"
    program = "kvasir.text.RankedInvertedIndex"

    @property
    def data_mb(self) -> int:
        """Size of the text and of the counts of its sequences, 2^20 bytes."""
        return (1 + COUNT_BYTES) * self.settings.data_mb

    def input(self, cell: Cell) -> str:
        """Return the folder of the counts."""
        return f"{self.path}-sequences"

    def prepare(self, cell: Cell) -> None:
        """Write the text and count its sequences."""
        super().prepare(cell)
        program, timeout_s = [SequenceCount.program], self.settings.timeout_s
        cell.generated(self.input(cell), "zipf-sequences", program, [self.path], timeout_s)
