"""WordCount: how often each word occurs in a text."""

from __future__ import annotations

from harness.hadoop.benchmarks.base import EXAMPLES, Cell, InvalidOutput, metric, require
from harness.hadoop.benchmarks.text import READ_SEQUENCE, SEQUENCE_INPUT, TextBenchmark
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

OUTPUT = "/output/wordcount"


def counts_of(output: str, benchmark: str, word_first: bool = True) -> dict[str, int]:
    """Return words and counts of lines with a tab; raise InvalidOutput without any, or when a word comes twice."""
    found: dict[str, int] = {}
    for line in output.splitlines():
        first, tab, second = line.partition("\t")
        word, count = (first, second) if word_first else (second, first)
        if not tab or not count.isdigit() or word in found:
            raise InvalidOutput(f"{benchmark}: the output has the line {line[:100]!r}")
        found[word] = int(count)
    return found


def difference(found: dict[str, int], expected: dict[str, int]) -> str:
    """Return the first difference between two counts, as a sentence; '' when there is none."""
    for word in sorted(found.keys() | expected.keys()):
        if found.get(word) != expected.get(word):
            return f"{word!r} occurs {expected.get(word, 0)} times, the output says {found.get(word, 0)}"
    return ""


class WordCount(TextBenchmark):
    """Runs Hadoop's example."""

    name = "wordcount"
    output = OUTPUT

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Count."""
        cell.hdfs.remove(OUTPUT)
        options = cell.options({READ_SEQUENCE: SEQUENCE_INPUT})
        arguments = ["wordcount", *options, self.path(cell), OUTPUT]
        return cell.program(name, EXAMPLES, arguments, self.settings.timeout_s)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that every word's count is the one that a single process counted in the input."""
        expected = self.facts(cell)["words"]
        found = counts_of(cell.hdfs.read_parts(OUTPUT), self.name)
        wrong = difference(found, expected)
        require(not wrong, self.name, wrong)
        cell.hdfs.remove(OUTPUT)
        total = sum(found.values())
        return (
            [
                metric("words", total, "1", "measured:output"),
                metric("unique", len(found), "1", "measured:output"),
            ],
            {"counts": f"each of {len(found)} words as often as one process counted, {total} in all"},
        )
