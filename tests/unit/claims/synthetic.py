"""Complete tables of study mimir, made up: a world in which the paper's numbers hold, or parts of them are missing.

The points come from the study's own experiments, so that columns, levels and names are those of real tables.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from harness.config import Config, EngineScale, load_config
from harness.plan.datasets import ranks_of, text_of
from harness.plan.engine import factors_of, passes_of
from harness.plan.points import expand
from harness.results.records import Factors, Identity, Metric

PROJECT = Path(__file__).parents[3]
CLAIMS = PROJECT / "config" / "claims" / "mimir.yaml"
IDENTITY = ["study", "experiment", "point", "rep"]
METRIC = ["metric", "value", "unit", "source"]
RAPL = "measured:rapl-powercap"
EMULATED = "emulated:knm-like"
SOURCES = {"cache.ll.misses": "simulated:cachegrind", "cpu.cv": "measured:perf-task-clock"}
NO_CAP = "the kernel lets nobody but root set a cap"
NO_POWER = "no power source: /sys/class/powercap is not there"
REDUCE_S = {"4B72": 98.3, "4B600": 60.0, "4B5K": 50.0, "4B40K": 53.0, "4B1M": 90.0, "4B5.6M": 100.0,
            "4B28M": 120.0, "4B42M": 130.0, "4B50M": 140.0}  # fmt: skip
APP_S = {"map-aggregate": 41.0, "group-by-key": 182.0}

Numbers = dict[str, float | None]
Change = Callable[[Identity, Numbers], None]
"""Alters the numbers of one run in place."""


@dataclass(frozen=True)
class World:
    """What the made-up tables are like."""

    scale: str = "paper"
    power: str = RAPL
    """Source of watts and joules; empty for none."""
    caps: bool = True
    status: str = "ok"
    """How all runs ended; `not-run` for tables with nothing but levels that could not be run."""
    change: Change | None = None


def runtime(f: Factors) -> float:
    """Seconds, as the paper tells them: ratios of its text, a sweet spot at 5,000 words, caps that lengthen."""
    seconds = APP_S.get(str(f["app"])) or REDUCE_S.get(str(f["data"]), 80.0)
    if f["data"] == "4B72" and f["app"] == "reduce-by-key":
        return seconds * {32: 1 / 1.8, 64: 1.0, 128: 1.7}[int(f["buffer_mb"] or 0)]
    if f["data"] == "4B42M":
        seconds *= {32: 0.9, 64: 1.0, 128: 1.1}[int(f["buffer_mb"] or 0)]
    slower = {120: 0.08, 140: 0.04, 215: 0.0}[int(f["cap_w"] or 0)]
    return (
        seconds
        * (1 + slower * (1.2 if f["platform"] == "knl" else 1))
        * (1.06 if f["platform"] == "knl" else 1)
    )


def swing(f: Factors) -> float:
    """Variation of power and CPU use over time: more with many words, and with a larger buffer."""
    return 0.01 * float(f["buffer_mb"] or 1) ** 0.5 * (2.0 if f["data"] in ("4B42M", "4B50M") else 1.0)


def watts(f: Factors, seconds: float) -> Numbers:
    """Power and energy of a run."""
    cap = float(f["cap_w"] or 0)
    low = f["app"] == "reduce-by-key" and f["data"] == "4B72"
    package = 113.0 if low else min(123.0, cap - 2)
    dram = 6.6
    return {
        "energy.pkg": package * seconds, "energy.dram": dram * seconds, "energy.total": (package + dram) * seconds,
        "power.pkg.mean": package, "power.pkg.max": package + (4 if low else 25 if cap > 140 else 1),
        "power.pkg.cv": swing(f), "power.dram.mean": dram,
        "power.dram.mean.map_aggregate": 8.0, "power.dram.mean.convert_reduce": 6.0, "power.idle": 70.0,
        "power.cap": cap,
    }  # fmt: skip


def counts(f: Factors) -> Numbers:
    """What a job counts: the formula's rate, one exchange unless a partition fills."""
    words, unique, ranks = float(f["words"] or 1000), float(f["unique"] or 100), float(f["ranks"] or 1)
    combined = f["combine"] != "none"
    sent = min(words, ranks * unique) if combined else words
    full = f["data"] in ("4B28M", "4B42M", "4B50M", "used", "overused") or not combined
    tidy = {"hash": 3.0, "repartition": 1.5, "split": 1.1}[str(f["balance"])]
    held = 40.0 * (sent if combined else words) * (1.4 if f["pipeline"] == "staged" else 1.0)
    held *= 1.2 if f["combine"] == "before" else 1.0
    return {
        "words": words, "keys": None if f["app"] == "map-aggregate" else unique,
        "words.expected": words, "keys.expected": unique, "kv.in": words, "kv.after_combine": sent,
        "combine.rate": 1 - sent / words, "shuffle.bytes": 24 * sent, "rounds": 9.0 if full else 1.0,
        "rounds.during_map": 8.0 if full else 0.0, "overlap.map_aggregate": 1.0 if full else -1.0,
        "overlap.convert_reduce": 0.5, "barriers": 1.0, "imbalance": tidy, "ranks.with_keys": ranks,
        "mem.kv": held, "mem.peak": held + 1e8, "disk.read": 0.0, "disk.write": 4096.0,
        "output.checksum": math.fmod(unique * 7919 + words, 2**52), "cache.misses": words * math.log10(1 + unique),
        "cache.ll.misses": words * math.log10(1 + unique),
    }  # fmt: skip


