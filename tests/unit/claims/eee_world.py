"""Made-up tables of study eee: a world in which the statements of its paper hold, or parts of it are missing.

The numbers are set by hand, each where the paper has one, so the world is not always physical: its own numbers
disagree in places (see the claims marked so).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FACTORS = ["workload", "nodes", "buffer", "tcp", "setting", "stall_us", "latency_us", "load", "scheduler", "flavour",
           "queue", "variant"]  # fmt: skip
HEAD = ["study", "experiment", "point", "rep"]
STATE = ["order", "status", "reason"]
METRIC = ["metric", "value", "unit", "source"]
SOURCE = "simulated:netsim"
BASE = {"workload": "small", "nodes": 24, "buffer": "shallow", "tcp": "default", "setting": "nopa", "stall_us": 0,
        "latency_us": 0, "load": 40, "scheduler": "quincy", "flavour": "newreno", "queue": "drop-tail",
        "variant": "base"}  # fmt: skip
NODES = (24, 50, 80)
HELD = ("12us10", "120us100", "1ms1000", "10ms1000")
LOADS = (5, 10, 20, 30, 40, 55)
CHOICES = ("base", "strict", "hold-full", "symmetric", "random", "replication3", "mrperf-cpu")
MEGA = 1e6

Factors = dict[str, Any]
Numbers = dict[str, float]
Change = Callable[[str, Factors, Numbers], None]
"""Alters the numbers of one run of the named experiment in place."""


@dataclass(frozen=True)
class World:
    """What the made-up tables are like."""

    reps: int = 3
    nodes: tuple[int, ...] = NODES
    size: float = 1.0
    """Data of a job over the paper's."""
    status: str = "ok"
    change: Change | None = None
    empty: frozenset[str] = field(default_factory=frozenset)
    """Experiments without a single row."""
    choices: tuple[str, ...] = ()
    """Open choices, levels of factor variant, under which the experiments were run once more."""


@cache
def link_power(u: float, setting: str, abort: bool = True) -> float:
    """Closed form of a 10GBASE-T link with Poisson arrivals of 1,500-byte frames; times in microseconds."""
    if setting == "legacy":
        return 1.0
    lam, asleep, awake = u / 1.2, 2.88, 4.48
    if setting == "ideal":
        return 0.1 + 0.9 * u
    stay = math.exp(-lam * asleep)
    if setting.startswith("nopa"):
        off = stay / lam
        cycle = 1 / lam + awake * stay if abort and setting != "nopa-strict" else off + asleep + awake
        return 1 - 0.9 * (1 - u) * off / cycle
    hold, trigger = {"12us10": (12, 10), "120us100": (120, 100), "1ms1000": (1000, 1000)}.get(
        setting, (1e4, 1000)
    )
    off = sum(poisson(k, lam * asleep) - poisson(k, lam * hold) for k in range(trigger)) / lam
    off += poisson(trigger - 1, lam * hold) / lam
    return 1 - 0.9 * (1 - u) * off / (off + asleep + awake)


@cache
def poisson(most: int, mean: float) -> float:
    """P(N <= most) of a Poisson number."""
    if most > mean + 10 * math.sqrt(mean) + 20:
        return 1.0
    return sum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(most + 1))


def overhead(f: Factors) -> float:
    """Runtime over that of standard EEE, less one."""
    deep, tuned = f["buffer"] == "deep", f["tcp"] == "tuned"
    cost = {"12us10": 0.006, "120us100": 0.009, "1ms1000": 0.015, "10ms1000": 0.02}.get(f["setting"], 0.0)
    if f["setting"] in ("1ms1000", "10ms1000") and not deep:
        return 0.25 + 0.05 * (not tuned) + 0.5 * (f["setting"] == "10ms1000")
    if f["setting"] == "1ms1000" and f["workload"] == "small" and not tuned:
        return 0.06
    if f["setting"] == "10ms1000" and f["workload"] == "small":
        return 0.2 if tuned else 0.9 - 0.005 * f["nodes"]
    return cost


def loss_at(load: float) -> float:
    """Overhead of 1ms1000 over the CPU load."""
    return {5: 0.2, 10: 0.15, 20: 0.1, 30: 0.08}.get(load, 0.01)


