"""Samples of one host, as its sampler wrote them. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from harness.core.errors import KvasirError

Row = dict[str, float | None]


@dataclass(frozen=True)
class HostSamples:
    """Counters of one host over a run; times are those of the wall clock of whoever reads them."""

    host: str
    cores: float
    rows: list[Row]
    """By column; `t` in s. None: not known at that moment."""
    missed: int
    cpu_s: float
    """What sampling has cost, from the moment that the host was watched."""

    @property
    def columns(self) -> set[str]:
        """Names of what is known of this host."""
        return set(self.rows[0])

    def total(self, column: str) -> float | None:
        """How much a counter has grown; None where it is not known."""
        first, last = self.rows[0].get(column), self.rows[-1].get(column)
        return None if first is None or last is None else last - first


def since(host: HostSamples, start: float) -> HostSamples:
    """Without the samples before the last one that was taken by `start`: that is what everything counts from."""
    before = sum(1 for row in host.rows if (row["t"] or 0) <= start)
    return replace(host, rows=host.rows[max(before - 1, 0) :])


def parse(host: str, text: str, cores: float | None, earliest: float, latest: float) -> HostSamples:
    """Read a sampler's output. `cores` is the host's quota, if it has one.

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
