"""Compare variants of Hadoop on one emulated cluster, as ratios to the first of them.

All variants take turns in every round (A B, B A, A B ...), so that a busy machine disturbs them alike, and a ratio is
that of two runs of one round. CPU is user and system time of all hosts: daemons, application masters, tasks, client.
An output that is wrong is an error; a time never is.
"""

from __future__ import annotations

import argparse
import csv
import math
import shutil
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter
from rich.console import Console
from rich.table import Table

from harness.config.hadoop import Parameters, Properties
from harness.config.load import parse, read_yaml
from harness.core.errors import KvasirError
from harness.core.models import Strict
from harness.hadoop.assembly import assemble, provide_plugins
from harness.hadoop.benchmarks import CLASSES, Benchmark, Cell, make
from harness.hadoop.cluster import cluster, settle
from harness.hadoop.history import JobHistory
from harness.hadoop.jobs import JobResult, left_to_stock
from harness.hadoop.plugins import job_properties, load_plugins
from harness.hosts import Hosts, HostsSettings, hosts, refusal

VERSION = "3.4.2"
SOURCE, BUILDS = Path("src/hadoop"), Path("build/hadoop")
VARIANTS = SOURCE / "bench/variants.yaml"
NETWORK = "ib"
MIB = 1 << 20
# As at scale laptop: one task of a kind on a worker.
PARAMETERS = {
    "mappers_per_node": 1,
    "reducers_per_node": 1,
    "heap_mb": 300,
    "am_heap_mb": 300,
    "io_sort_mb": 32,
    "task_compiler": "c1",
}
SETTINGS = {"terasort": {"samples": 5_000, "sampled_splits": 1}}
SIZED = ("terasort", "wordcount", "sort", "grep")
"""Benchmarks whose data are megabytes."""


class Variant(Strict):
    """Describes a variant: its plug-ins and properties of its jobs."""

    plugins: list[str] = Field(default_factory=list)
    job_properties: Properties = Field(default_factory=dict)


FILE: TypeAdapter[dict[str, Variant]] = TypeAdapter(dict[str, Variant])


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Describes one run of one variant."""

    benchmark: str
    variant: str
    round: int
    total_s: float
    """From the start of the client to its end."""
    work_s: float
    """From the first task's start to the job's end."""
    maps_s: float
    """Of that, to the end of the last map."""
    shuffle_s: float
    """From there until the last reduce has what it needs to begin."""
    reduce_s: float
    """From there to the job's end."""
    cpu_s: float
    received: int
    """Bytes that all hosts together received over the network, from the client's start to its end."""
    crowded: int
    """Reduces on the host that has the most, by the job with the most there: it receives so many times its share."""
    shuffled: int
    """Bytes that reduces fetched, from their own hosts as well."""
    reduces_wrote: int
    """Bytes that reduces wrote to local disks."""


def counted(result: JobResult, group: str, name: str) -> int:
    """Return a counter of the reduces of all jobs."""
    return sum(job.reduce_counters.get(group, {}).get(name, 0) for job in result.jobs)


def crowded(job: JobHistory) -> int:
    """Return how many reduces the host with the most has run; 0 without reduces."""
    placed = {span.attempt: span.host for span in job.spans if span.phase == "reduce"}
    return max(Counter(placed.values()).values(), default=0)


def phases(job: JobHistory) -> tuple[float, float, float]:
    """Return the seconds of a job until its last map ended, then until its last reduce could begin, and the rest."""
    maps = max(span.end_s for span in job.spans if span.phase == "map")
    ready = max((span.start_s for span in job.spans if span.phase == "reduce"), default=maps)
    return maps - job.first_task_s, ready - maps, job.finished_s - ready


def used(started: Hosts) -> tuple[float, int]:
    """Return the CPU seconds of all hosts' processes so far, and the bytes that they have received."""
    counters = [host.counters() for host in started]
    return sum(one.cpu_s for one in counters), sum(one.interfaces[NETWORK].received for one in counters)


