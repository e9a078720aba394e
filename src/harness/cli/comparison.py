"""Describes a comparison of frameworks as a study with a scale of its own, and ranks what came out. Pure functions."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.config.benchmarks import NamedCommand
from harness.core.errors import KvasirError
from harness.core.rows import Cells
from harness.hadoop.benchmarks import CLASSES, tpcx_hs
from harness.report.best_framework import ranked
from harness.report.numbers import number as shown

STUDY = "compare"
"""Name of the study and of its scale."""
EXPERIMENT = "runs"
BASE = "laptop"
"""The scale that all settings come from which a comparison does not name."""
MIB = 2**20
UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SIZED = tuple(name for name in CLASSES if "data_mb" in CLASSES[name].settings_type.model_fields)
"""Benchmarks whose input has a size in bytes."""
SECONDS_PER_MB = 5
"""Of a run at most: beyond it something hangs."""
METRICS = ("time.total", "time.startup", "cpu.seconds", "net.bytes", "energy.total", tpcx_hs.METRIC)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What is compared, and on how large a cluster."""

    frameworks: tuple[str, ...]
    benchmarks: tuple[str, ...]
    size: int
    """Bytes of input."""
    nodes: int
    """The master included."""
    disk: str
    repetitions: int


def parse_size(text: str) -> int:
    """Returns the bytes of a size such as 64M or 1G, binary units. Raises KvasirError."""
    number, unit = text.strip().lower().removesuffix("ib").removesuffix("b"), 1
    if number and number[-1] in UNITS:
        unit, number = UNITS[number[-1]], number[:-1]
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value * unit >= MIB):
        raise KvasirError(f"--size {text}: expected 1M or more, as in 64M, 1G or 0.5T")
    return int(value * unit)


def study(wanted: Comparison) -> dict[str, Any]:
    """Returns the study of a comparison, as its file has it."""
    named = ", ".join(wanted.benchmarks)
    return {
        "id": STUDY,
        "title": f"Frameworks on {named}, side by side",
        "paper": "No paper: a comparison of this machine's owner",
        "question": f"Which framework is the best for {named} here?",
        "kind": "cells",
        "defaults": {
            "framework": wanted.frameworks[0],
            "nodes": wanted.nodes,
            "disk": wanted.disk,
            "benchmark": wanted.benchmarks[0],
        },
        "experiments": {
            EXPERIMENT: {
                "title": f"{named} by framework",
                "where": "no paper",
                "factors": {"framework": list(wanted.frameworks), "benchmark": list(wanted.benchmarks)},
            }
        },
        "traces": [EXPERIMENT],
        "tasks": [EXPERIMENT],
        "counters": [EXPERIMENT],
        "kick": "time",
        "figures": [
            {
                "id": "time",
                "alias": "time",
                "title": "Time, processor time and start-up by framework",
                "tables": [EXPERIMENT],
                "paper_says": "Nothing: this is no paper's figure.",
                "how": "Every run beside the median of its framework, by the clock and by the kernel's accounts.",
            }
        ],
    }


def claims() -> dict[str, Any]:
    """Returns the claims of a comparison: none."""
    return {"study": STUDY, "metrics": {}, "claims": []}


def scale(
    wanted: Comparison, base: Mapping[str, Any], commands: Mapping[str, NamedCommand]
) -> dict[str, Any]:
    """Returns the scale of a comparison; what it does not name is as in `base`, the content of a scale's file.

    commands: the user's own benchmarks. Raises KvasirError for a benchmark that does not exist, or whose input has no
    size in bytes.
    """
    sized = [*SIZED, *(name for name, entry in commands.items() if entry.input in SIZED)]
    cells = dict(base["cells"])
    size_mb = max(1, round(wanted.size / MIB))
    settings = {}
    for name in wanted.benchmarks:
        given = dict(cells["benchmarks"].get(name, {}))
        if name in commands and not commands[name].input:
            settings[name] = given
            continue
        if name not in sized:
            raise KvasirError(
                f"--benchmark {name}: its input is no number of bytes; expected one of {', '.join(sized)}"
            )
        settings[name] = {**given, "data_mb": size_mb}
    cells["benchmarks"] = {**cells["benchmarks"], **settings}
    cells["repetitions"] = wanted.repetitions
    cells["timeout_s"] = max(cells["timeout_s"], SECONDS_PER_MB * size_mb)
    return {"cells": cells, STUDY: {}}


