"""Computes the efficiency of a run from its other metrics: work per core, per CPU second and per joule. Pure.

Work is the records of the input where a benchmark counts them (sorts: records of 100 bytes), else the words of the
text. `records.per.core` is in records per second and core that the run might use, start-up included;
`records.per.cpu` in records per CPU second of all its processes; `records.per.joule` in records per joule of the
domains of `energy.total`, whose source it has: emulated joules give an emulated efficiency. For words likewise.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.results.records import Metric

WORK = ("records", "words")
TIME = ("time.total", "runtime")
CPU = ("cpu.seconds", "cpu.total")
"""Metrics of a run on a cluster, and of a run of the engine by itself."""


def core_count(count: float) -> Metric:
    """Returns the number of cores that a run might use."""
    return Metric(name="cores", value=count, unit="1", source="measured:procfs")


def efficiency(metrics: Sequence[Metric]) -> list[Metric]:
    """Returns the efficiency of a run; nothing for one that counts neither records nor words, or has no time."""
    known = {metric.name: metric for metric in metrics}
    work, time, cpu = (next(filter(None, map(known.get, names)), None) for names in (WORK, TIME, CPU))
    if work is None or not work.value or time is None:
        return []
    cores = known.get("cores")
    spent = None if cores is None or time.value is None else (cores.value or 0) * time.value
    found = [per(work, "core", spent, "1/s", time)]
    if cpu:
        found.append(per(work, "cpu", cpu.value, "1/s", cpu))
    if energy := known.get("energy.total"):
        found.append(per(work, "joule", energy.value, "1/J", energy))
    return found


def per(work: Metric, what: str, amount: float | None, unit: str, of: Metric) -> Metric:
    """Returns the work per `amount` of what metric `of` measures, with its source, or its reason for being empty."""
    name = f"{work.name}.per.{what}"
    if amount and work.value:
        return Metric(name=name, value=work.value / amount, unit=unit, source=of.source)
    reason = of.reason or f"{of.name} is zero or unknown"
    return Metric(name=name, value=None, unit=unit, source="none", reason=reason)
