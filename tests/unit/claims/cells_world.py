"""A made-up world in which the statements of the papers of mrev and hpc hold, or parts are missing.

The numbers are set by hand, each where a paper has one. Points come from the studies' own experiments. The tables of
such a world are in cells_tables.py.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CONFIG = Path(__file__).parents[3] / "config"
FACTORS = ["framework", "nodes", "disk", "benchmark"]
METER = "measured:ilo"
RATES = {"gbe": 200.0, "ib": 800.0}
NOT_ON_MPI = ("dfsio-write", "dfsio-read", "bayes", "pagerank", "grep")
MISSING = ("hadoop-uda", "rdma-hadoop", "homr")
GB = {"mrev": 128e9, "hpc": 50e9}

Factors = dict[str, Any]
Numbers = dict[str, float]
Change = Callable[[str, Factors, int, Numbers], None]
"""Alters the numbers of one run (study, factors, repetition) in place."""
Resample = Callable[[Factors, float, dict[tuple[str, str], float]], None]
"""Alters what a host does at a share of the run in place; values by domain and metric."""
Recount = Callable[[Factors, int, str, Numbers], None]
"""Alters the counters of a job (factors, its number, kind of tasks) in place."""


@dataclass(frozen=True)
class World:
    """What the made-up tables are like."""

    reps: int = 3
    nodes: tuple[int, ...] = (3, 5, 9, 13)
    disks: tuple[str, ...] = ("hdd", "ssd")
    missing: tuple[str, ...] = MISSING
    """Frameworks that nothing runs yet."""
    size: float = 1.0
    """Data over the paper's."""
    meter: str = ""
    """Source of watts and joules; empty for none."""
    status: str = "ok"
    failing: frozenset[tuple[str, str, int]] = frozenset()
    """Framework, benchmark and nodes of runs that fail."""
    change: Change | None = None
    ungrouped: bool = False
    """Frameworks of a cluster interleaved, as here, instead of one after the other, as the paper."""
    resample: Resample | None = None
    recount: Recount | None = None
    turned: bool = False
    """Traces that run from their end to their begin."""
    empty: frozenset[str] = field(default_factory=frozenset)
    """Tables `study/experiment` without a single row."""
    lost: frozenset[str] = field(default_factory=frozenset)
    """Names of files that the output directory lacks; `graphs` stands for all of a benchmark."""


PAPER = World(missing=("homr",), meter=METER)
"""Both papers' frameworks, all nodes and disks, with a meter."""


def interface(framework: str) -> str:
    """Interface of a framework."""
    return "gbe" if framework.endswith("-gbe") else "ib"


MREV_S = {"hadoop-gbe": (4000, 1500, 800), "hadoop-ipoib": (3600, 1000, 420), "hadoop-uda": (3000, 1700, 1200),
          "rdma-hadoop": (3200, 900, 380), "engine-gbe": (3400, 1050, 500),
          "engine-ipoib": (3300, 950, 450), "tez": (2400, 800, 350), "spark": (2300, 750, 330)}  # fmt: skip
"""Seconds on 5, 9 and 13 nodes. On 3 nodes it is half as much again as on 5."""
LINES = ("hadoop-1-", "hadoop-2-")
GAP = {("hdd", 3): 1.02, ("hdd", 5): 1.03, ("hdd", 9): 1.6, ("hdd", 13): 1.8,
       ("ssd", 3): 1.2, ("ssd", 5): 1.5, ("ssd", 9): 1.8}  # fmt: skip
"""TeraSort: time with GbE over that with IPoIB."""
UDA_SSD = {3: 300.0, 5: 170.0, 9: 100.0}
PAGERANK = {("hadoop-gbe", "hdd", 9): 1000.0, ("hadoop-ipoib", "hdd", 9): 767.0, ("hadoop-uda", "hdd", 9): 1050.0,
            ("hadoop-gbe", "hdd", 13): 900.0, ("hadoop-ipoib", "hdd", 13): 636.3, ("hadoop-uda", "hdd", 13): 950.0,
            ("hadoop-gbe", "ssd", 9): 971.0, ("hadoop-ipoib", "ssd", 9): 737.0,
            ("hadoop-uda", "ssd", 9): 816.0}  # fmt: skip


