"""Compare the engine's mini-apps, DuckDB and Polars with the single-thread yardstick, as CPU ratios on texts.

All programs take turns in every round (A B C A B C ...), so that a busy machine disturbs them alike. CPU is user and
system time of a program with everything it started, MPI's launcher and its waiting included. A program whose counts
differ from the yardstick's is an error; a time never is.
"""

import argparse
import json
import mmap
import shlex
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from databases import DATABASES, WHITE_SPACE, can_read
from measured_run import CompareError, Usage, run
from output import add_launcher, positive, report_comparison, started_by, write_rows
from rich.table import Table

YARDSTICK = "yardstick"
MEBI = 1 << 20

# Distinct words of a text of N words, and the generator's options for it. 1,111,104 is the paper's "1M"; smaller
# texts have a quarter of their words distinct instead. u4m is that quarter at any size (4 M at 16 M words).
DATASETS: dict[str, tuple[Callable[[int], int], list[str]]] = {
    "u72": (lambda words: min(72, words), []),
    "u5k": (lambda words: min(5000, words), []),
    "zipf": (lambda words: min(1_111_104, words // 4 or 1), ["--distribution=zipf", "--exponent=1"]),
    "u1m": (lambda words: min(1_111_104, words // 4 or 1), []),
    "u4m": (lambda words: words // 4 or 1, []),
}


SETTINGS = {
    "reduce-by-key": {
        "": "",
        ", paper's": "--strategy partition-full",
        ", by-fill": "--strategy by-fill --combine-switch on",
    },
    "group-by-key": {"": "", ", paper's": "--strategy partition-full"},
}
"""Options of the mini-apps by what the table calls them: the default, the paper's exchange, and the one that is best
where few keys repeat."""


@dataclass(frozen=True)
class Report:
    """What a program says of itself: words, distinct words and checksum, if it makes one; CPU seconds of the job,
    without the start of MPI or of a database; bytes of resident memory at the peak, summed over ranks."""

    counts: tuple[int, int, int | None]
    job_cpu_s: float
    peak: int


@dataclass(frozen=True)
class Measured:
    """One run of one program on one text, and the yardstick's run in the same round."""

    data: str
    words: int
    unique: int
    bytes: int
    program: str
    round: int
    usage: Usage
    report: Report
    base: "Measured | None" = None

    @property
    def ratio(self) -> float:
        """CPU of everything that was started, over the yardstick's."""
        return self.usage.cpu_s / self.base.usage.cpu_s if self.base else 1.0

    @property
    def job_ratio(self) -> float:
        """CPU of the job alone, over the yardstick's."""
        return self.report.job_cpu_s / self.base.report.job_cpu_s if self.base else 1.0


def report_of(report: Path) -> Report:
    """The numbers of a program's report that are compared."""
    try:
        metrics = json.loads(report.read_text(encoding="utf-8"))["metrics"]
        words, keys = (int(metrics[name]["value"]) for name in ("words", "keys"))
        checksum = metrics["output.checksum"]["value"]
        return Report(
            (words, keys, None if checksum is None else int(checksum)),
            float(metrics["cpu.total"]["value"]),
            int(metrics["mem.peak"]["value"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CompareError(
            f"{report.name}: expected JSON with metrics words, keys, output.checksum, cpu.total and mem.peak: {error!r}"
        ) from error


def engine_candidates(programs: Path, launcher: str, options: str) -> dict[str, str]:
    """Command of each program of the engine, by the name it has in the table."""
    return {
        f"{app}{name}, {ranks} rank{'s' if ranks > 1 else ''}": shlex.join(
            [*started_by(launcher, ranks), str(programs / app)]
        )
        + f" {setting} {options} --report {{report}} {{input}}"
        for app, settings in SETTINGS.items()
        for name, setting in settings.items()
        for ranks in (1, 2)
    }


def database_candidates() -> dict[str, str]:
    """Command of each database, by the name it has in the table."""
    script = shlex.join([sys.executable, str(Path(__file__).with_name("databases.py"))])
    return {
        f"{name}, 2 threads": f"{script} {key} --threads 2 --white-space {{white-space}}"
        " --report {report} {input}"
        for key, (name, _) in DATABASES.items()
    }


def filled(template: str, places: dict[str, str]) -> list[str]:
    """Words of a command, with those of `places` replaced; other braces stay."""
    return [places.get(word, word) for word in shlex.split(template)]


def white_space_in(text: Path) -> str:
    """Codes of the white space in a text besides space and newline, with commas between."""
    if text.stat().st_size == 0:
        return ""
    with text.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return ",".join(str(code) for code in WHITE_SPACE if content.find(bytes([code])) != -1)


def generate(programs: Path, name: str, words: int, seed: int, folder: Path) -> tuple[Path, dict[str, int]]:
    """Make the text `name`; returns it and the facts the generator reports."""
    unique, options = DATASETS[name]
    text, report = folder / f"{name}.txt", folder / f"{name}.json"
    command = [str(programs / "generate"), f"--words={words}", f"--unique={unique(words)}", f"--seed={seed}"]
    run([*command, *options, f"--output={text}", f"--report={report}"], folder / "log")
    return text, json.loads(report.read_text(encoding="utf-8"))


def compare(
    name: str,
    commands: dict[str, str],
    text: Path,
    folder: Path,
    facts: dict[str, int] | None,
    rounds: int,
    say: Callable[[str], None],
) -> list[Measured]:
    """Runs of all programs on one text, in turns. The first turn of the yardstick, not kept, warms the page cache.

    `facts` are those that the text's generator reports; none: it is a user's.
    """
    report, log = folder / "report.json", folder / "log"
    places = {"{input}": str(text), "{report}": str(report), "{white-space}": white_space_in(text)}
    run(filled(commands[YARDSTICK], places), log)
    expected = report_of(report).counts
    if facts and expected[:2] != (facts["words"], facts["unique"]):
        raise CompareError(f"{name}: the yardstick counts {expected[:2]}, the generator made {facts}")
    measured: list[Measured] = []
    for turn in range(1, rounds + 1):
        base: Measured | None = None
        for program, command in commands.items():
            say(f"{name}, round {turn} of {rounds}: {program}")
            report.unlink(missing_ok=True)
            usage = run(filled(command, places), log)
            said = report_of(report)
            if said.counts not in (expected, (*expected[:2], None)):
                raise CompareError(
                    f"{name}: {program}: words, keys and checksum are {said.counts}, the yardstick's {expected}"
                )
            text_facts = (name, *expected[:2], text.stat().st_size)
            measured.append(Measured(*text_facts, program, turn, usage, said, base))
            base = base or measured[-1]
    return measured


def table_of(measured: list[Measured], rounds: int, notes: list[str]) -> Table:
    """Medians over the rounds, with lowest and highest CPU ratio; `notes` stand below."""
    table = Table(title=f"CPU against the single-thread yardstick (median of n={rounds}, min..max)")
    columns = (
        "data",
        "words",
        "distinct",
        "program",
        "CPU s",
        "ratio",
        "min..max",
        "job ratio",
        "wall s",
        "peak MiB",
    )
    for column in columns:
        table.add_column(column, justify="left" if column in ("data", "program") else "right", no_wrap=True)
    groups: dict[tuple[str, str], list[Measured]] = {}
    for one in measured:
        groups.setdefault((one.data, one.program), []).append(one)
    last = ""
    for (data, program), runs in groups.items():
        if last and data != last:
            table.add_section()
        ratios = [one.ratio for one in runs]
        table.add_row(
            *(["", "", ""] if data == last else [data, str(runs[0].words), str(runs[0].unique)]),
            program,
            f"{statistics.median(one.usage.cpu_s for one in runs):.3f}",
            f"{statistics.median(ratios):.2f}",
            f"{min(ratios):.2f}..{max(ratios):.2f}",
            f"{statistics.median(one.job_ratio for one in runs):.2f}",
            f"{statistics.median(one.usage.wall_s for one in runs):.3f}",
            f"{statistics.median(one.report.peak for one in runs) / MEBI:.0f}",
        )
        last = data
    columns_note = (
        "CPU: user + system of all processes, launcher included. Peak: resident memory, sum of the ranks."
    )
    table.caption = "\n".join([columns_note, *notes])
    return table


def write_csv(measured: list[Measured], path: Path) -> None:
    """Write one row per run."""
    columns = (
        "data,words,unique,bytes,program,round,cpu_s,cpu_ratio,job_cpu_s,job_cpu_ratio,wall_s,peak_rss_bytes"
    )
    rows = []
    for one in measured:
        cpu = (one.usage.cpu_s, one.ratio, one.report.job_cpu_s, one.job_ratio, one.usage.wall_s)
        text = (one.data, one.words, one.unique, one.bytes)
        rows.append([*text, one.program, one.round, *(f"{value:.6f}" for value in cpu), one.report.peak])
    write_rows(path, columns.split(","), rows)


def candidate(text: str) -> tuple[str, str]:
    """NAME=COMMAND, for argparse."""
    name, equals, command = text.partition("=")
    if not name or not equals or "{input}" not in command or "{report}" not in command:
        raise argparse.ArgumentTypeError(
            f"found '{text}', expected NAME=COMMAND with {{input}} and {{report}} in it"
        )
    return name, command


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bin", type=Path, required=True, help="folder of the built programs")
    parser.add_argument(
        "--words", type=positive, default=8_000_000, help="words of each text (default 8 million)"
    )
    parser.add_argument("--rounds", type=positive, default=3, help="turns of every program (default 3)")
    parser.add_argument("--data", nargs="*", choices=DATASETS, default=list(DATASETS), help="which texts")
    parser.add_argument(
        "--text",
        type=Path,
        action="append",
        default=[],
        help="a text of your own besides, without the databases if it is not UTF-8 (may be repeated)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the texts")
    add_launcher(parser)
    parser.add_argument("--app-options", default="", help="more options of the mini-apps, in one string")
    parser.add_argument(
        "--candidate",
        type=candidate,
        action="append",
        help="NAME=COMMAND to compare instead of the mini-apps, {input} and {report} in it (may be repeated)",
    )
    parser.add_argument(
        "--scratch", type=Path, help="folder for the texts (default: the system's for temporary files)"
    )
    parser.add_argument("--output", type=Path, help="CSV with one row per run")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the comparison; 0 unless something other than a time was wrong."""
    options = parse(arguments)
    programs = options.bin.resolve()
    if options.candidate:
        candidates, databases = dict(options.candidate), {}
    else:
        candidates = engine_candidates(programs, options.launcher, options.app_options)
        databases = database_candidates()
    yardstick = f"{shlex.quote(str(programs / 'wordcount-yardstick'))} --report {{report}} {{input}}"
    commands = {YARDSTICK: yardstick, **candidates}

    def comparison(folder: Path, say: Callable[[str], None]) -> Table:
        measured: list[Measured] = []
        notes: list[str] = []
        for name in options.data:
            say(f"{name}: generating")
            text, facts = generate(programs, name, options.words, options.seed, folder)
            measured += compare(name, commands | databases, text, folder, facts, options.rounds, say)
            text.unlink()
        for text in options.text:
            usable = commands | databases
            if databases and not can_read(text):
                usable = commands
                notes.append(f"{text.stem}: without databases, which need UTF-8 without control characters.")
            measured += compare(text.stem, usable, text.resolve(), folder, None, options.rounds, say)
        if options.output:
            write_csv(measured, options.output)
        return table_of(measured, options.rounds, notes)

    return report_comparison("compare", options.scratch, comparison)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
