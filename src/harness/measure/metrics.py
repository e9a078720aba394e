"""Computes metrics of a run: from the sampler beside an engine's ranks, and from the samples of a cell's hosts.

Pure but for `read_trace`.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from harness.measure.rates import MEAN, PROCFS, STATES, Facts, HostSamples, Point, disk_columns
from harness.measure.series import STOOD_STILL
from harness.measure.trace import read_rows
from harness.results.records import Metric

DOMAINS = {"package": "pkg", "dram": "dram"}
"""Power domains by the first part of their name, and how the metrics call them."""


@dataclass(frozen=True)
class Sample:
    """Holds one row of a trace of a run; `t_s` in s since the start of sampling."""

    t_s: float
    domain: str
    metric: str
    value: float
    source: str


Windows = dict[str, tuple[float, float]]
"""Phases of the job by name: begin and end in seconds of the trace's clock."""


def read_trace(path: Path) -> list[Sample]:
    """Reads all rows of a trace file written by the sampler."""
    return [
        Sample(float(row["t_s"]), row["domain"], row["metric"], float(row["value"]), row["source"])
        for row in read_rows(path)
    ]


def _missing(name: str, unit: str, reason: str) -> Metric:
    return Metric(name=name, value=None, unit=unit, source="none", reason=reason)


def _metric(name: str, value: float | None, unit: str, source: str, reason: str) -> Metric:
    if value is None:
        return _missing(name, unit, reason or "not measured")
    return Metric(name=name, value=value, unit=unit, source=source)


@dataclass(frozen=True)
class Energy:
    """Holds the energy of a machine or of several hosts while they were sampled, J; None with the reason."""

    joules: float | None
    seconds: float
    source: str
    reason: str = ""
    domains: tuple[str, ...] = ()
    """Names of the domains that it is the sum of."""


@dataclass(frozen=True, kw_only=True)
class DomainSum:
    """Holds energy (J) and mean power (W) of all domains of one kind; None with the reason if one has no value."""

    names: tuple[str, ...]
    joules: float | None = None
    watts: float | None = None
    reason: str = ""
    """Empty also where the power source gives no such domain."""


def sum_of_domains(summary: dict[str, Any], kind: str) -> DomainSum:
    """Sums energy and mean power of the domains whose names start with `kind`, over sockets and hosts."""
    found = {name: values for name, values in summary["domains"].items() if name.startswith(kind)}
    names = tuple(found)
    reasons = [values["reason"] for values in found.values() if values["energy_J"] is None]
    if not found or reasons:
        return DomainSum(names=names, reason=next(iter(reasons), ""))
    watts = [values["power_mean_W"] for values in found.values()]
    return DomainSum(
        names=names,
        joules=sum(values["energy_J"] for values in found.values()),
        watts=None if None in watts else sum(watts),
    )


PACKAGES_FIRST = (("package", "dram"), ("package",), ("node",))
"""Kinds of domains that together are the energy of an engine's run, best first: that of packages and DRAM."""
NODE_FIRST = (("node",), ("package", "dram"), ("package",))
"""Kinds of domains that together are the energy of a cell's hosts, best first: `node` contains the others."""


def works(summary: dict[str, Any], kind: str) -> bool:
    """Returns whether the machine has domains of a kind whose counters do not all stand still."""
    found = [values for name, values in summary["domains"].items() if name.startswith(kind)]
    return any(values["reason"] != STOOD_STILL for values in found)


def total_energy(summary: dict[str, Any], choices: Sequence[Sequence[str]]) -> Energy:
    """Adds up a sampler's domains of the first of `choices` whose kinds all work on this machine.

    None where one of these was lost in this run: a sum of others would be held against repetitions that have it.
    """
    source, seconds = str(summary["source"]), float(summary["duration_s"])
    for kinds in choices:
        if not all(works(summary, kind) for kind in kinds):
            continue
        sums = [sum_of_domains(summary, kind) for kind in kinds]
        joules = [one.joules for one in sums if one.joules is not None]
        if len(joules) < len(kinds):
            break
        names = tuple(name for one in sums for name in one.names)
        return Energy(sum(joules), seconds, source, domains=names)
    lost = [
        f"{name}: {values['reason']}"
        for name, values in summary["domains"].items()
        if values["energy_J"] is None
    ]
    reason = summary["reason"] or "; ".join(lost) or "the power source gives no energy of the machine"
    return Energy(None, seconds, source, reason)