def one_turn(started: Hosts, cell: Cell, benchmark: Benchmark[Any], name: str, number: int) -> Turn:
    """Run a variant once and check its output."""
    settle(cell.cluster)
    cpu_before, received_before = used(started)
    result = benchmark.execute(cell, f"{benchmark.name}-{name}-{number}")
    settle(cell.cluster)
    cpu_s, received = used(started)
    if left := left_to_stock(result):
        raise KvasirError(f"{benchmark.name} {name}: {left} reduce attempts were left to the stock shuffle")
    with started.unlimited():
        benchmark.validate(cell, result)
    maps_s, shuffle_s, reduce_s = (sum(times) for times in zip(*map(phases, result.jobs), strict=True))
    return Turn(
        benchmark=benchmark.name,
        variant=name,
        round=number,
        total_s=result.seconds,
        work_s=result.work_seconds,
        maps_s=maps_s,
        shuffle_s=shuffle_s,
        reduce_s=reduce_s,
        cpu_s=cpu_s - cpu_before,
        received=received - received_before,
        crowded=max(map(crowded, result.jobs)),
        shuffled=counted(result, "TaskCounter", "REDUCE_SHUFFLE_BYTES"),
        reduces_wrote=counted(result, "FileSystemCounter", "FILE_BYTES_WRITTEN"),
    )


def take_turns(
    started: Hosts,
    cells: dict[str, Cell],
    benchmarks: Sequence[Benchmark[Any]],
    rounds: int,
    say: Callable[[str], None],
) -> Iterator[Turn]:
    """Run every variant of every benchmark in every round, each time another one first."""
    names = list(cells)
    for benchmark in benchmarks:
        with started.unlimited():
            benchmark.prepare(cells[names[0]])
        for number in range(1, rounds + 1):
            first = (number - 1) % len(names)
            for name in names[first:] + names[:first]:
                say(f"{benchmark.name}, round {number} of {rounds}: {name}")
                yield one_turn(started, cells[name], benchmark, name, number)


@contextmanager
def cells_of(
    options: argparse.Namespace, variants: dict[str, Variant]
) -> Iterator[tuple[Hosts, dict[str, Cell]]]:
    """Start one cluster with the plug-ins of all variants; yield its hosts and a cell for each variant."""
    settings = HostsSettings.parse(
        {"kind": "emulated", "default": NETWORK, "interfaces": {NETWORK: {"rate_mbit_s": options.rate}}}
    )
    if why := refusal(settings):
        raise KvasirError(f"no emulated hosts: {why}")
    hadoop = assemble(SOURCE, VERSION, BUILDS / VERSION, None)
    plugins = load_plugins(name for variant in variants.values() for name in variant.plugins)
    provide_plugins(SOURCE, VERSION, hadoop.plugins, plugins.values())
    block = max(1, math.ceil(options.mb / (options.waves * options.workers)))
    # Each host has every block: a map that reads its own over the link costs seconds, in whichever variant it happens.
    everywhere = {"block_size_mb": block, "replication": options.workers}
    parameters = Parameters.model_validate({**PARAMETERS, **everywhere})
    folder = Path("build/bench-hadoop").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    with (
        hosts(settings, options.workers + 1) as started,
        cluster(started, hadoop, parameters, folder, NETWORK, "ssd", tuple(plugins.values())) as made,
    ):
        shared = Cell(made)
        yield (
            started,
            {
                name: replace(
                    shared,
                    job_properties=job_properties(
                        variant.job_properties, load_plugins(variant.plugins).values()
                    ),
                )
                for name, variant in variants.items()
            },
        )


