"""Ranks frameworks per benchmark, cluster size and disk by time, energy and ED2P. Pure functions.

A framework stands for the median of its runs, and its uncertainty is the range of them. The best one has the lowest
median. Those whose range overlaps its range are not told apart from it: that is a tie. One run has no range, so
nothing is said of its uncertainty but that it is one run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from harness.report.numbers import duration, number

METRICS = ("time.total", "energy.total", "ed2p")
"""Smaller is better in all of them."""
RATE = "link.rate"


@dataclass(frozen=True)
class Measure:
    """One metric of one run that ended well."""

    benchmark: str
    settings: str
    """What sets its runs apart from those of the same benchmark with other settings; '' for the shared ones."""
    studies: tuple[str, ...]
    """Studies that want such a run."""
    nodes: int
    disk: str
    framework: str
    metric: str
    value: float | None
    unit: str
    source: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A framework with the median and the range of its runs."""

    framework: str
    middle: float
    low: float
    high: float
    n: int
    text: str
    """The median, for people."""
    spread: str
    """The range, for people; '' of a single run."""


@dataclass(frozen=True)
class Best:
    """The best framework by one metric."""

    first: list[Candidate]
    """The best framework and those that tie with it, lowest median first. Empty: none has been measured."""
    others: list[Candidate]
    reason: str
    """Why none has been measured."""
    emulated: bool
    """Whether any of the numbers is of an emulated source."""

    @property
    def alone(self) -> bool:
        """Returns whether only one framework has been measured, which is then the best of nothing."""
        return len(self.first) == 1 and not self.others

    @property
    def single(self) -> bool:
        """Returns whether the order rests on single runs somewhere."""
        return any(one.n == 1 for one in (*self.first, *self.others))


@dataclass(frozen=True)
class Choice:
    """One row of the table."""

    benchmark: str
    nodes: int
    disk: str
    best: dict[str, Best]
    """By metric."""


def candidate(framework: str, values: Sequence[float], unit: str) -> Candidate:
    """Returns a framework with median and range of the values of its runs."""
    middle, low, high = median(values), min(values), max(values)
    spread = f"{number(low)} … {number(high)}" if len(values) > 1 else ""
    text = duration(middle) if unit == "s" else f"{number(middle)} {unit}"
    return Candidate(
        framework=framework, middle=middle, low=low, high=high, n=len(values), text=text, spread=spread
    )


def ranked(values: Mapping[str, Sequence[float]], unit: str) -> tuple[list[Candidate], list[Candidate]]:
    """Returns the best framework with those whose ranges overlap its own, and all others; lowest median first."""
    every = sorted(
        (candidate(name, found, unit) for name, found in values.items()), key=lambda one: one.middle
    )
    ties = [one for one in every[1:] if one.low <= every[0].high and every[0].low <= one.high]
    return [*every[:1], *ties], [one for one in every[1:] if one not in ties]


def best(measures: Iterable[Measure]) -> Best:
    """Returns the best framework by one metric, or the reason why there is none."""
    values: dict[str, list[float]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    unit, emulated = "", False
    for one in measures:
        if one.value is None:
            reasons[one.reason] += 1
            continue
        values[one.framework].append(one.value)
        unit, emulated = one.unit, emulated or one.source.startswith("emulated")
    if not values:
        return Best([], [], reasons.most_common(1)[0][0] if reasons else "no run has it", False)
    first, others = ranked(values, unit)
    return Best(first, others, "", emulated)


def choices(measures: Iterable[Measure]) -> list[Choice]:
    """Returns the table, by benchmark, size and disk."""
    groups: dict[tuple[str, str, int, str], list[Measure]] = defaultdict(list)
    studies: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in measures:
        groups[one.benchmark, one.settings, one.nodes, one.disk].append(one)
        studies[one.benchmark][one.settings].update(one.studies)

    def name(benchmark: str, settings: str) -> str:
        if len(studies[benchmark]) == 1:
            return benchmark
        wanted = list(studies[benchmark].values())
        apart = f" ({settings})" if settings and wanted.count(studies[benchmark][settings]) > 1 else ""
        return f"{benchmark}, as in {', '.join(sorted(studies[benchmark][settings]))}{apart}"

    table = [
        Choice(
            name(benchmark, settings),
            nodes,
            disk,
            {metric: best(one for one in found if one.metric == metric) for metric in METRICS},
        )
        for (benchmark, settings, nodes, disk), found in groups.items()
    ]
    return sorted(table, key=lambda row: (row.benchmark, row.nodes, row.disk))


def reasons(table: Iterable[Choice]) -> list[str]:
    """Returns the reasons for missing measurements, each once: notes below the table."""
    return list(dict.fromkeys(found.reason for one in table for found in one.best.values() if found.reason))


def links(measures: Iterable[Measure]) -> list[tuple[str, str]]:
    """Returns rates of emulated links, for which alone the table holds, and the frameworks that ran over them."""
    rates: dict[float, set[str]] = defaultdict(set)
    for one in measures:
        if one.metric == RATE and one.value is not None and one.source.startswith("emulated"):
            rates[one.value].add(one.framework)
    return [(f"{number(rate)} Mbit/s", ", ".join(sorted(names))) for rate, names in sorted(rates.items())]