def numbers_of(who: Identity, world: World) -> list[Metric]:
    """All metrics of a run."""
    f = who.factors
    seconds = runtime(f) * (1 + 0.002 * (who.rep - 2)) * float(f["words"] or 4e7) / 4e9
    busy = 0.86 if f["data"] == "4B72" and f["app"] == "reduce-by-key" else 0.9
    cores = busy * float(f["ranks"] or 1)
    shape: Numbers = {"cpu.cv": swing(f), "trace.mean.cpu": cores}
    shape |= {"cpu.mean": cores, "cpu.total": cores * seconds, "cpu.frequency": 1e7 * float(f["cap_w"] or 0)}
    shape |= {"wait.aggregate": (0.95 - busy) * seconds, "wait.barrier": 0.01 * seconds}
    shape |= {"sampler.cpu": 0.1 * seconds / float(f["sample_ms"] or 100)}
    plain: Numbers = {"runtime": seconds, **counts(f), **shape}
    power: Numbers = watts(f, seconds)
    if world.change:
        every = {**plain, **power}
        world.change(who, every)
        plain, power = {k: every[k] for k in plain}, {k: every[k] for k in power}
    return [
        *(
            _metric(name, value, SOURCES.get(name, "measured:engine"), "not counted")
            for name, value in plain.items()
        ),
        *(
            _metric(name, value if world.power else None, world.power, NO_POWER)
            for name, value in power.items()
        ),
    ]


def _metric(name: str, value: float | None, source: str, reason: str) -> Metric:
    if value is None:
        return Metric(name=name, value=None, unit="1", source="none", reason=reason)
    return Metric(name=name, value=value, unit="1", source=source)


def head_of(who: Identity) -> dict[str, Any]:
    """The columns that say which run a row belongs to."""
    return {
        "study": who.study,
        "experiment": who.experiment,
        "point": who.point,
        "rep": who.rep,
        **who.factors,
    }


def run_rows(runs: list[Identity], absent: list[Identity], world: World) -> Iterable[dict[str, Any]]:
    """One row a run and metric, or one a run that gave no numbers; `absent` are levels that could not be run."""
    empty = {"metric": None, "value": None, "unit": None, "source": "none"}
    for order, who in enumerate(runs, 1):
        head = {**head_of(who), "order": order, "status": world.status, "reason": ""}
        if world.status != "ok":
            yield {**head, "reason": "exit code 9: out of memory", **empty}
            continue
        for metric in numbers_of(who, world):
            body = {
                "metric": metric.name,
                "value": metric.value,
                "unit": metric.unit,
                "source": metric.source,
            }
            yield {**head, **body, "reason": metric.reason}
    for who in absent:
        reason = f"no {who.factors['cap_w']} W cap: {NO_CAP}"
        yield {**head_of(who), "status": "not-run", "reason": reason, **empty}