def terasort_s(framework: str, nodes: int, disk: str) -> float:
    """TeraSort of 50 GB."""
    base = 1000.0 / (nodes - 1) ** 0.8
    if framework == "hadoop-uda":
        return UDA_SSD.get(nodes, 50.0) if disk == "ssd" else 2.4 * base
    if framework.startswith("engine-"):
        best = 0.8 * UDA_SSD.get(nodes, 50.0) if disk == "ssd" else 0.6 * base
        return best * (1.1 if framework == "engine-gbe" else 1.0)
    if framework == "rdma-hadoop":
        return base * (1.0 if nodes == 13 else 0.97) * (0.95 if disk == "ssd" else 1.0)
    faster = {3: 0.6, 5: 0.61, 9: 0.75}.get(nodes, 0.8) if disk == "ssd" else 1.0
    return base * faster * (GAP[disk, nodes] if framework == "hadoop-gbe" else 1.0)


def wordcount_s(framework: str, nodes: int, disk: str) -> float:
    """WordCount of 50 GB."""
    share = {
        "hadoop-gbe": 1.04 if nodes == 3 else 1.03,
        "hadoop-ipoib": 0.99,
        "hadoop-uda": 0.9,
        "engine-gbe": 1.1,
        "engine-ipoib": 0.95,
    }
    own = share.get(framework, 1.2 if nodes == 3 else 1.0)
    return 900.0 / (nodes - 1) ** 0.95 * own * (0.97 if disk == "ssd" else 1.0)


def seconds(study: str, f: Factors) -> float:
    """Time of a run."""
    framework, nodes, disk, benchmark = (f[name] for name in FACTORS)
    if study == "mrev" and benchmark == "terasort":
        # Hadoop's earlier lines, of which no claim is.
        times = MREV_S["hadoop-ipoib" if framework.startswith(LINES) else framework]
        return {3: 1.5 * times[0], 5: times[0], 9: times[1], 13: times[2]}[nodes]
    if benchmark == "terasort":
        return terasort_s(framework, nodes, disk)
    if benchmark == "pagerank":
        found = PAGERANK.get((framework, disk, nodes))
        own = 1.0 if framework.endswith("-gbe") else 0.75
        return found or 1000.0 * own * (1 + 0.02 * (13 - nodes))
    if benchmark.startswith("dfsio"):
        return 1e4 / throughput(f)
    return wordcount_s(framework, nodes, disk)


def throughput(f: Factors) -> float:
    """Megabytes a second and stream of TestDFSIO."""
    framework, nodes, disk = f["framework"], f["nodes"], f["disk"]
    gain = {3: 1.8, 5: 1.5, 9: 1.2}.get(nodes, 1.1) if disk == "ssd" else 1.0
    base = 40.0 * gain
    if f["benchmark"] == "dfsio-write":
        return base * {"hadoop-gbe": 1 / 1.6, "hadoop-uda": 0.98, "rdma-hadoop": 1.5}.get(framework, 1.0)
    slow = {3: 1.0, 5: 1.2, 9: 1.4, 13: 1.6}[nodes]
    return base * {"hadoop-gbe": 1 / slow, "hadoop-uda": 0.98, "rdma-hadoop": 1.02}.get(framework, 1.0)


def watts(f: Factors, seconds_: float) -> float:
    """Mean power of all nodes: 120 W for the master, about 200 W for a worker, more varied where the disk counts."""
    sway = 0.05 if f["benchmark"] == "terasort" else 0.01
    wave = math.sin(zlib.crc32(repr(sorted(f.items())).encode()))
    if (f["framework"], f["disk"], f["nodes"], f["benchmark"]) == ("rdma-hadoop", "ssd", 9, "terasort"):
        return watts(f | {"nodes": 5}, 1) * (terasort_s("rdma-hadoop", 5, "ssd") / seconds_) ** 3
    more = 1.05 if (f["framework"], f["benchmark"]) == ("hadoop-ipoib", "pagerank") else 1.0
    return (120 + 200 * (f["nodes"] - 1)) * (1 + sway * wave) * more


def noise(study: str, f: Factors, rep: int) -> float:
    """Small between repetitions; large where the paper of mrev says so."""
    wild = study == "mrev" and f["nodes"] == 5 and f["framework"] in ("rdma-hadoop", "engine-gbe")
    return 1 + (0.1 if wild else 0.002) * (rep - 2)


