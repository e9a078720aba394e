"""Sort: a text's records in the order of their keys."""

from __future__ import annotations

from harness.hadoop.benchmarks.base import EXAMPLES, Cell, metric, require, require_equal
from harness.hadoop.benchmarks.text import TextBenchmark
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/sort"
FORMATS = "org.apache.hadoop.mapreduce.lib"


class Sort(TextBenchmark):
    """Runs Hadoop's example: keys go to reduce tasks by their hash, each task's file is sorted."""

    name = "sort"
    output = OUTPUT

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Sort, with as many reduce tasks as the parameters say."""
        cell.hdfs.remove(OUTPUT)
        arguments = ["sort", *cell.options(), "-r", str(self.reducers(cell))]
        arguments += ["-inFormat", f"{FORMATS}.input.SequenceFileInputFormat"]
        arguments += ["-outFormat", f"{FORMATS}.output.SequenceFileOutputFormat"]
        arguments += ["-outKey", "org.apache.hadoop.io.Text", "-outValue", "org.apache.hadoop.io.Text"]
        arguments += [self.path(cell), OUTPUT]
        return cell.program(name, EXAMPLES, arguments, self.settings.timeout_s)

    def reducers(self, cell: Cell) -> int:
        """Return the number of reduce tasks."""
        return cell.workers * cell.cluster.parameters.reducers_per_node

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that the output holds the input's records, each in the right file, each file in order."""
        facts = self.facts(cell)
        found = cell.check("kvasir.check.Records", [OUTPUT], self.settings.timeout_s)
        require_equal(self.name, ("records", "checksum"), found, facts, "the input")
        require(
            found["disorder"] == 0, self.name, f"{found['disorder']} records of the output are out of order"
        )
        require(found["misplaced"] == 0, self.name, f"{found['misplaced']} records are in a wrong file")
        cell.hdfs.remove(OUTPUT)
        return (
            [metric("records", found["records"], "1", "measured:output")],
            {"records": f"{found['records']} with checksum {found['checksum']} as in the input, in order"},
        )
