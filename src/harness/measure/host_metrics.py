"""Metrics of a run from the samples of its hosts. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from harness.measure.host_samples import HostSamples
from harness.measure.rates import MEAN, PROCFS, STATES, Facts, Point, disk_columns
from harness.results.records import Metric

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
"""What is empty, with the reason, when a host could not be watched to the end; and the units."""


@dataclass(frozen=True)
class Energy:
    """What all hosts together used while they were watched: J, or why it is not known."""

    joules: float | None
    seconds: float
    source: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PowerReading:
    """What one domain drew at one tick of its sampler."""

    tick: int
    t_s: float
    """By the wall clock."""
    watts: float


def _metric(name: str, value: float | None, unit: str, source: str, reason: str) -> Metric:
    if value is None:
        return Metric(name=name, value=None, unit=unit, source="none", reason=reason)
    return Metric(name=name, value=value, unit=unit, source=source)


def _sum(hosts: Sequence[HostSamples], columns: Sequence[str]) -> float | None:
    totals = [host.total(column) for host in hosts for column in columns]
    known = [total for total in totals if total is not None]
    return sum(known) if known and len(known) == len(totals) else None


def use(hosts: Sequence[HostSamples], points: Sequence[Point], facts: Facts, no_net: str) -> list[Metric]:
    """CPU, memory, disks and interfaces: sums over hosts. `no_net` says why there are no interfaces."""
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


def _sent(hosts: Sequence[HostSamples], interfaces: Sequence[str]) -> float | None:
    """Bytes that hosts have sent: each byte counts once, where it came from."""
    return _sum(hosts, [f"net.{name}.sent" for name in interfaces])


def _peak(points: Sequence[Point], hosts: int) -> float | None:
    """The most memory that all hosts used at one time. What is left at the end alone says nothing of that."""
    used = [point.value for point in points if point.host == MEAN and point.domain == "memory"]
    return max(used) * hosts if len(used) > 1 else None


def sampling(hosts: Sequence[HostSamples], more_cpu_s: float) -> list[Metric]:
    """How often hosts were looked at and what that has cost."""
    samples = sum(len(host.rows) for host in hosts)
    missed = sum(host.missed for host in hosts)
    cost = sum(host.cpu_s for host in hosts) + more_cpu_s
    return [
        Metric(name="sampler.samples", value=samples, unit="1", source=PROCFS),
        Metric(name="sampler.missed", value=missed, unit="1", source=PROCFS),
        Metric(name="sampler.cpu", value=cost, unit="s", source="measured:rusage"),
    ]


def energy(found: Energy, seconds: float | None) -> list[Metric]:
    """Energy, power and ED2P (energy times the square of the job's time)."""
    joules, reason = found.joules, found.reason
    time = found.seconds if seconds is None else seconds
    power = None if joules is None or found.seconds <= 0 else joules / found.seconds
    return [
        _metric("energy.total", joules, "J", found.source, reason),
        _metric("power.mean", power, "W", found.source, reason),
        _metric("ed2p", None if joules is None else joules * time**2, "J s^2", found.source, reason),
    ]


def mean_power(readings: Sequence[PowerReading], hosts: int, source: str) -> list[Point]:
    """Power of one machine that is all hosts, shared evenly among the hosts."""
    return [
        Point(t, MEAN, "power", "power", watts / hosts, "W", source) for t, watts in _sums(readings).values()
    ]


def host_power(readings: Mapping[str, Sequence[PowerReading]], source: str) -> list[Point]:
    """Power of each host by its name in the trace, and the mean where every host has a value."""
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
    """Time and power of all domains by tick."""
    ticks: dict[int, list[PowerReading]] = defaultdict(list)
    for reading in readings:
        ticks[reading.tick].append(reading)
    return {tick: (at_once[0].t_s, sum(one.watts for one in at_once)) for tick, at_once in ticks.items()}