def numbers(study: str, f: Factors, rep: int, world: World) -> Numbers:
    """All metrics of a run."""
    total = seconds(study, f) * noise(study, f, rep) * (1 if world.size >= 1 else 0.1)
    found = {"time.total": total, "time.work": 0.9 * total, "time.startup": 0.1 * total,
             "cpu.seconds": total * (f["nodes"] - 1), "memory.peak": 1e9 * f["nodes"], "net.bytes": 1e9,
             "disk.read": 1e8, "disk.written": 1e9, "link.rate": RATES[interface(f["framework"])], "load.mean": 2.0,
             "disturbed": 0.0, "hosts.sharing": 1 if world.size >= 1 else f["nodes"]}  # fmt: skip
    if f["benchmark"] == "terasort":
        found["records"] = GB[study] * world.size // 100
    if f["benchmark"].startswith("dfsio"):
        found["throughput.stream"] = throughput(f) * noise(study, f, rep)
        found["throughput.aggregate"] = found["throughput.stream"] * 7 * (f["nodes"] - 1)
        found |= {"files": 168.0, "files.bytes": 168 * 60 * 2.0**20}
    if f["benchmark"] == "pagerank":
        found |= {"iterations": 4, "vertices": 2**24}
    found |= conditions(f, found)
    power = watts(f, total)
    found |= {"power.mean": power, "energy.total": power * total, "ed2p": power * total**3}
    if f["benchmark"] == "terasort":
        cores = 16 * f["nodes"] if world.size >= 1 else 2
        found |= {"cores": cores, "records.per.core": found["records"] / total / cores}
        found |= {"records.per.joule": found["records"] / found["energy.total"]}
    if world.change:
        world.change(study, f, rep, found)
    return found


def conditions(f: Factors, found: Numbers) -> Numbers:
    """What each run's input and configuration were."""
    size = 100.0 * found.get("records", 1e7)
    workers = f["nodes"] - 1
    own = {"input.bytes": size, "input.changed": 1.7e9 + f["nodes"], "jobs": 1.0,
           "shuffle.bytes": size * (1.03 if f["benchmark"] == "terasort" else 0.002), "net.bytes.gbe": 0.0,
           "net.bytes.ib": 1e9, "conf.digest": 1e6 + f["nodes"], "conf.maps_at_once": 7.0 * workers,
           "conf.reduces_at_once": 7.0 * workers}  # fmt: skip
    if f["framework"].endswith("-gbe"):
        own |= {"net.bytes.gbe": 1e9, "net.bytes.ib": 0.0}
    if not f["framework"].startswith("engine-"):
        own |= {
            "local.written": 1.02 * size,
            "conf.map_heap": 3072.0,
            "conf.reduce_heap": 3072.0,
            "conf.block": 2.0**27,
            "conf.replication": 3.0,
        }
    return own


def config_of(study: str) -> dict[str, Any]:
    """A study's file."""
    found: dict[str, Any] = yaml.safe_load((CONFIG / "studies" / f"{study}.yaml").read_text(encoding="utf-8"))
    return found


def points(study: str, experiment: str, world: World) -> Iterator[Factors]:
    """The points of an experiment that a world has; of the papers, no SSD in the 13th node, no DFSIO on DataMPI."""
    declared = config_of(study)
    shape = declared["experiments"][experiment]
    levels = {**{k: [v] for k, v in declared["defaults"].items()}, **shape["factors"]}
    levels |= {name: [level] for name, level in shape.get("fixed", {}).items()}
    disks = ("hdd",) if study == "mrev" and "hdd" in world.disks else world.disks
    for framework in levels["framework"]:
        for nodes in levels["nodes"]:
            for disk in levels["disk"]:
                for benchmark in levels["benchmark"]:
                    f = dict(zip(FACTORS, (framework, nodes, disk, benchmark), strict=True))
                    there = nodes in world.nodes and disk in {*disks, "hdd"} and (disk, nodes) != ("ssd", 13)
                    if there and not skipped(study, experiment, f, world):
                        yield f