def seconds(experiment: str, f: Factors) -> tuple[float, float]:
    """Total and average runtime."""
    batch = f["workload"] == "batch"
    mean = {"small": 42.0, "terasort": 50.0}.get(f["workload"], 90.0 + 0.2 * f["nodes"])
    total = mean if batch else 900.0
    slower = 1.0
    if experiment == "coalescing":
        slower = 1 + overhead(f)
    elif experiment in ("latency", "placement"):
        slower = 1 + 0.02 * (f["latency_us"] / (5000 if batch else 100)) * (
            0.5 if experiment == "placement" else 1
        )
    elif experiment == "stall":
        slower = 1.008 - 0.008 * min(f["stall_us"], 50) / (f["nodes"] + 26)
    elif experiment in ("load", "load_tuned", "adaptive"):
        slower = 1 + loss_at(f["load"]) * (f["setting"] == "core:1ms1000" and f["buffer"] == "shallow")
        mean, total = mean * (1 + f["load"] / 100), total * (1 + f["load"] / 500)
    elif experiment == "scheduler":
        grow = {"quincy": 1.0, "fair": 1.1, "fifo": 1.4}[f["scheduler"]]
        mean, total = mean * (1 + grow * f["load"] / 100), total * (1 + grow * f["load"] / 400)
    elif experiment == "standard":
        slower = 1.0 if f["setting"] == "nopa" else 1 / 1.006
    elif f["setting"] in ("1ms1000", "core:1ms1000") and f["buffer"] == "shallow":
        slower = 1.2 if f["flavour"] == "newreno" else 1.03
    return total * slower, mean * slower


SHARES = {"nopa": (1, 1), "12us10": (0.99, 0.75), "120us100": (0.97, 0.6), "1ms1000": (0.96, 0.4),
          "10ms1000": (0.95, 0.38), "ideal": (0.8, 0.37), "legacy": (6.5, 4), "adaptive": (1, 0.42)}  # fmt: skip
"""Energy of 1GbE and 10GbE links over that of standard EEE."""


def energies(experiment: str, f: Factors, total: float) -> Numbers:
    """Joules by class and in all."""
    name = f["setting"].removeprefix("core:")
    edge, core = SHARES.get(name.removesuffix("+"), (1, 1))
    if name.endswith("+"):
        core = SHARES["1ms1000"][1]
    if f["setting"].startswith("core:"):
        edge = 1
    always_edge, always_core = f["nodes"] * total, 10 * total
    nopa_edge, nopa_core = 0.15 * always_edge, 0.25 * always_core * (1 + 0.3 * f["stall_us"] / 100)
    joules = {"edge": nopa_edge * edge * (1 + 0.2 * f["stall_us"] / 100), "core": nopa_core * core}
    every = 0.17 * (always_edge + always_core)
    nopa = 1 / (5 + f["nodes"] / 80 + 0.2 * (f["workload"] == "small"))
    if experiment == "standard":
        every = (always_edge + always_core) * {"legacy": 1.0, "nopa": nopa}.get(name, nopa / 1.6)
    elif experiment == "coalescing":
        every = (always_edge + always_core) * nopa
        every *= {"12us10": 0.75, "120us100": 0.6, "1ms1000": 0.55, "10ms1000": 0.54}.get(name, 1.0) / (
            1 + overhead(f)
        )
    elif experiment in ("nonuniform", "recommended"):
        saved = (0.4 - 0.0025 * f["nodes"] + 0.02 * (f["workload"] == "small")) * (1 - core) / 0.6
        every *= 1 - saved - (1 - edge) / 10 + (0.01 if name.endswith("+") else 0)
    elif experiment in ("load", "load_tuned", "adaptive"):
        every *= {"1ms1000": 0.6, "120us100": 0.74, "12us10": 0.85, "ideal": 0.55, "adaptive": 0.6}.get(
            name, 1.0
        )
    else:
        every = joules["edge"] + joules["core"]
    if experiment == "standard" and name == "legacy":
        joules = {"edge": always_edge, "core": always_core}
    return {"energy.edge": joules["edge"], "energy.core": joules["core"], "energy.total": every,
            "energy.port.edge": joules["edge"] / (2 * f["nodes"]), "energy.port.core": joules["core"] / 4,
            "energy.port.mean": every / (2 * f["nodes"] + 4)}  # fmt: skip


def moved(f: Factors, jobs: int, size: float) -> Numbers:
    """Bytes read, shuffled and written."""
    read = size * 2**20 * (256 * (f["nodes"] - 1) if f["workload"] == "batch" else 640 * jobs)
    sent = read * (251.3 / 640 if f["workload"] == "small" else 1)
    return {"input.bytes": read, "shuffle.bytes": sent, "output.bytes": sent}


