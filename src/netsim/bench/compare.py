"""Compare netsim with ns-3 and ns-2 on the same shuffle, as packet hops per CPU second, and netsim with itself over
sizes.

All programs take turns in every round (A B C A B C ...), so that a busy machine disturbs them alike. CPU is user and
system time of the whole process. Each program also runs a tiny shuffle; the marginal rate is that of what the full one
adds, so that the time for setting up (large in ns-2, whose scripts are interpreted) does not count. A program that
carries clearly other traffic is an error; a time never is.
"""

import argparse
import csv
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rivals import CompareError, Outcome, Runner, found, jobs_config, shuffle_config

MEBI = 1 << 20
TABLE_WIDTH = 132
# Hops of rivals differ by connection set-up, ends and bridges' floods. Less agreement means another workload.
MOST_DIFFERENCE = 0.15
# Hosts (of two racks where the second number is 0, else of a fat tree of switches with so many ports), MB per core of a
# shuffle in which all hosts take part, jobs of a stream with as many per host.
SCALING = ((24, 0, 64.0, 5), (80, 0, 16.0, 16), (250, 10, 4.0, 49), (1024, 16, 4.0, 200))


@dataclass(frozen=True)
class Turn:
    """One program in one round: the full shuffle and the tiny one."""

    program: str
    round: int
    full: Outcome
    tiny: Outcome

    @property
    def marginal(self) -> float:
        """Hops per CPU second of what the full shuffle has more than the tiny one."""
        more = self.full.cpu_s - self.tiny.cpu_s
        return (self.full.hops - self.tiny.hops) / more if more > 0 else 0.0


def fetch_bytes(config: dict) -> int:
    """Bytes of one fetch, as netsim reckons: what two cores of a worker make, shared by all reducers."""
    reducers = (config["topology"]["nodes"] - 1) * config["shuffle"]["reducers_per_worker"]
    return int(config["shuffle"]["mb_per_core"] * MEBI * 2 / reducers)


def take_turns(
    runners: dict[str, Runner], full: dict, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Turn]:
    """Every program in every round. Errors when hops are too far from netsim's."""
    tiny = {**full, "shuffle": {**full["shuffle"], "mb_per_core": 0.01}}
    turns: list[Turn] = []
    for turn in range(1, rounds + 1):
        for program, runner in runners.items():
            say(f"round {turn} of {rounds}: {program}")
            turns.append(Turn(program, turn, runner(full, folder), runner(tiny, folder)))
            own = turns[turn * len(runners) - len(runners)].full.hops
            if abs(turns[-1].full.hops / own - 1) > MOST_DIFFERENCE:
                raise CompareError(
                    f"{program} has {turns[-1].full.hops:.0f} hops, netsim {own:.0f}: not the same shuffle"
                )
    return turns


def by_program(turns: list[Turn]) -> Iterator[tuple[str, list[Turn]]]:
    """Programs in the order of their first turn, with their turns."""
    for program in dict.fromkeys(turn.program for turn in turns):
        yield program, [turn for turn in turns if turn.program == program]


def rivals_table(turns: list[Turn], title: str) -> Table:
    """Medians over the rounds; ratios are of rounds, so that what disturbed a round disturbed both sides."""
    table = Table(title=f"{title}; rates per CPU second")
    for column in (
        "program",
        "M hops",
        "simulated s",
        "CPU s",
        "k hops/s",
        "netsim faster",
        "min..max",
    ):
        table.add_column(column, justify="left" if column == "program" else "right", no_wrap=True)
    for column in ("marginal k/s", "faster", "peak MiB"):
        table.add_column(column, justify="right", no_wrap=True)
    own = next(by_program(turns))[1]
    for program, runs in by_program(turns):
        ratios = [mine.full.rate / run.full.rate for mine, run in zip(own, runs, strict=True)]
        marginals = [
            mine.marginal / run.marginal for mine, run in zip(own, runs, strict=True) if run.marginal
        ]
        median = statistics.median
        table.add_row(
            program,
            f"{median(run.full.hops for run in runs) / 1e6:.3f}",
            f"{median(run.full.makespan_s for run in runs):.4f}",
            f"{median(run.full.cpu_s for run in runs):.2f}",
            f"{median(run.full.rate for run in runs) / 1e3:.0f}",
            f"{median(ratios):.1f} x",
            f"{min(ratios):.1f}..{max(ratios):.1f}",
            f"{median(run.marginal for run in runs) / 1e3:.0f}",
            f"{median(marginals):.1f} x" if marginals else "",
            f"{median(run.full.memory for run in runs) / MEBI:.0f}",
        )
    return table