def skipped(study: str, experiment: str, f: Factors, world: World) -> bool:
    """Points that the papers have not."""
    if study == "mrev" and experiment == "resources":
        return bool(f["nodes"] != max(world.nodes))
    if study == "mrev" and f["benchmark"] == "terasort" and f["nodes"] == 3 and len(world.nodes) > 2:
        return True
    if f["framework"].startswith("engine-") and f["benchmark"] in NOT_ON_MPI:
        return True
    if study == "hpc" and f["benchmark"] == "pagerank" and 9 in world.nodes and f["nodes"] < 9:
        return True
    if experiment == "power":
        return world.meter == METER and bool(
            f["nodes"] != max(n for n in world.nodes if n < 13 or f["disk"] == "hdd")
        )
    return False


def trouble(f: Factors, world: World) -> tuple[str, str]:
    """How a run ended, and why."""
    if f["framework"] in world.missing:
        return "not-run", f"{f['framework']}: not built in yet"
    if f["disk"] not in world.disks:
        return "not-run", f"disk '{f['disk']}': the site's hosts have only ssd"
    failing = (f["framework"], f["benchmark"], f["nodes"]) in world.failing
    if failing or (f["framework"], f["benchmark"]) == ("rdma-hadoop", "pagerank"):
        return "failed", "exit code 1: out of memory"
    return world.status, "" if world.status == "ok" else "Hadoop is not built"


def head_of(study: str, experiment: str, f: Factors, rep: int) -> dict[str, Any]:
    """The columns that say which run a row belongs to."""
    point = "_".join(str(f[name]) for name in FACTORS)
    return {"study": study, "experiment": experiment, "point": point, "rep": rep, **f}


def order_of(f: Factors, world: World, rep: int) -> tuple[Any, ...]:
    """Sizes one after the other, within them clusters, within them frameworks or repetitions."""
    inner = (rep, f["framework"]) if world.ungrouped else (f["framework"], rep)
    return (f["nodes"], f["disk"], interface(f["framework"]), *inner, f["benchmark"])


MAP_SHARE = 0.43
"""End of the last map task over the time."""


def sample(f: Factors, at: float, worker: bool) -> dict[tuple[str, str], float]:
    """What a host does at a share of the run: domain and metric -> value."""
    maps = at <= MAP_SHARE
    busy = (
        0.9 * min(1.0, at / 0.3)
        if maps
        else 0.9 - (0.1 if f["benchmark"] == "wordcount" else 0.7) * (at - MAP_SHARE)
    )
    if f["benchmark"] == "pagerank":
        low, high = (0.25, 0.65) if f["framework"] == "hadoop-uda" else (0.1, 0.8)
        busy = high if math.sin(2 * math.pi * 4 * at) > 0 else low
    if f["benchmark"] == "terasort" and not maps:
        if f["framework"] == "hadoop-uda":
            busy = 0.35 + 0.1 * (1 - at)  # much of the time near its lower quartile
        elif f["framework"].startswith("engine-"):
            busy = 0.9 - 1.5 * (at - MAP_SHARE)
    if f["framework"] == "hadoop-ipoib":
        busy *= 1.03
    if f["framework"].startswith("engine-"):
        busy *= 0.8
    if not worker:
        busy = 0.05
    wait = 0.02 if maps else min(0.3, 1 - busy)
    net = (60e6 if maps else 20e6) * worker
    own = f"net:{interface(f['framework'])}"
    other = "net:gbe" if own == "net:ib" else "net:ib"
    idle = max(0.0, 1 - busy - wait)
    top = {"rdma-hadoop": 145.0}.get(f["framework"], 140.0)
    return {("cpu", "user"): 0.9 * busy, ("cpu", "system"): 0.1 * busy, ("cpu", "wait"): wait, ("cpu", "idle"): idle,
            ("memory", "used"): 2e9 + 8e9 * min(at, 0.5), ("disk", "read"): 40e6 if maps else 2e6,
            ("disk", "written"): 30e6 if maps else 60e6, ("disk", "utilisation"): 0.95 if at > 0.2 else 0.6,
            (own, "received"): net, (own, "sent"): net, (other, "received"): 1e4, (other, "sent"): 1e4,
            ("load", "1min"): 14 * (1 - abs(at - 0.5)), ("power", "power"): 100 + top * busy / 0.9}  # fmt: skip
