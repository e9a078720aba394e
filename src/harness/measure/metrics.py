"""Metrics from the sampler: totals of its summary, and shape of its trace. Pure but for `read_trace`."""

from __future__ import annotations

import csv
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.results.records import Metric

PROCFS = "measured:procfs"
DOMAINS = {"package": "pkg", "dram": "dram"}
"""Power domains by the first part of their name, and how the metrics call them."""


@dataclass(frozen=True)
class Sample:
    """One row of a trace: seconds since the start of sampling, what, how much."""

    t_s: float
    domain: str
    metric: str
    value: float
    source: str


Windows = dict[str, tuple[float, float]]
"""Phases of the job by name: begin and end in seconds of the trace's clock."""


def read_trace(path: Path) -> list[Sample]:
    """All rows of a trace file written by the sampler."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Sample(float(row["t_s"]), row["domain"], row["metric"], float(row["value"]), row["source"])
            for row in csv.DictReader(file)
        ]


def _missing(name: str, unit: str, reason: str) -> Metric:
    return Metric(name=name, value=None, unit=unit, source="none", reason=reason)


def _metric(name: str, value: float | None, unit: str, source: str, reason: str) -> Metric:
    if value is None:
        return _missing(name, unit, reason or "not measured")
    return Metric(name=name, value=value, unit=unit, source=source)


def domain_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Energy and power of package and DRAM, summed over sockets; empty with the reason where not measured."""
    metrics: list[Metric] = []
    energies: list[float | None] = []
    source = summary["source"]
    why = summary["reason"] or "the power source gives no such domain"
    for prefix, short in DOMAINS.items():
        found = [values for name, values in summary["domains"].items() if name.startswith(prefix)]
        complete = bool(found) and all(values["energy_J"] is not None for values in found)
        reason = next((values["reason"] for values in found if values["energy_J"] is None), why)
        energy = sum(values["energy_J"] for values in found) if complete else None
        mean = sum(values["power_mean_W"] for values in found) if complete else None
        maxima = [values["power_max_W"] for values in found]
        # The maxima of several sockets need not fall together, so their sum would be no power ever drawn.
        peak = maxima[0] if complete and len(maxima) == 1 else None
        energies.append(energy)
        metrics += [
            _metric(f"energy.{short}", energy, "J", source, reason),
            _metric(f"power.{short}.mean", mean, "W", source, reason),
            _metric(f"power.{short}.max", peak, "W", source, reason if not complete else "several sockets"),
        ]
    package, dram = energies
    node, node_reason = node_energy(summary)
    total = package + (dram or 0.0) if package is not None else node
    metrics.append(_metric("energy.node", node, "J", source, node_reason or why))
    return [*metrics, _metric("energy.total", total, "J", source, node_reason or why)]


def node_energy(summary: dict[str, Any]) -> tuple[float | None, str]:
    """Joules of whole nodes, which some sources give instead of packages and DRAM; or why there are none."""
    found = [values for name, values in summary["domains"].items() if name.startswith("node")]
    reasons = [values["reason"] for values in found if values["energy_J"] is None]
    if not found or reasons:
        return None, next(iter(reasons), "")
    return sum(values["energy_J"] for values in found), ""


def cap_metrics(summary: dict[str, Any]) -> list[Metric]:
    """The power cap in force, all packages together: the lower limit of each, as read back. Empty without a cap."""
    cap = summary.get("cap")
    if not cap:
        return []
    lowest: dict[str, float] = {}
    for limit in cap["read_back"]:
        lowest[limit["zone"]] = min(limit["W"], lowest.get(limit["zone"], float("inf")))
    return [Metric(name="power.cap", value=sum(lowest.values()), unit="W", source=cap["source"])]


def idle_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Power of all packages at rest before the run."""
    found = [watts for name, watts in summary["idle_W"].items() if name.startswith("package")]
    complete = bool(found) and None not in found
    reason = summary["reason"] or "the power source gives no package power before a run"
    return [_metric("power.idle", sum(found) if complete else None, "W", summary["source"], reason)]


def core_metrics(summary: dict[str, Any]) -> list[Metric]:
    """Core frequency and cache misses while the job ran."""
    cores = summary["cores"]
    return [
        _metric(name, cores[key], unit, cores[f"{prefix}_source"], cores[f"{prefix}_reason"])
        for name, key, prefix, unit in (
            ("cpu.frequency", "frequency_hz", "frequency", "Hz"),
            ("cache.misses", "cache_misses", "cache_misses", "1"),
        )
    ]


def phase_metrics(samples: list[Sample], windows: Windows) -> list[Metric]:
    """Mean power of each domain within each phase of the job, where power was sampled."""
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
    """Mean and coefficient of variation of one trace while the job ran (start-up and end left out)."""
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
    """All metrics that the sampler's summary and trace give."""
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
