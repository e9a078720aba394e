"""Grep: how often each match of a pattern occurs in a text, the most frequent first."""

from __future__ import annotations

from harness.hadoop.benchmarks.base import EXAMPLES, Cell, metric, require
from harness.hadoop.benchmarks.text import READ_SEQUENCE, SEQUENCE_INPUT, TextBenchmark
from harness.hadoop.benchmarks.wordcount import counts_of, difference
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/grep"


class Grep(TextBenchmark):
    """Runs Hadoop's example: a job that counts, and one that sorts."""

    name = "grep"
    output = OUTPUT

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Search."""
        cell.hdfs.remove(OUTPUT)
        options = cell.options({READ_SEQUENCE: SEQUENCE_INPUT})
        arguments = ["grep", *options, self.path(cell), OUTPUT, self.settings.pattern]
        return cell.program(name, EXAMPLES, arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that every match is there as often as one process found it, in falling order."""
        found = counts_of(cell.hdfs.read_parts(OUTPUT), self.name, word_first=False)
        wrong = difference(found, self.facts(cell)["matches"])
        require(not wrong, self.name, wrong)
        counts = list(found.values())
        require(counts == sorted(counts, reverse=True), self.name, "the output is not in falling order")
        cell.hdfs.remove(OUTPUT)
        return (
            [metric("matches", sum(counts), "1", "measured:output")],
            {"matches": f"each of {len(counts)} matches as often as one process found it, in falling order"},
        )