def numbers(experiment: str, f: Factors, rep: int, world: World) -> Numbers:
    """All metrics of one run."""
    noise = 1 + 0.002 * (rep - 2)
    if experiment == "link":
        u = f["load"] / 100
        power = link_power(u, f["setting"])
        wait = 1e-6 * {"12us10": 12, "120us100": 67, "1ms1000": 505, "10ms1000": 5e3}.get(f["setting"], 5)
        found = {"power.rel": min(power * (1 + 0.002 * (rep - 2) * (f["setting"] in HELD)), 1.0),
                 "power.rel.closed": power, "wait.mean": wait * noise, "wait.closed": wait}  # fmt: skip
    else:
        total, mean = seconds(experiment, f)
        batch = f["workload"] == "batch"
        jobs = 1 if batch else 60
        lost = 0 if f["buffer"] == "deep" else 9000 if f["setting"] in ("1ms1000", "core:1ms1000") else 300
        joules = energies(experiment, f, total)
        always = (10 + f["nodes"]) * total
        found = {"makespan": total, "runtime.mean": mean, "jobs": jobs, "cpu.load": f["load"] / 100,
                 "drops": lost, "marks": 0 if f["queue"] == "drop-tail" else 5000, "timeouts": lost / 50,
                 "cpu.load.arriving": f["load"] / 100,
                 "holds.trigger.core": 9e5, "holds.full.core": 0, "holds.timer.core": 1e5,
                 **moved(f, jobs, world.size),
                 "power.rel": joules["energy.total"] / always,
                 "power.core.rel": max(joules["energy.core"] / 10 / total, 0.11),
                 "power.edge.rel": joules["energy.edge"] / f["nodes"] / total, "packets": 1e6,
                 "hops": 4e6, **joules}  # fmt: skip
        found = {
            name: value * (noise if not name.startswith(("jobs", "cpu.load")) and "bytes" not in name else 1)
            for name, value in found.items()
        }
    if world.change:
        world.change(experiment, f, found)
    return found


def cross(**levels: tuple[Any, ...]) -> Iterator[Factors]:
    """The full cross of the levels over the base."""
    points: list[Factors] = [dict(BASE)]
    for name, values in levels.items():
        points = [{**point, name: value} for point in points for value in values]
    yield from points


def points(experiment: str, world: World) -> Iterator[Factors]:
    """The points of an experiment."""
    nodes, loads = world.nodes, LOADS
    both, core = ("small", "batch"), ("core:120us100", "core:1ms1000")
    all_loads = {"workload": ("terasort",), "load": loads}
    shapes: dict[str, list[dict[str, tuple[Any, ...]]]] = {
        "link": [{"setting": ("legacy", "ideal", "nopa", "nopa-strict", *HELD),
                  "load": (1, 5, 10, 20, 30, 50, 70, 90)}],
        "scheduler": [{"load": loads, "scheduler": ("quincy", "fair", "fifo")}],
        "latency": [{"workload": both, "latency_us": (0, 16.5, 30, 100, 300, 1000, 5000, 10000)}],
        "placement": [{"workload": ("batch",), "variant": ("random",), "latency_us": (0, 300, 1000, 5000, 10000)}],
        "stall": [{"nodes": nodes, "stall_us": (0, 10, 25, 50, 100)}],
        "standard": [{"workload": both, "nodes": nodes, "setting": ("legacy", "nopa", "ideal")}],
        "coalescing": [{"workload": both, "nodes": nodes, "buffer": ("shallow", "deep"), "tcp": ("default", "tuned"),
                        "setting": ("nopa", *HELD)}],
        "nonuniform": [{"workload": both, "nodes": nodes, "buffer": ("deep",), "tcp": ("tuned",),
                        "setting": ("nopa", "12us10", "12us10+", "120us100", "120us100+", "1ms1000", "ideal")}],
        "load": [{**all_loads, "setting": ("core:ideal", "nopa", "core:12us10", *core)},
                 {"workload": ("terasort",), "load": (5,), "buffer": ("deep",), "setting": ("nopa", "core:1ms1000")}],
        "load_tuned": [{**all_loads, "load": (5, 20, 40), "tcp": ("tuned",), "setting": ("nopa", "core:1ms1000")}],
        "recommended": [{"workload": both, "nodes": nodes, "buffer": ("deep",), "tcp": ("tuned",),
                         "setting": ("nopa", *core)}],
        "sensitivity": [{"workload": both, "setting": ("nopa", "120us100", "1ms1000", "ideal"),
                         "variant": CHOICES}],
        "dctcp": [{"workload": both, "setting": ("nopa", "core:1ms1000", "1ms1000")},
                  {"workload": both, "setting": ("nopa", "core:1ms1000", "1ms1000"), "flavour": ("dctcp",),
                   "queue": ("ecn",)}],
        "adaptive": [{**all_loads, "setting": ("nopa", "core:ideal", *core, "adaptive")}],
        "fabric": [{"nodes": (1024,), "setting": ("nopa", "120us100", "core:1ms1000", "ideal")}],
    }  # fmt: skip
    for shape in shapes[experiment]:
        yield from cross(**shape)


