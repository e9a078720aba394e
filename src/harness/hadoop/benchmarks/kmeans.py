"""KMeans: clusters of samples, iterated as HiBench has it done by Mahout."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from harness.hadoop.benchmarks.base import MIB, Benchmark, Cell, Settings, metric, require_equal
from harness.hadoop.benchmarks.puma import checksum_metric
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/kmeans"
RECORD_BYTES = 17
"""Of a sample besides its coordinates: lengths and number, in a sequence file."""


class KMeansSettings(Settings):
    """Number of samples, and the parameters that HiBench has at all its sizes."""

    samples: PositiveInt = Field(default=1_000_000, description="to put into clusters")
    places: PositiveInt = Field(default=5, description="that the samples lie around")
    dimensions: PositiveInt = 20
    clusters: PositiveInt = Field(default=10, description="that are looked for")
    iterations: PositiveInt = Field(default=5, description="at most")
    distance: NonNegativeFloat = Field(default=0.5, description="iterations end when no centre moves farther")
    emit_samples: bool = Field(
        default=False,
        description="map tasks hand over each sample, and a combiner adds them up; otherwise, as in Mahout, they add "
        "up themselves and hand over a sum for each cluster",
    )
    seed: NonNegativeInt = 1
    compare_samples: NonNegativeInt = Field(
        default=2_000_000, description="up to so many samples one process clusters again, to compare"
    )


class KMeans(Benchmark[KMeansSettings]):
    """Runs our own jobs: one for each iteration, one that writes each sample with its cluster."""

    name = "kmeans"
    settings_type = KMeansSettings

    @property
    def data_mb(self) -> int:
        """Size of the samples, 2^20 bytes."""
        return math.ceil(self.settings.samples * (8 * self.settings.dimensions + RECORD_BYTES) / MIB)

    @property
    def path(self) -> str:
        """Where the samples are, and the centres to start with."""
        s = self.settings
        return f"/input/samples-{s.samples}-{s.places}-{s.dimensions}-{s.clusters}-{s.seed}"

    def prepare(self, cell: Cell) -> None:
        """Write the samples."""
        s = self.settings
        numbers = [s.samples, s.places, s.dimensions, s.clusters, s.seed, cell.map_slots]
        program = ["kvasir.kmeans.Generate"]
        cell.generated(self.path, "samples", program, [*map(str, numbers)], s.timeout_s, alone=self.alone)

    def input(self, cell: Cell) -> str:
        """Return the folder of the samples."""
        return f"{self.path}/samples"

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Iterate, and put samples into clusters."""
        cell.hdfs.remove(OUTPUT)
        arguments = [*cell.options(self.properties()), *self.limits()]
        arguments += [self.input(cell), f"{self.path}/centres", OUTPUT]
        return cell.program(name, "kvasir.kmeans.KMeans", arguments, self.settings.timeout_s)

    def properties(self) -> dict[str, str]:
        """Return the property that says what map tasks hand over."""
        return {"kvasir.kmeans.emit-samples": str(self.settings.emit_samples).lower()}

    def limits(self) -> list[str]:
        """Return the arguments that say when iterations end."""
        return [str(self.settings.iterations), str(self.settings.distance)]

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that centres and clusters of few samples are those of one process; of many, that all runs agree."""
        s = self.settings
        compared = s.samples <= s.compare_samples
        found = self._check(cell, 0)
        expected = cell.once(
            f"{self.path} {s.iterations} {s.distance}",
            lambda: self._check(cell, s.iterations)["expected"] if compared else found,
        )
        source = "one process" if compared else "the cell's first run"
        whose = f"centres and clusters of {source}"
        require_equal(self.name, ("lines", "checksum"), found, expected, whose)
        cell.hdfs.remove(OUTPUT)
        return (
            [
                metric("iterations", len(result.jobs) - 1, "1", "measured:history"),
                checksum_metric(found["checksum"]),
            ],
            {
                "clusters": f"{s.clusters} centres and the cluster of each of {s.samples} samples as of {source}"
            },
        )

    def _check(self, cell: Cell, iterations: int) -> dict[str, Any]:
        arguments = [self.path, OUTPUT, str(iterations), str(self.settings.distance)]
        return cell.check("kvasir.check.Clusters", arguments, self.settings.timeout_s)
