"""Builds the JSON summary of one run: totals, quality of the sampling, provenance."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import socket
import statistics
from pathlib import Path
from typing import Any

from harness.kernel.cpuclock import PROCFS, tick_s
from harness.measure.caps import CapState
from harness.measure.model import NONE, Resolved
from harness.measure.sampler import Run
from harness.measure.series import Series

SCHEMA = 1
_PSI = re.compile(r"^some .*total=(\d+)", re.MULTILINE)


def host_name() -> str:
    """Returns the name of this host, as in the trace."""
    return socket.gethostname()


def pressure_us() -> int | None:
    """Returns the microseconds in which some task here waited for a CPU; None where the kernel does not tell (PSI)."""
    try:
        match = _PSI.search(Path("/proc/pressure/cpu").read_text())
    except OSError:
        return None
    return int(match[1]) if match else None


def domain_summary(series: Series, source: str) -> dict[str, Any]:
    """Returns energy and power of one domain."""
    return {
        "energy_J": series.total,
        "power_mean_W": series.mean,
        "power_max_W": None if series.reason else series.rate_max,
        "span_s": series.duration_s,
        "samples": series.samples,
        "dropped": series.dropped,
        "kind": series.kind,
        "source": source if series.total is not None else "none",
        "reason": series.reason,
    }


def cpu_summary(run: Run) -> dict[str, Any]:
    """Returns CPU use of the ranks. `granularity_s` is the step in which the clock of a running rank moves."""
    source = run.ranks.source if run.ranks and run.ranks.ranks else NONE
    total = run.cpu.total if source != NONE else None
    return {
        "cpu_s": total,
        "mean_cores": run.cpu.mean if source != NONE else None,
        "max_cores": run.cpu.rate_max if source != NONE else None,
        "samples": run.cpu.samples,
        "dropped": run.cpu.dropped,
        "ranks_seen": run.ranks.ranks if run.ranks else 0,
        "unseen_s": run.ranks.unseen_s if run.ranks else None,
        "granularity_s": {NONE: None, PROCFS: tick_s()}.get(source, 0.0),
        "source": source,
        "reason": "" if total is not None else "no rank of the job was seen",
    }


def core_summary(run: Run) -> dict[str, Any]:
    """Returns core frequency and cache misses, each with its source or the reason why there is none."""
    hertz, misses = run.frequency.mean_hz, run.misses.total
    return {
        "frequency_hz": hertz,
        "frequency_source": run.frequency.source if hertz is not None else NONE,
        "frequency_reason": ""
        if hertz is not None
        else run.frequency.reason or "no sample while the job ran",
        "cache_misses": misses,
        "cache_misses_source": run.misses.SOURCE if misses is not None else NONE,
        "cache_misses_reason": run.misses.reason,
    }


def build(
    run: Run, resolved: Resolved, cap: CapState | None, psi: tuple[int | None, int | None]
) -> dict[str, Any]:
    """Builds the summary of a finished run (`run.finish` was called); `psi` is pressure_us() at start and end."""
    duration = (run.end or 0.0) - (run.origin or 0.0)
    domains = {name: domain_summary(series, run.source_name) for name, series in run.power.items()}
    for name, (joules, reason) in run.reader.afterwards().items():
        domains[name] = {
            "energy_J": joules,
            "power_mean_W": joules / duration if joules is not None and duration > 0 else None,
            "power_max_W": None,
            "span_s": duration,
            "samples": 0,
            "dropped": 0,
            "kind": "afterwards",
            "source": run.source_name if joules is not None else "none",
            "reason": reason,
        }
    widths = sorted(width for series in (run.cpu, *run.power.values()) for width in series.half_widths)
    used = resource.getrusage(resource.RUSAGE_SELF)
    waited = psi[1] - psi[0] if psi[0] is not None and psi[1] is not None else None
    return {
        "schema": SCHEMA,
        "source": run.source_name,
        "scope": resolved.source.scope,
        "reason": resolved.reason,
        "host": host_name(),
        "period_ms": run.period_s * 1e3,
        "duration_s": duration,
        "ticks": run.ticks,
        "samples": run.cpu.samples + sum(series.samples for series in run.power.values()),
        "missed": run.missed,
        "dropped": run.cpu.dropped + sum(series.dropped for series in run.power.values()),
        "half_width_median_s": statistics.median(widths) if widths else None,
        "half_width_max_s": widths[-1] if widths else None,
        "sampler_cpu_s": used.ru_utime + used.ru_stime,
        "cpu": cpu_summary(run),
        "cores": core_summary(run),
        "domains": domains,
        "idle_W": {name: series.mean for name, series in run.idle.items()},
        "cap": cap.as_json() if cap else None,
        "psi_cpu_some_s": None if waited is None else waited / 1e6,
        "psi_cpu_some_share": None if waited is None or duration <= 0 else waited / 1e6 / duration,
        "versions": {"python": platform.python_version(), "kernel": platform.release(), "schema": SCHEMA},
        **run.reader.details(),
    }


def write(path: Path, summary: dict[str, Any]) -> None:
    """Writes the summary under a temporary name, then renames it."""
    part = path.with_name(path.name + ".part")
    text = json.dumps(summary, indent=1, sort_keys=False)
    with part.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(part, path)