EXPERIMENTS = ("link", "scheduler", "latency", "placement", "stall", "standard", "coalescing", "nonuniform", "load",
               "load_tuned", "recommended", "sensitivity", "dctcp", "adaptive", "fabric")  # fmt: skip

UNDER_CHOICES = ("latency", "stall", "standard", "coalescing", "nonuniform", "load", "recommended")


def rows(experiment: str, world: World, variants: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """One row a run and metric, or one a run that gave no numbers; under each of `variants` if there are any."""
    order = 0
    every = [f for f in points(experiment, world) if experiment not in world.empty]
    for f in [{**f, "variant": variant} for variant in variants for f in every] if variants else every:
        shown = {name: f[name] for name in ("setting", "load")} if experiment == "link" else f
        for rep in range(1, world.reps + 1):
            order += 1
            point = "_".join(str(value) for value in shown.values())
            head = {
                "study": "eee",
                "experiment": experiment,
                "point": point,
                "rep": rep,
                "order": order,
                **shown,
            }
            if world.status != "ok":
                yield {**head, "status": world.status, "reason": "netsim is not built", "source": "none"}
                continue
            for name, value in numbers(experiment, f, rep, world).items():
                yield {
                    **head,
                    "status": "ok",
                    "metric": name,
                    "value": round(value, 9),
                    "unit": "1",
                    "source": SOURCE,
                }


def write(path: Path, columns: list[str], body: Iterator[dict[str, Any]]) -> None:
    """Write a CSV table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")  # DictWriter takes three times as long
        writer.writerow(columns)
        writer.writerows([row.get(name) for name in columns] for row in body)


def write_tables(folder: Path, world: World) -> Path:
    """Write all tables of study eee below `folder`; returns it."""
    for experiment in EXPERIMENTS:
        factors = ["setting", "load"] if experiment == "link" else FACTORS
        columns = [*HEAD, *STATE, *factors, *METRIC]
        write(folder / "eee" / f"{experiment}.csv", columns, rows(experiment, world))
        if world.choices and experiment in UNDER_CHOICES:
            under = rows(experiment, world, ("base", *world.choices))
            write(folder / "eee" / f"{experiment}_choices.csv", columns, under)
    return folder


def timeline_rows() -> Iterator[dict[str, Any]]:
    """States and queue of a port that sends six frames, two of them together."""
    changes: list[tuple[float, str, int]] = [(0.0, "state", 2), (0.0, "queue", 0)]
    for came, frames in ((8.0, 1), (31.0, 2), (52.0, 1), (90.0, 1), (106.0, 1)):
        awake = came + 4.48
        changes += [(came + 2 * k, "queue", k + 1) for k in range(frames)] + [
            (came, "state", 3),
            (awake, "state", 0),
        ]
        changes += [(awake + 1.2 * (k + 1), "queue", frames - 1 - k) for k in range(frames)]
        changes += [(awake + 1.2 * frames, "state", 1), (awake + 1.2 * frames + 2.88, "state", 2)]
    head = {
        "study": "eee",
        "experiment": "timeline",
        "point": "nopa_5",
        "rep": 1,
        "setting": "nopa",
        "load": 5,
    }
    for at, metric, value in sorted(changes, key=lambda change: change[0]):
        where = {"t_s": f"{at * 1e-6:.12f}", "host": "link", "domain": "port", "metric": metric}
        yield {**head, **where, "value": value, "unit": "1", "source": SOURCE}


def write_timeline(folder: Path, empty: bool = False) -> Path:
    """Write the two tables of the short run below `folder`; returns it."""
    factors = ["setting", "load"]
    run = {"study": "eee", "experiment": "timeline", "point": "nopa_5", "rep": 1, "order": 1, "status": "ok",
           "setting": "nopa", "load": 5, "metric": "power.rel", "value": 0.4, "unit": "1",
           "source": SOURCE}  # fmt: skip
    write(folder / "eee" / "timeline.csv", [*HEAD, *STATE, *factors, *METRIC], iter([] if empty else [run]))
    columns = [*HEAD, *factors, "t_s", "host", "domain", *METRIC]
    write(folder / "eee" / "timeline.trace.csv", columns, iter([]) if empty else timeline_rows())
    return folder
