"""Counts what a host uses at every whole multiple of a period, without starting any process.

The argument is JSON: {kind, period_s, devices, folders}. The output is a JSON line that says which columns
follow, a line of numbers per sample (`-` where a value cannot be known), and after SIGTERM a last sample and a
JSON line with what the sampling cost. Values only grow, but for times, memory, states and load.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from collections.abc import Callable
from typing import Any

from harness.hosts.inside import machine, processes

FLUSH_S = 5.0
"""Output waits this long: a write per sample would be traffic of its own."""


def main(argv: list[str]) -> int:
    """Sample until SIGTERM."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    what: dict[str, Any] = json.loads(argv[0])
    source = machine.Machine(what) if what["kind"] == "slurm" else processes.Processes(what)
    first = source.read()  # opens all files, and says which columns there are
    header = {"clock": [time.monotonic(), time.time()], "columns": list(first), "cpu_s": _cpu_s()}
    _write(json.dumps({**header, **source.facts}) + "\n")
    missed = _sample(source.read, what["period_s"])
    _write(json.dumps({"cpu_s": _cpu_s(), "missed": missed}) + "\n")
    return 0


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _sample(read: Callable[[], dict[str, float | None]], period: float) -> int:
    """Sample at once, at whole multiples of the period, and at the end; how many multiples went by unseen."""
    lines = [_line(read())]
    flushed = time.time()
    tick = int(flushed // period) + 1
    missed = 0
    while signal.sigtimedwait({signal.SIGTERM}, max(tick * period - time.time(), 0)) is None:
        now = time.time()
        place = int(now // period)
        if place < tick:
            continue  # woken too soon
        missed += place - tick
        tick = place + 1
        lines.append(_line(read()))
        if now - flushed >= FLUSH_S:
            _write("".join(lines))
            lines.clear()
            flushed = now
    lines.append(_line(read()))
    _write("".join(lines))
    return missed


def _line(values: dict[str, float | None]) -> str:
    return " ".join("-" if value is None else f"{value:.12g}" for value in values.values()) + "\n"


def _write(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]
