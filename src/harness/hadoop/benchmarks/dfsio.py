"""TestDFSIO: throughput of HDFS, each map task writes or reads one file. Its MB, and ours here, are 2^20 bytes."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, PositiveInt

from harness.hadoop.benchmarks.base import MIB, Benchmark, Cell, Settings, metric, require
from harness.hadoop.history import JobHistory
from harness.hadoop.jobs import JobResult
from harness.results.records import Metric

DRIVER = "org.apache.hadoop.test.MapredTestDriver"
FOLDER = "/input/dfsio"
LABELS = {
    "files": "Number of files",
    "processed": "Total MBytes processed",
    "per_stream": "Throughput mb/sec",
    "rate": "Average IO rate mb/sec",
    "deviation": "IO rate std deviation",
    "seconds": "Test exec time sec",
}


class DfsioSettings(Settings):
    """Number and size of the files."""

    files: PositiveInt = 8
    file_mb: PositiveInt = Field(default=32, description="2^20 bytes")


def report(output: str) -> dict[str, float]:
    """Return the numbers that TestDFSIO prints, by the keys of LABELS; those it does not print are missing."""
    found = {}
    for key, label in LABELS.items():
        if match := re.search(rf"{re.escape(label)}: *([0-9.eE+-]+) *$", output, re.MULTILINE):
            found[key] = float(match[1])
    return found


def map_seconds(job: JobHistory) -> float:
    """Return the time from the start of the first map task to the end of the last, seconds."""
    spans = [span for span in job.spans if span.phase == "map"]
    return max(span.end_s for span in spans) - min(span.start_s for span in spans)


class Dfsio(Benchmark[DfsioSettings]):
    """Runs TestDFSIO to write or to read."""

    settings_type = DfsioSettings
    operation: str

    @classmethod
    def for_tasks(cls, settings: dict[str, Any], tasks: int) -> dict[str, Any]:
        """Return settings with a file for each task and about the same data; files have a megabyte at least."""
        written = DfsioSettings.model_validate(settings)
        if written.files >= tasks:
            return settings
        return {
            **settings,
            "files": tasks,
            "file_mb": max(1, round(written.files * written.file_mb / tasks)),
        }

    @property
    def data_mb(self) -> int:
        """Size of the files, 2^20 bytes."""
        return self.settings.files * self.settings.file_mb

    @property
    def _key(self) -> str:
        return f"dfsio {self.settings.files} x {self.settings.file_mb}"

    def _go(self, cell: Cell, operation: str, name: str) -> JobResult:
        if operation == "write":  # TestDFSIO deletes all files before
            for key in [key for key in cell.made if key.startswith("dfsio ")]:
                del cell.made[key]
        results = cell.cluster.folder / "logs" / f"{name}.results"
        arguments = ["TestDFSIO", *cell.options({"test.build.data": FOLDER}), f"-{operation}"]
        arguments += ["-nrFiles", str(self.settings.files), "-size", f"{self.settings.file_mb}MB"]
        return cell.program(name, DRIVER, [*arguments, "-resFile", str(results)], self.settings.timeout_s)

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Write or read all files."""
        return self._go(cell, self.operation, name)

    def validate(self, cell: Cell, result: JobResult) -> tuple[list[Metric], dict[str, str]]:
        """Check that TestDFSIO has processed all files, and that they are there in full length."""
        files, total = self.settings.files, self.settings.files * self.settings.file_mb
        said = report(result.output)
        require(
            said.keys() == LABELS.keys(), self.name, f"TestDFSIO reports only {', '.join(said) or 'nothing'}"
        )
        require(said["files"] == files, self.name, f"{said['files']:g} files processed instead of {files}")
        require(
            abs(said["processed"] - total) < 0.01 * files,
            self.name,
            f"{said['processed']:g} MB processed instead of {total}",
        )
        usage = cell.hdfs.usage(f"{FOLDER}/io_data")
        require(
            (usage.files, usage.size) == (files, total * MIB),
            self.name,
            f"{usage.files} files of {usage.size} bytes are there instead of {files} of {total * MIB}",
        )
        moved = result.counter(
            "FileSystemCounter", f"HDFS_BYTES_{'READ' if self.operation == 'read' else 'WRITTEN'}"
        )
        require(moved >= total * MIB, self.name, f"{moved} bytes were moved instead of {total * MIB}")
        span = sum(map_seconds(job) for job in result.jobs)
        source = "measured:testdfsio"
        return (
            [
                # A stream's bytes by its own time; the whole: all bytes by the time that any map task ran.
                metric("throughput.stream", said["per_stream"], "MB/s", source),
                metric("throughput.aggregate", total / span, "MB/s", "measured:history"),
                metric("io.rate", said["rate"], "MB/s", source),
                metric("io.rate.deviation", said["deviation"], "MB/s", source),
                metric("stored", usage.stored, "B", "measured:namenode"),
                metric("files", usage.files, "1", "measured:namenode"),
                metric("files.bytes", usage.size, "B", "measured:namenode"),
            ],
            {
                "files": f"{files} files of {self.settings.file_mb} MiB, all processed and there in full length"
            },
        )


class DfsioWrite(Dfsio):
    """Writes files anew."""

    name = "dfsio-write"
    operation = "write"

    def execute(self, cell: Cell, name: str) -> JobResult:
        """Write all files; they serve for reading if that comes next."""
        result = super().execute(cell, name)
        cell.made[self._key] = True
        return result


class DfsioRead(Dfsio):
    """Reads files that were written before."""

    name = "dfsio-read"
    operation = "read"

    def prepare(self, cell: Cell) -> None:
        """Write the files, unless they are there."""

        def write() -> bool:
            self._go(cell, "write", "dfsio-input")
            return True

        cell.once(self._key, write)
