"""Reads the output of a host's sampler, and turns its counters into the rows of a trace. Pure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from harness.core.errors import KvasirError

PROCFS = "measured:procfs"
STATES = "measured:procfs-states"
"""Seen by looking at the states of threads now and then."""
MEAN = "mean"


class Point(NamedTuple):
    """Holds one row of a trace; `t_s` in s of the wall clock."""

    t_s: float
    host: str
    domain: str
    metric: str
    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class Facts:
    """Holds facts about the hosts that are not in their samples."""

    period_s: float
    real: bool
    """The hosts are machines, not parts of one."""
    own_disks: Mapping[str, tuple[float | None, float | None]]
    """Emulated disks that are devices of their own, and how fast they may read and write, 10^6 B/s."""


def points(hosts: Iterable[HostSamples], facts: Facts) -> list[Point]:
    """Returns all rows of a trace, and the means over hosts where each has a value."""
    ticks: dict[tuple[int, str, str], list[Point]] = defaultdict(list)
    n = 0
    for host in hosts:
        n += 1
        for point in of_host(host, facts):
            ticks[round(point.t_s / facts.period_s), point.domain, point.metric].append(point)
    found = []
    for at_once in ticks.values():
        found += at_once
        if len({point.host for point in at_once}) == len(at_once) == n:
            t, value = fmean(point.t_s for point in at_once), fmean(point.value for point in at_once)
            found.append(at_once[0]._replace(t_s=t, host=MEAN, value=value))
    return in_order(found, facts.period_s)


def in_order(points: Iterable[Point], period_s: float) -> list[Point]:
    """Sorts points by time; of those that were taken at once, means come last."""
    return sorted(points, key=lambda point: (round(point.t_s / period_s), point.host == MEAN))


def of_host(host: HostSamples, facts: Facts) -> Iterator[Point]:
    """Yields rows of one host. Samples closer than half a period give no rate, unless there are no others."""
    before = host.rows[0]
    whole = (host.total("t") or 0.0) < facts.period_s
    for now in host.rows[-1:] if whole else host.rows[1:]:
        t, step = _of(now, "t"), _of(now, "t") - _of(before, "t")
        if step <= 0 or (step < 0.5 * facts.period_s and not whole):
            continue
        for domain, metric, value, unit, source in [
            *_cpu(before, now, step, host.cores, facts),
            *_memory(now, facts),
            *_disk(before, now, step, facts),
            *_net(before, now, step),
        ]:
            yield Point(t, host.host, domain, metric, value, unit, source)
        before = now


Body = tuple[str, str, float, str, str]


def _of(row: Row, column: str) -> float:
    value = row[column]
    assert value is not None
    return value


def _grown(before: Row, now: Row, column: str) -> float | None:
    first, last = before.get(column), now.get(column)
    return None if first is None or last is None else last - first


def _cpu(before: Row, now: Row, step: float, cores: float, facts: Facts) -> Iterator[Body]:
    share = {name: (_grown(before, now, name) or 0.0) / step / cores for name in ("user", "system")}
    for name, value in share.items():
        yield "cpu", name, value, "1", PROCFS
    rest = max(1 - sum(share.values()), 0.0)
    waiting = now.get("waiting")
    if facts.real:
        wait = (_grown(before, now, "wait") or 0.0) / step / cores
    elif waiting is not None:
        wait = waiting / cores
    else:
        return
    wait = min(wait, rest)
    yield "cpu", "wait", wait, "1", PROCFS if facts.real else STATES
    yield "cpu", "idle", rest - wait, "1", PROCFS if facts.real else STATES


def _memory(now: Row, facts: Facts) -> Iterator[Body]:
    yield "memory", "used", _of(now, "memory"), "B", PROCFS
    load = now.get("load")
    if load is not None:
        yield "load", "1min", load, "1", PROCFS if facts.real else STATES


def disk_columns(columns: Iterable[str], kind: str, facts: Facts) -> list[str]:
    """Returns the columns whose sum is the bytes `read` or `written`."""
    disks = [
        column.split(".")[1] for column in columns if column.startswith("disk.") and column.endswith(kind)
    ]
    if facts.real:
        return [f"disk.{disk}.{kind}" for disk in disks]
    own = [f"disk.{disk}.{kind}" for disk in disks if disk in facts.own_disks]
    return own or [kind]


def _disk(before: Row, now: Row, step: float, facts: Facts) -> Iterator[Body]:
    for kind in ("read", "written"):
        amounts = [_grown(before, now, column) for column in disk_columns(now, kind, facts)]
        known = [amount for amount in amounts if amount is not None]
        if known and len(known) == len(amounts):
            yield "disk", kind, sum(known) / step, "B/s", PROCFS
    busy = [
        _busy(before, now, column.split(".")[1], facts)
        for column in now
        if column.startswith("disk.") and column.endswith(".busy")
    ]
    if busy:
        yield "disk", "utilisation", min(max(busy) / step, 1.0), "1", PROCFS


def _busy(before: Row, now: Row, disk: str, facts: Facts) -> float:
    """Returns the seconds a disk was busy; one that is slowed down is busy as long as its rates make it."""
    busy, read, written = (
        _grown(before, now, f"disk.{disk}.{what}") or 0.0 for what in ("busy", "read", "written")
    )
    read_rate, write_rate = facts.own_disks.get(disk, (None, None))
    slowed = (read / 1e6 / read_rate if read_rate else 0) + (written / 1e6 / write_rate if write_rate else 0)
    return max(busy, slowed)


def _net(before: Row, now: Row, step: float) -> Iterator[Body]:
    for column in now:
        if column.startswith("net."):
            _, interface, way = column.split(".")
            yield f"net:{interface}", way, (_grown(before, now, column) or 0.0) / step, "B/s", PROCFS


Row = dict[str, float | None]


@dataclass(frozen=True)
class HostSamples:
    """Holds counters of one host over a run; times are those of the wall clock of whoever reads them."""

    host: str
    cores: float
    rows: list[Row]
    """By column; `t` in s. None: not known at that moment."""
    missed: int
    cpu_s: float
    """CPU seconds of sampling, from the moment that the host was watched."""

    @property
    def columns(self) -> set[str]:
        """Returns the names of the host's columns."""
        return set(self.rows[0])

    def total(self, column: str) -> float | None:
        """Returns the growth of a counter; None where it is not known."""
        first, last = self.rows[0].get(column), self.rows[-1].get(column)
        return None if first is None or last is None else last - first


