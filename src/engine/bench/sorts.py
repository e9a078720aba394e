"""Compare sort-records with a single-thread sort and with GNU sort, on printable records of 100 bytes.

All programs take turns in every round, as in compare.py; each reads one file and writes the records in order. An output
whose bytes are not the yardstick's is an error; a time never is.
"""

import argparse
import hashlib
import shutil
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measured_run import CompareError, Usage, run
from output import add_launcher, positive, report_comparison, started_by, write_rows
from rich.table import Table

YARDSTICK = "sort-yardstick"
RECORD = 100
"""Bytes of a record."""


@dataclass(frozen=True)
class Program:
    """A program by the name it has in the table, and the cores that it can use."""

    name: str
    cores: int
    command: list[str]
    """With the places of input and output filled in; the output is a file, or a folder of parts."""


@dataclass(frozen=True)
class Measured:
    """One run of one program, and the yardstick's CPU seconds in the same round."""

    program: Program
    round: int
    usage: Usage
    base_cpu_s: float
    records: int

    @property
    def ratio(self) -> float:
        """CPU of everything that was started, over the yardstick's."""
        return self.usage.cpu_s / self.base_cpu_s

    @property
    def per_core(self) -> float:
        """Records per second of wall time and core."""
        return self.records / self.usage.wall_s / self.program.cores


def programs_of(folder: Path, launcher: str, data: Path, output: Path, records: int) -> list[Program]:
    """Return the programs, the yardstick first. GNU sort gets memory enough to sort all at once."""
    memory = max(64, 4 * records * RECORD >> 20)
    found = [Program(YARDSTICK, 1, [str(folder / YARDSTICK), str(data), "--output", str(output)])]
    for ranks in (1, 2):
        command = [*started_by(launcher, ranks), str(folder / "sort-records")]
        name = f"sort-records, {ranks} rank{'s' if ranks > 1 else ''}"
        found.append(Program(name, ranks, [*command, "--output", str(output), str(data)]))
    for threads in (1, 2):
        # By the bytes of a line, as the others.
        command = ["env", "LC_ALL=C", "sort", f"--parallel={threads}", f"--buffer-size={memory}M"]
        name = f"sort --parallel={threads}"
        found.append(Program(name, threads, [*command, "-o", str(output), str(data)]))
    return found


def digest(output: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files one after the other."""
    found = hashlib.sha256()
    for path in sorted(output.glob("part-*")) if output.is_dir() else [output]:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def remove(output: Path) -> None:
    """Remove a file or folder, if it is there."""
    if output.is_dir():
        shutil.rmtree(output)
    else:
        output.unlink(missing_ok=True)


def compare(
    programs: list[Program], output: Path, log: Path, records: int, rounds: int, say: Callable[[str], None]
) -> list[Measured]:
    """Run all programs in turns. The first turn of the yardstick, not kept, warms the page cache."""
    run(programs[0].command, log)
    expected = digest(output)
    measured: list[Measured] = []
    for turn in range(1, rounds + 1):
        base = 0.0
        for program in programs:
            say(f"round {turn} of {rounds}: {program.name}")
            remove(output)
            usage = run(program.command, log)
            base = base or usage.cpu_s
            if digest(output) != expected:
                raise CompareError(f"{program.name}: its output is not that of {YARDSTICK}")
            measured.append(Measured(program, turn, usage, base, records))
    return measured


def table_of(measured: list[Measured], records: int, rounds: int) -> Table:
    """Return medians over the rounds, with lowest and highest CPU ratio."""
    title = f"Sorting {records:,} records of {RECORD} bytes (median of n={rounds}, min..max)"
    table = Table(title=title, caption="CPU: user + system of all processes, launcher included.")
    for column in ("program", "CPU s", "ratio", "min..max", "wall s", "records/s/core"):
        table.add_column(column, justify="left" if column == "program" else "right", no_wrap=True)
    for name in dict.fromkeys(one.program.name for one in measured):
        runs = [one for one in measured if one.program.name == name]
        ratios = [one.ratio for one in runs]
        table.add_row(
            name,
            f"{statistics.median(one.usage.cpu_s for one in runs):.3f}",
            f"{statistics.median(ratios):.2f}",
            f"{min(ratios):.2f}..{max(ratios):.2f}",
            f"{statistics.median(one.usage.wall_s for one in runs):.3f}",
            f"{statistics.median(one.per_core for one in runs):,.0f}",
        )
    return table


def write_csv(measured: list[Measured], path: Path) -> None:
    """Write one row per run."""
    header = ["records", "program", "cores", "round", "cpu_s", "cpu_ratio", "wall_s", "records_per_s_core"]
    rows = [
        [
            *(one.records, one.program.name, one.program.cores, one.round),
            *(f"{value:.6f}" for value in (one.usage.cpu_s, one.ratio, one.usage.wall_s)),
            f"{one.per_core:.0f}",
        ]
        for one in measured
    ]
    write_rows(path, header, rows)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--records", type=positive, default=5_000_000, help="how many (default 5 million)")
    parser.add_argument("--unique", type=positive, help="most distinct keys (default: all may differ)")
    parser.add_argument("--rounds", type=positive, default=3, help="turns of every program (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the records")
    add_launcher(parser)
    parser.add_argument(
        "--scratch", type=Path, help="folder for the records (default: the system's for temporary files)"
    )
    parser.add_argument("--output", type=Path, help="CSV with one row per run")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the comparison; 0 unless something other than a time was wrong."""
    options = parse(arguments)

    def comparison(folder: Path, say: Callable[[str], None]) -> Table:
        bin_folder = options.bin.resolve()
        data, output, log = (folder / name for name in ("records", "sorted", "log"))
        command = [str(bin_folder / "generate"), "--format=records", "--ascii", f"--seed={options.seed}"]
        unique = [f"--unique={options.unique}"] if options.unique else []
        run([*command, *unique, f"--records={options.records}", f"--output={data}"], log)
        programs = programs_of(bin_folder, options.launcher, data, output, options.records)
        measured = compare(programs, output, log, options.records, options.rounds, say)
        if options.output:
            write_csv(measured, options.output)
        return table_of(measured, options.records, options.rounds)

    return report_comparison("sorts", options.scratch, comparison)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