def spread(ratios: Sequence[float]) -> str:
    """Return median and range of ratios."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"


def table_of(turns: Sequence[Turn], title: str) -> Table:
    """Return medians over the rounds and ratios within rounds."""
    table = Table(title=title)
    for column in ("benchmark", "variant", "work s", "work ratio", "total ratio", "CPU s", "CPU ratio"):
        table.add_column(
            column, justify="left" if column in ("benchmark", "variant") else "right", no_wrap=True
        )
    for column in ("maps s", "shuffle s", "reduce s"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("received MiB", justify="right", no_wrap=True)
    table.add_column("reduces at most", justify="right", no_wrap=True)
    table.add_column("shuffled MiB", justify="right", no_wrap=True)
    table.add_column("reduces wrote MiB", justify="right", no_wrap=True)
    median = statistics.median
    for benchmark in dict.fromkeys(turn.benchmark for turn in turns):
        rows = sorted((turn for turn in turns if turn.benchmark == benchmark), key=lambda turn: turn.round)
        names = list(dict.fromkeys(turn.variant for turn in turns))
        base = {turn.round: turn for turn in rows if turn.variant == names[0]}
        for name in names:
            mine = [turn for turn in rows if turn.variant == name]
            table.add_row(
                benchmark,
                name,
                f"{median(turn.work_s for turn in mine):.2f}",
                spread([turn.work_s / base[turn.round].work_s for turn in mine]),
                spread([turn.total_s / base[turn.round].total_s for turn in mine]),
                f"{median(turn.cpu_s for turn in mine):.1f}",
                spread([turn.cpu_s / base[turn.round].cpu_s for turn in mine]),
                f"{median(turn.maps_s for turn in mine):.1f}",
                f"{median(turn.shuffle_s for turn in mine):.1f}",
                f"{median(turn.reduce_s for turn in mine):.1f}",
                f"{median(turn.received for turn in mine) / MIB:.1f}",
                f"{max(turn.crowded for turn in mine)}",
                f"{median(turn.shuffled for turn in mine) / MIB:.1f}",
                f"{median(turn.reduces_wrote for turn in mine) / MIB:.1f}",
            )
    return table


def write_csv(turns: Sequence[Turn], path: Path) -> None:
    """Write one row for each run."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, [field.name for field in fields(Turn)], lineterminator="\n")
        rows.writeheader()
        rows.writerows(asdict(turn) for turn in turns)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--variants", type=Path, default=VARIANTS, help=f"file of variants (default {VARIANTS})"
    )
    parser.add_argument(
        "--benchmarks", nargs="+", choices=SIZED, default=["terasort", "wordcount"], help="(default both)"
    )
    parser.add_argument("--workers", type=int, default=4, help="hosts beside the master (default 4)")
    parser.add_argument("--rate", type=float, default=25, help="Mbit/s of each host's link (default 25)")
    parser.add_argument("--mb", type=int, default=192, help="MB of each benchmark's data (default 192)")
    parser.add_argument("--waves", type=int, default=3, help="map tasks of each slot (default 3)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of every variant (default 5)")
    parser.add_argument("--output", type=Path, help="CSV with one row per run")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the comparison; return 0 unless something other than a time was wrong."""
    options = parsed(arguments)
    if min(options.workers, options.rate, options.mb, options.waves, options.rounds) < 1:
        print("compare: all numbers must be 1 or more", file=sys.stderr)
        return 2
    errors = Console(stderr=True)
    turns: list[Turn] = []
    try:
        variants = parse(FILE, read_yaml(options.variants), str(options.variants))
        benchmarks = [
            make(name, {"data_mb": options.mb, **SETTINGS.get(name, {})})
            for name in CLASSES
            if name in options.benchmarks
        ]
        with cells_of(options, variants) as (started, cells), errors.status("") as status:
            for turn in take_turns(started, cells, benchmarks, options.rounds, status.update):
                turns.append(turn)
                errors.print(
                    f"{turn.benchmark} {turn.round} {turn.variant}: work {turn.work_s:.1f} s, CPU {turn.cpu_s:.1f} s"
                )
                if options.output:
                    write_csv(turns, options.output)
    except (KvasirError, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    title = (
        f"{options.mb} MB on 1 + {options.workers} hosts, {options.rate:g} Mbit/s, {options.waves} waves of maps "
        f"(n = {options.rounds}); ratios: median (range)"
    )
    # Where the output is no terminal its width is a guess; a table is printed whole.
    table, console = table_of(turns, title), Console()
    wide = console.options.update(width=1000)
    console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(table)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