def since(host: HostSamples, start: float) -> HostSamples:
    """Drops samples before the last one that was taken by `start`, from which everything counts."""
    before = sum(1 for row in host.rows if (row["t"] or 0) <= start)
    return replace(host, rows=host.rows[max(before - 1, 0) :])


def parse(host: str, text: str, cores: float | None, earliest: float, latest: float) -> HostSamples:
    """Parses a sampler's output. `cores` is the host's quota, if it has one.

    The first line was written between `earliest` and `latest`, in s of this machine's wall clock: a host whose
    clock contradicts that is moved by the least that puts it right. Raises KvasirError when the sampler did not
    come to its end.
    """
    lines = text.splitlines()
    try:
        header, end = json.loads(lines[0]), json.loads(lines[-1])
        monotonic, wall = header["clock"]
        shift = min(max(wall, earliest), latest) - monotonic
        columns: list[str] = header["columns"]
        rows: list[Row] = []
        for line in lines[1:-1]:
            values = [None if word == "-" else float(word) for word in line.split(" ")]
            row: Row = dict(zip(columns, values, strict=True))
            row["t"] = float(row["t"] or 0) + shift
            rows.append(row)
        return HostSamples(
            host,
            cores or float(header["cores"]),
            rows if len(rows) > 1 else _too_few(),
            int(end["missed"]),
            float(end["cpu_s"]) - float(header["cpu_s"]),
        )
    except (ValueError, LookupError, TypeError):
        said = " ".join(text[-300:].split()) or "nothing"
        raise KvasirError(f"host {host}: its sampler did not come to its end; it said: {said}") from None


def _too_few() -> list[Row]:
    raise ValueError("no samples")