def domain_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Returns energy and power of package and DRAM, summed over sockets; None with the reason where not measured."""
    metrics: list[Metric] = []
    source = summary["source"]
    why = summary["reason"] or "the power source gives no such domain"
    for kind, short in DOMAINS.items():
        found = sum_of_domains(summary, kind)
        reason = found.reason or why
        # The maxima of several sockets need not fall together, so their sum would be no power ever drawn.
        one = found.joules is not None and len(found.names) == 1
        peak = summary["domains"][found.names[0]]["power_max_W"] if one else None
        metrics += [
            _metric(f"energy.{short}", found.joules, "J", source, reason),
            _metric(f"power.{short}.mean", found.watts, "W", source, reason),
            _metric(
                f"power.{short}.max", peak, "W", source, reason if found.joules is None else "several sockets"
            ),
        ]
    node, total = sum_of_domains(summary, "node"), total_energy(summary, PACKAGES_FIRST)
    return [
        *metrics,
        _metric("energy.node", node.joules, "J", source, node.reason or why),
        _metric("energy.total", total.joules, "J", source, total.reason),
    ]


def cap_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Returns the power cap in force: the lower limit of each package as read back, summed. Empty without a cap."""
    cap = summary.get("cap")
    if not cap:
        return []
    lowest: dict[str, float] = {}
    for limit in cap["read_back"]:
        lowest[limit["zone"]] = min(limit["W"], lowest.get(limit["zone"], float("inf")))
    return [Metric(name="power.cap", value=sum(lowest.values()), unit="W", source=cap["source"])]


def idle_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Returns the power of all packages at rest before the run."""
    found = [watts for name, watts in summary["idle_W"].items() if name.startswith("package")]
    complete = bool(found) and None not in found
    reason = summary["reason"] or "the power source gives no package power before a run"
    return [_metric("power.idle", sum(found) if complete else None, "W", summary["source"], reason)]


def core_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Returns core frequency and cache misses while the job ran."""
    cores = summary["cores"]
    return [
        _metric(name, cores[key], unit, cores[f"{prefix}_source"], cores[f"{prefix}_reason"])
        for name, key, prefix, unit in (
            ("cpu.frequency", "frequency_hz", "frequency", "Hz"),
            ("cache.misses", "cache_misses", "cache_misses", "1"),
        )
    ]


def phase_metrics(samples: list[Sample], windows: Windows) -> list[Metric]:
    """Returns the mean power of each domain within each phase of the job, where power was sampled."""
    metrics = []
    for phase, (begin, end) in windows.items():
        for prefix, short in DOMAINS.items():
            inside = [
                s
                for s in samples
                if s.metric == "power" and s.domain.startswith(prefix) and begin < s.t_s <= end
            ]
            if inside:
                domains = len({s.domain for s in inside})
                value = statistics.fmean(s.value for s in inside) * domains
                name = f"power.{short}.mean.{phase}"
                metrics.append(Metric(name=name, value=value, unit="W", source=inside[0].source))
    return metrics


def shape_metrics(
    samples: list[Sample], metric: str, prefix: str, name: str, windows: Windows
) -> list[Metric]:
    """Returns mean and coefficient of variation of one trace while the job ran (start-up and end left out)."""
    begin = min((window[0] for window in windows.values()), default=0.0)
    end = max((window[1] for window in windows.values()), default=float("inf"))
    chosen = [
        s for s in samples if s.metric == metric and s.domain.startswith(prefix) and begin < s.t_s <= end
    ]
    values = [s.value for s in chosen]
    unit = {"cpu": "cores", "power": "W"}[metric]
    if len(values) < 3:
        reason = f"only {len(values)} samples while the job ran"
        return [_missing(f"trace.mean.{name}", unit, reason), _missing(f"{name}.cv", "1", reason)]
    mean = statistics.fmean(values)
    variation = statistics.stdev(values) / mean if mean > 0 else None
    source = chosen[0].source
    return [
        Metric(name=f"trace.mean.{name}", value=mean, unit=unit, source=source),
        _metric(f"{name}.cv", variation, "1", source, "the mean is zero"),
    ]


def sampled(summary: dict[str, Any], samples: list[Sample], windows: Windows) -> list[Metric]:
    """Returns all metrics that the sampler's summary and trace give."""
    power = any(s.metric == "power" for s in samples)
    return [
        *domain_metrics(summary),
        *cap_metrics(summary),
        *idle_metrics(summary),
        *core_metrics(summary),
        *phase_metrics(samples, windows),
        *shape_metrics(samples, "cpu", "ranks", "cpu", windows),
        *(shape_metrics(samples, "power", "package", "power.pkg", windows) if power else []),
        Metric(name="sampler.samples", value=summary["samples"], unit="1", source=PROCFS),
        Metric(name="sampler.missed", value=summary["missed"], unit="1", source=PROCFS),
        Metric(name="sampler.cpu", value=summary["sampler_cpu_s"], unit="s", source="measured:rusage"),
    ]


NAMES = {
    "cpu.seconds": "s",
    "memory.peak": "B",
    "net.bytes": "B",
    "disk.read": "B",
    "disk.written": "B",
    "load.mean": "1",
    "sampler.samples": "1",
    "sampler.missed": "1",
    "sampler.cpu": "s",
}
"""Units of the metrics that have no value, but a reason, when a host could not be watched to the end."""


@dataclass(frozen=True, kw_only=True)
class PowerReading:
    """Holds the power of one domain at one tick of its sampler."""

    tick: int
    t_s: float
    """By the wall clock."""
    watts: float