def scaling_table(runner: Runner, rounds: int, folder: Path, say: Callable[[str], None]) -> Table:
    """netsim over sizes. A shuffle has connections between all pairs at once, a stream of jobs as many per host."""
    table = Table(title=f"netsim over sizes (median of n={rounds}); rates per CPU second")
    for column in ("hosts", "network", "traffic", "M hops", "CPU s", "k hops/s", "peak MiB"):
        left = column in ("network", "traffic")
        table.add_column(column, justify="left" if left else "right", no_wrap=True)
    for hosts, k, megabytes, jobs in SCALING:
        for traffic, config in (
            (f"shuffle, {megabytes:g} MB per core", shuffle_config(hosts, megabytes, k)),
            (f"{jobs} small jobs", jobs_config(hosts, jobs, k)),
        ):
            say(f"netsim, {hosts} hosts, {traffic}")
            runs = [runner(config, folder) for _ in range(rounds)]
            table.add_row(
                str(hosts),
                f"fat tree, k = {k}" if k else "two racks",
                traffic,
                f"{runs[0].hops / 1e6:.1f}",
                f"{statistics.median(run.cpu_s for run in runs):.2f}",
                f"{statistics.median(run.rate for run in runs) / 1e3:.0f}",
                f"{statistics.median(run.memory for run in runs) / MEBI:.0f}",
            )
    return table


def write_csv(turns: list[Turn], path: Path) -> None:
    """One row per run."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["program", "round", "shuffle", "hops", "makespan_s", "cpu_s", "peak_rss_bytes"])
        for turn in turns:
            for name, one in (("full", turn.full), ("tiny", turn.tiny)):
                cells = (f"{one.hops:.0f}", f"{one.makespan_s:.9f}", f"{one.cpu_s:.6f}", one.memory)
                rows.writerow([turn.program, turn.round, name, *cells])


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--netsim", type=Path, required=True, help="the program netsim")
    parser.add_argument(
        "--ns3", type=Path, required=True, help="the program ns3-shuffle, left out where missing"
    )
    parser.add_argument("--nodes", type=int, default=24, help="nodes of the two racks (default 24)")
    parser.add_argument("--mb", type=float, default=16, help="MB per reducer's core (default 16)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of every program (default 3)")
    parser.add_argument("--no-scaling", action="store_true", help="leave out netsim over sizes")
    parser.add_argument("--output", type=Path, help="CSV with one row per run")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the comparison; 0 unless something other than a time was wrong."""
    options = parse(arguments)
    if options.rounds < 1 or options.nodes < 3 or options.mb <= 0:
        print("compare: --rounds, --nodes and --mb must be at least 1, 3 and above 0", file=sys.stderr)
        return 2
    errors = Console(stderr=True)
    # Where the output is no terminal its width is a guess; a table is printed whole.
    console = Console(width=max(Console().width, TABLE_WIDTH))
    try:
        with tempfile.TemporaryDirectory(prefix="bench ") as scratch, errors.status("") as status:
            folder = Path(scratch)
            runners = found(options.netsim.resolve(), options.ns3.resolve(), fetch_bytes)
            config = shuffle_config(options.nodes, options.mb)
            turns = take_turns(runners, config, options.rounds, folder, status.update)
            title = (
                f"Shuffle of {options.nodes} nodes, {options.mb:g} MB per core (median of n={options.rounds})"
            )
            console.print(rivals_table(turns, title))
            if options.output:
                write_csv(turns, options.output)
            if not options.no_scaling:
                console.print(scaling_table(runners["netsim"], options.rounds, folder, status.update))
    except (CompareError, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
