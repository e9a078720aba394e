"""TeraSort: records of 100 bytes in total order."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import Field, PositiveInt

from harness.hadoop.benchmarks.base import (
    ALONE,
    EXAMPLES,
    MIB,
    Benchmark,
    Cell,
    SizedSettings,
    metric,
    require,
)
from harness.hadoop.jobs import JobResult, generic_options
from harness.results.records import Metric

OUTPUT, REPORT = "/output/terasort", "/output/teravalidate"
ROW = 100


class TeraSortSettings(SizedSettings):
    """How the data are sampled and written."""

    output_replication: PositiveInt = Field(
        default=1, description="replicas of the output; Hadoop's own is 1"
    )
    samples: PositiveInt | None = Field(
        default=None,
        description="records that the client reads to choose the ranges of the reduce tasks; none: Hadoop's 100000",
    )
    sampled_splits: PositiveInt | None = Field(
        default=None, description="splits that those records are read from; none: Hadoop's 10"
    )
    maps: PositiveInt | None = Field(default=None, description="map tasks of TeraGen; none: one per map slot")


def verdict(report: str) -> str:
    """Return the checksum in TeraValidate's report; '' when there is not exactly one, or when it names an error."""
    lines = [line.split("\t") for line in report.splitlines() if line.strip()]
    checksums = [line[1].strip() for line in lines if line[0] == "checksum" and len(line) > 1]
    return checksums[0] if len(lines) == len(checksums) == 1 else ""


S = TypeVar("S", bound=SizedSettings)


class RecordsBenchmark(Benchmark[S], Generic[S]):
    """Sorts the records of Hadoop's generator."""

    @property
    def rows(self) -> int:
        """Number of records."""
        return self.settings.data_mb * MIB // ROW


class TeraSort(RecordsBenchmark[TeraSortSettings]):
    """Runs Hadoop's example, with the input of its own generator."""

    name = "terasort"
    output = OUTPUT
    settings_type = TeraSortSettings

    @property
    def path(self) -> str:
        """Where the input is."""
        maps = self.settings.maps
        return f"/input/tera-{self.rows}" + (f"-{maps}" if maps else "")

    def prepare(self, cell: Cell) -> None:
        """Generate the input."""
        self.checksum(cell)

    def checksum(self, cell: Cell) -> int:
        """Return the sum of the checksums of all records, as the generator counted it."""
        maps = generic_options({"mapreduce.job.maps": self.settings.maps or cell.map_slots})
        program, arguments = [EXAMPLES, "teragen"], [*maps, str(self.rows)]
        done = cell.generated(self.path, program[1], program, arguments, self.settings.timeout_s)
        return done.counter("Counters", "CHECKSUM")

    def properties(self) -> dict[str, int]:
        """Return the properties that say how to sample and write."""
        properties = {"mapreduce.terasort.output.replication": self.settings.output_replication}
        for key, value in (
            ("mapreduce.terasort.partitions.sample", self.settings.samples),
            ("mapreduce.terasort.num.partitions", self.settings.sampled_splits),
        ):
            if value is not None:
                properties[key] = value
        return properties

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Sort."""
        cell.hdfs.remove(OUTPUT)
        arguments = ["terasort", *cell.options(self.properties()), self.path, OUTPUT]
        return cell.program(name, EXAMPLES, arguments, self.settings.timeout_s)

    def input(self, cell: Cell) -> str:
        """Return the folder of the records."""
        return self.path

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that TeraValidate names no error, and that its checksum is the generator's."""
        cell.hdfs.remove(REPORT)
        arguments = ["teravalidate", *(ALONE if self.alone else []), OUTPUT, REPORT]
        cell.program("teravalidate", EXAMPLES, arguments, self.settings.timeout_s)
        report = cell.hdfs.read_parts(REPORT)
        checksum = verdict(report)
        require(bool(checksum), self.name, f"TeraValidate reports {report.strip()[:500]!r}")
        expected = format(self.checksum(cell), "x")
        require(
            checksum == expected, self.name, f"checksum of the input: {expected}, of the output: {checksum}"
        )
        cell.hdfs.remove(OUTPUT)
        return (
            [metric("records", self.rows, "1", "analytic")],
            {"order": f"TeraValidate names no error; checksum {checksum} as generated"},
        )