@dataclass(frozen=True, kw_only=True)
class Line:
    """What one framework came to on one benchmark."""

    benchmark: str
    framework: str
    values: Mapping[str, tuple[float, ...]]
    """Of the runs that ended well, by metric."""
    failed: tuple[str, ...] = ()
    """Reasons of runs that did not."""
    rated: Mapping[int, float] = field(default_factory=dict)
    """Metric of TPCx-HS's rules by repetition, of a benchmark that has it."""

    def median(self, metric: str) -> float | None:
        """Returns the median of a metric; None without values."""
        found = self.values.get(metric, ())
        return statistics.median(found) if found else None


def lines(rows: Iterable[Cells]) -> list[Line]:
    """Returns a line for each framework and benchmark, the fastest first within a benchmark; last what has no time.

    `rows`: the table of the runs' metrics.
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    failed: dict[tuple[str, str], dict[str, str]] = {}
    rated: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        key = (row["benchmark"], row["framework"])
        metrics = values.setdefault(key, {})
        if row["status"] != "ok":
            failed.setdefault(key, {})[row["rep"]] = row["reason"] or row["status"]
        elif row["metric"] in METRICS and row["value"] and not row["source"].startswith("emulated:"):
            metrics.setdefault(row["metric"], []).append(float(row["value"]))
            if row["metric"] == tpcx_hs.METRIC:
                rated.setdefault(key, {})[int(row["rep"])] = float(row["value"])
    found = [
        Line(
            benchmark=benchmark,
            framework=framework,
            values={name: tuple(own) for name, own in metrics.items()},
            failed=tuple(failed.get((benchmark, framework), {}).values()),
            rated=rated.get((benchmark, framework), {}),
        )
        for (benchmark, framework), metrics in values.items()
    ]
    names = list(dict.fromkeys(line.benchmark for line in found))

    def order(line: Line) -> tuple[int, float]:
        time = line.median("time.total")
        return names.index(line.benchmark), math.inf if time is None else time

    return sorted(found, key=order)


def verdict(own: Sequence[Line]) -> str:
    """Returns in one sentence which framework is the fastest on a benchmark, or why that is not decided."""
    first, others = ranked(
        {line.framework: found for line in own if (found := line.values.get("time.total"))}, "s"
    )
    if not first:
        return "no run ended well"
    best, *near = first
    if near:
        overlapping = ", ".join(one.framework for one in near)
        return (
            f"{best.framework} has the least median, but its runs overlap those of {overlapping}: not decided"
        )
    if not others:
        return f"{best.framework} alone ended well"
    ratio = others[0].middle / best.middle
    return (
        f"{best.framework} is the fastest in every run; {others[0].framework} takes {ratio:.2f} times as long"
    )


def rules(own: Sequence[Line]) -> list[str]:
    """Returns a sentence for each framework: what its first two runs come to by TPCx-HS's rules. Of others nothing."""
    said = []
    for line in own:
        if line.benchmark != tpcx_hs.TpcxHs.name:
            continue
        if (found := tpcx_hs.outcome(line.rated)) is None:
            said.append(f"{line.framework}: TPCx-HS's rules want two valid runs")
            continue
        said.append(
            f"{line.framework}: {shown(found.performance)} TB/h of run {found.counts}, the slower of two that are "
            f"{found.apart:.1%} apart; {tpcx_hs.NO_RESULT}"
        )
    return said