def trace_rows(who: Identity, world: World, samples: int) -> Iterable[dict[str, Any]]:
    """A few samples of a run: power and CPU use rise and fall once."""
    end = runtime(who.factors)
    for place in range(samples):
        level = math.sin(math.pi * (place + 0.5) / samples)
        at = {**head_of(who), "t_s": end * (place + 1) / samples, "host": "node1"}
        yield {
            **at,
            "domain": "ranks",
            "metric": "cpu",
            "value": level,
            "unit": "cores",
            "source": "measured:procfs",
        }
        if world.power:
            for domain, most in (("package-0", 100), ("dram-0", 10)):
                watt = {"domain": domain, "metric": "power", "value": most * level, "unit": "W"}
                yield {**at, **watt, "source": world.power}


def event_rows() -> Iterable[dict[str, Any]]:
    """The exchanges of two examples on two ranks, partitions of four records: one a quarter full, one skewed."""
    rounds = {"underused": [(8, 1, 0)], "skewed": [(6, 4, 1), (11, 4, 1), (20, 4, 0)]}
    for (case, sent), rank in product(rounds.items(), (0, 1)):
        for word, *records in sent:
            for partition, held in enumerate(records):
                yield {"point": case, "case": case, "rank": rank, "word_index": word, "partition": partition,
                       "records": held, "bytes": 24 * held, "capacity_bytes": 96, "event": "exchange"}  # fmt: skip


def write(path: Path, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    """Write a CSV table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")  # DictWriter takes three times as long
        writer.writerow(columns)
        writer.writerows([row.get(name) for name in columns] for row in rows)


def points(config: Config, name: str) -> list[Identity]:
    """Every run of an experiment of study mimir, whether it can be made or not."""
    study, scale = config.studies["mimir"], config.scale.of("mimir", EngineScale)
    experiment = study.experiments[name]
    found = []
    for point in expand(experiment, study.defaults):
        ranks = ranks_of(str(point.levels["platform"]), study, scale)
        passes = passes_of(point, name, study, scale)
        text = text_of(study.datasets[str(point.levels["data"])], ranks, study, scale, 1, passes)
        factors = factors_of(point, text, study, scale, passes)
        for rep in range(1, (experiment.repetitions or scale.repetitions) + 1):
            who = {"study": "mimir", "experiment": name, "point": point.name, "rep": rep, "seed": 1}
            found.append(
                Identity.model_validate(
                    {**who, "scale": config.top.scale, "site": "local", "factors": factors}
                )
            )
    return found


def write_tables(folder: Path, world: World) -> Path:
    """Write all tables of study mimir below `folder`; returns it."""
    values = {**yaml.safe_load((PROJECT / "config" / "config.yaml").read_text()), "scale": world.scale}
    config = load_config({**values, "site": "local"}, PROJECT / "config")
    place = folder / "mimir"
    place.mkdir(parents=True, exist_ok=True)
    for name in config.studies["mimir"].experiments:
        every = points(config, name)
        absent = [] if world.caps else [who for who in every if who.factors["cap_w"] != 215]
        mine = [] if world.status == "not-run" else [who for who in every if who not in absent]
        factors = list(every[0].factors)
        columns = [*IDENTITY, "order", "status", "reason", *factors, *METRIC]
        write(place / f"{name}.csv", columns, run_rows(mine, absent, world))
        samples = (40 if name == "stages" else 3) if world.status == "ok" else 0
        traced = [row for who in mine for row in trace_rows(who, world, samples)]
        write(place / f"{name}.trace.csv", [*IDENTITY, *factors, "t_s", "host", "domain", *METRIC], traced)
    events = list(event_rows())
    write(place / "schematic.fill.csv", list(events[0]), events if world.status == "ok" else [])
    return folder
