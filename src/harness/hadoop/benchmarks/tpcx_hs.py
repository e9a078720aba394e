"""TPCx-HS's rules on TeraSort's programs: generate, sort and validate by the clock, twice; the slower run counts.

What the rules of TPC Express Benchmark HS say is kept: the phases, all of them timed, the checks of the data between
them, the metric, and that of two runs the one with the lower metric is the result. Their least scale factor, 1 TB,
their kit, prices and audit are not, and runs of other frameworks may lie between the two: it is not a TPC result.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from harness.hadoop.benchmarks.base import EXAMPLES, Cell, SizedSettings, metric, require
from harness.hadoop.benchmarks.terasort import ROW, RecordsBenchmark, verdict
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

GENERATED, SORTED, REPORT = "/tpcx-hs/generated", "/tpcx-hs/sorted", "/tpcx-hs/report"
METRIC = "hsph"
"""Scale factor over hours: terabytes of 10^12 bytes an hour, all phases counted."""
TERABYTE = 10**12
NO_RESULT = "not a TPC result"


def hsph(rows: int, seconds: float) -> float:
    """Return the metric of a run: its scale factor over the hours of all its phases."""
    return rows * ROW / TERABYTE / (seconds / 3600)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Says what two runs come to."""

    performance: float
    """The metric that counts."""
    repeatability: float
    """Of the other run, which is no slower."""
    counts: int
    """Repetition of the run that counts."""

    @property
    def apart(self) -> float:
        """How much more the other run has, as a share of what counts."""
        return self.repeatability / self.performance - 1


def outcome(runs: Mapping[int, float]) -> Outcome | None:
    """Return what the first two runs come to, by the metric of each valid run; None unless both are valid.

    Later repetitions are no part of it.
    """
    if not {1, 2} <= runs.keys():
        return None
    counts = min((1, 2), key=lambda rep: runs[rep])
    return Outcome(performance=runs[counts], repeatability=runs[3 - counts], counts=counts)


class TpcxHs(RecordsBenchmark[SizedSettings]):
    """Runs Hadoop's examples one after the other, with the framework's properties: its run makes its own input."""

    name = "tpcx-hs"
    settings_type = SizedSettings

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Generate, sort and validate. Raises InvalidOutput when data are not of the size that they are to have."""
        for path in (GENERATED, SORTED, REPORT):
            cell.hdfs.remove(path)
        copies = self.copies(cell)
        began = time.monotonic()
        phases = {
            "generation": self._phase(
                cell,
                f"{name}-generate",
                "teragen",
                {"mapreduce.job.maps": cell.map_slots},
                str(self.rows),
                GENERATED,
            )
        }
        self._require_data(cell, GENERATED, copies)
        replicas = {"mapreduce.terasort.output.replication": copies}
        phases["sort"] = self._phase(cell, name, "terasort", replicas, GENERATED, SORTED)
        self._require_data(cell, SORTED, copies)
        phases["validation"] = self._phase(cell, f"{name}-validate", "teravalidate", {}, SORTED, REPORT)
        seconds = time.monotonic() - began
        parts = {phase: result.seconds for phase, result in phases.items()}
        return JobResult(
            seconds,
            "".join(result.output for result in phases.values()),
            [job for result in phases.values() for job in result.jobs],
            sorted({daemon for result in phases.values() for daemon in result.disturbed}),
            parts={**parts, "data_checks": seconds - sum(parts.values())},
        )

    def _phase(
        self, cell: Cell, name: str, program: str, properties: Mapping[str, int], *arguments: str
    ) -> JobResult:
        words = [program, *cell.options(properties), *arguments]
        return cell.program(name, EXAMPLES, words, self.settings.timeout_s)

    def copies(self, cell: Cell) -> int:
        """Return how many replicas the data have: three, as the rules want, where there are workers enough."""
        return min(cell.cluster.parameters.replication, cell.workers)

    def _require_data(self, cell: Cell, path: str, copies: int) -> None:
        """Check that a data set has all its bytes and replicas, as the rules' data check does."""
        found, size = cell.hdfs.stored(path, "part-"), self.rows * ROW
        require(found.size == size, self.name, f"{path} has {found.size} bytes, expected {size}")
        require(
            found.replication == copies,
            self.name,
            f"{path} has {found.replication} replicas, expected {copies}",
        )

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that TeraValidate names no error, and that its checksum is the generator's."""
        report = cell.hdfs.read_parts(REPORT)
        checksum = verdict(report)
        require(bool(checksum), self.name, f"TeraValidate reports {report.strip()[:500]!r}")
        expected = format(result.jobs[0].counter("Counters", "CHECKSUM"), "x")
        require(checksum == expected, self.name, f"checksum as generated: {expected}, as sorted: {checksum}")
        for path in (GENERATED, SORTED, REPORT):
            cell.hdfs.remove(path)
        return (
            [
                metric(METRIC, hsph(self.rows, result.seconds), "TB/h", "measured:clock"),
                metric("scale_factor", self.rows * ROW / TERABYTE, "TB", "analytic"),
                metric("records", self.rows, "1", "analytic"),
                metric("replicas", self.copies(cell), "1", "measured:hdfs"),
            ],
            {"order": f"TeraValidate names no error; checksum {checksum} as generated; {NO_RESULT}"},
        )
