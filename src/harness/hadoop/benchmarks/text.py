"""Makes the text that WordCount, Sort and Grep work on, by Hadoop's RandomTextWriter, and counts in it."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PositiveInt

from harness.hadoop.benchmarks.base import EXAMPLES, MIB, Benchmark, Cell, SizedSettings
from harness.hadoop.jobs import generic_options

TEXT = "/input/text"
READ_SEQUENCE = "mapreduce.job.inputformat.class"
SEQUENCE_INPUT = "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat"


class TextSettings(SizedSettings):
    """Size of the text. Benchmarks of one cluster that name the same size and pattern share it."""

    files: PositiveInt | None = Field(
        default=None, description="files of the text, one map task writes each; none: one per map slot"
    )
    pattern: str = Field(default="[a-z]*ness", min_length=1, description="what Grep looks for (Java)")


class TextBenchmark(Benchmark[TextSettings]):
    """Reads the text."""

    settings_type = TextSettings

    def prepare(self, cell: Cell) -> None:
        """Write the text and count in it."""
        self.facts(cell)

    def facts(self, cell: Cell) -> dict[str, Any]:
        """Return what is in the text: records, checksum, occurrences of words and of the pattern's matches."""
        settings = self.settings
        path = self.path(cell)
        self._write(cell, path)
        return cell.once(
            f"{path} {settings.pattern}",
            lambda: cell.check("kvasir.check.Records", [path, settings.pattern], settings.timeout_s),
        )

    def files(self, cell: Cell) -> int:
        """Return the number of files of the text."""
        return self.settings.files or cell.map_slots

    def path(self, cell: Cell) -> str:
        """Return the path of the text."""
        return f"{TEXT}-{self.settings.data_mb}-{self.files(cell)}"

    def input(self, cell: Cell) -> str:
        """Return the folder of the text."""
        return self.path(cell)

    def _write(self, cell: Cell, path: str) -> None:
        total = self.settings.data_mb * MIB
        sizes = {
            "mapreduce.randomtextwriter.totalbytes": total,
            # RandomTextWriter starts total / bytespermap map tasks, rounded down.
            "mapreduce.randomtextwriter.bytespermap": total // self.files(cell),
        }
        program, arguments = [EXAMPLES, "randomtextwriter"], generic_options(sizes)
        cell.generated(path, program[1], program, arguments, self.settings.timeout_s)