def _sum(hosts: Sequence[HostSamples], columns: Sequence[str]) -> float | None:
    totals = [host.total(column) for host in hosts for column in columns]
    known = [total for total in totals if total is not None]
    return sum(known) if known and len(known) == len(totals) else None


def use(hosts: Sequence[HostSamples], points: Sequence[Point], facts: Facts, no_net: str) -> list[Metric]:
    """Returns use of CPU, memory, disks and interfaces, summed over hosts. `no_net`: the reason without interfaces."""
    columns = set.intersection(*(host.columns for host in hosts))
    interfaces = sorted({column.split(".")[1] for column in columns if column.startswith("net.")})
    short = f"the run was too short for samples every {facts.period_s:g} s"
    disk = "the kernel counts no traffic for the disks of these hosts"
    found = [
        _metric("cpu.seconds", _sum(hosts, ["user", "system"]), "s", PROCFS, ""),
        _metric("memory.peak", _peak(points, len(hosts)), "B", PROCFS, short),
        _metric("net.bytes", _sent(hosts, interfaces), "B", PROCFS, no_net),
        *(_metric(f"net.bytes.{name}", _sent(hosts, [name]), "B", PROCFS, no_net) for name in interfaces),
    ]
    for kind in ("read", "written"):
        amount = _sum(hosts, disk_columns(sorted(columns), kind, facts))
        found.append(_metric(f"disk.{kind}", amount, "B", PROCFS, disk))
    loads = [point.value for point in points if point.host == MEAN and point.domain == "load"]
    source = PROCFS if facts.real else STATES
    found.append(_metric("load.mean", fmean(loads) if loads else None, "1", source, short))
    return found


def sharing(hosts: int, shared: bool) -> Metric:
    """Returns how many of the hosts share the processors that each one's share of them is counted by; 1: none."""
    return Metric(name="hosts.sharing", value=float(hosts if shared else 1), unit="1", source=PROCFS)


def _sent(hosts: Sequence[HostSamples], interfaces: Sequence[str]) -> float | None:
    """Returns the bytes that hosts have sent: each byte counts once, at its sender."""
    return _sum(hosts, [f"net.{name}.sent" for name in interfaces])


def _peak(points: Sequence[Point], hosts: int) -> float | None:
    """Returns the most memory that all hosts used at one time; None from a single sample, taken at the end."""
    used = [point.value for point in points if point.host == MEAN and point.domain == "memory"]
    return max(used) * hosts if len(used) > 1 else None


def sampling(hosts: Sequence[HostSamples], more_cpu_s: float) -> list[Metric]:
    """Returns the numbers of samples and missed ticks, and the CPU time that sampling took."""
    samples = sum(len(host.rows) for host in hosts)
    missed = sum(host.missed for host in hosts)
    cost = sum(host.cpu_s for host in hosts) + more_cpu_s
    return [
        Metric(name="sampler.samples", value=samples, unit="1", source=PROCFS),
        Metric(name="sampler.missed", value=missed, unit="1", source=PROCFS),
        Metric(name="sampler.cpu", value=cost, unit="s", source="measured:rusage"),
    ]


def energy(found: Energy, seconds: float | None) -> list[Metric]:
    """Returns energy, power and ED2P (energy times the square of the job's time)."""
    joules, reason = found.joules, found.reason
    time = found.seconds if seconds is None else seconds
    power = None if joules is None or found.seconds <= 0 else joules / found.seconds
    return [
        _metric("energy.total", joules, "J", found.source, reason),
        _metric("power.mean", power, "W", found.source, reason),
        _metric("ed2p", None if joules is None else joules * time**2, "J s^2", found.source, reason),
    ]


def mean_power(readings: Sequence[PowerReading], hosts: int, source: str) -> list[Point]:
    """Returns the power of one machine that is all hosts, shared evenly among the hosts."""
    return [
        Point(t, MEAN, "power", "power", watts / hosts, "W", source) for t, watts in _sums(readings).values()
    ]


def host_power(readings: Mapping[str, Sequence[PowerReading]], source: str) -> list[Point]:
    """Returns the power of each host by its name in the trace, and the mean where every host has a value."""
    ticks: dict[int, list[Point]] = defaultdict(list)
    for host, own in readings.items():
        for tick, (t, watts) in _sums(own).items():
            ticks[tick].append(Point(t, host, "power", "power", watts, "W", source))
    found = []
    for at_once in ticks.values():
        found += at_once
        if len(at_once) == len(readings):
            t, value = fmean(point.t_s for point in at_once), fmean(point.value for point in at_once)
            found.append(at_once[0]._replace(t_s=t, host=MEAN, value=value))
    return found


def _sums(readings: Sequence[PowerReading]) -> dict[int, tuple[float, float]]:
    """Returns time and power of all domains by tick."""
    ticks: dict[int, list[PowerReading]] = defaultdict(list)
    for reading in readings:
        ticks[reading.tick].append(reading)
    return {tick: (at_once[0].t_s, sum(one.watts for one in at_once)) for tick, at_once in ticks.items()}
