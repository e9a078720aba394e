"""Made-up tables of study nvm: a world in which the slides' statements hold, or parts are missing.

The numbers are set by hand, each where the slides have one. Points come from the study's own experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cells_tables import HEAD, METRIC, STATE, write
from cells_world import CONFIG

from harness.config.cells_study import CellsStudy
from harness.config.load import STUDY, read_yaml
from harness.plan.points import expand
from harness.results.tables import COUNTER, STAGE, TASK

FACTORS = ["framework", "nodes", "disk", "benchmark", "size"]
MAPS = 8
"""Map tasks of a run."""
MISSING = ("homr",)
GB = 20e9

Factors = dict[str, Any]
Stages = dict[str, float]
Change = Callable[[Factors, Stages], None]
"""Alters the stages of one map in place: seconds, and bytes of disk_spill, disk_write and output."""


@dataclass(frozen=True)
class World:
    """What the made-up tables are like."""

    reps: int = 3
    nodes: tuple[int, ...] = (9,)
    disks: tuple[str, ...] = ("hdd", "sata", "ssd")
    sizes: tuple[float, ...] = (0.5, 1, 1.25, 1.6, 2)
    missing: tuple[str, ...] = MISSING
    """Frameworks that nothing runs yet."""
    left_out: tuple[str, ...] = ()
    """Experiments without a single row."""
    scale: float = 1.0
    """Data over the slides'."""
    status: str = "ok"
    change: Change | None = None
    got: float = 9.0
    """Delay that there was over the time of a write to DRAM."""


PAPER = World(missing=())
"""All frameworks, on the slides' 8 workers."""
LAPTOP = World(nodes=(3,), disks=("sata", "ssd"), sizes=(1,), left_out=("sizes", "penalty"), scale=0.006)
"""As here: no HOMR, two workers."""

RMC = 10.0
"""Read, map and collect of a map, seconds."""
SPILL_MERGE = {"sort": 2.71, "terasort": 3.75}
"""Over read, map and collect; 1.71 more for Sort by the other reading of the slides' words."""
FASTER = 3.5
"""Spill and merge in NVRAM: a factor that meets both what the slides say of spills and of map phases."""
GAIN = {
    **{"sort": 0.42, "terasort": 0.39, "pagerank": 0.21, "wordcount": 0.18, "kmeans": 0.11},
    **{"adjacency-list": 0.39, "self-join": 0.58, "ranked-inverted-index": 0.39},
    **{"sequence-count": 0.32, "inverted-index": 0.18},
}
"""Of RMR-NVM over MR, HiBench and PUMA."""
COMPARED = {"sort": (0.55, 0.28), "terasort": (0.51, 0.31)}
"""Of RMR-NVM over MR and over RMR, in the comparison of Sort and TeraSort."""


def in_memory(framework: str) -> bool:
    """Whether a framework's spills are in memory."""
    return "nvm" in framework or framework in ("mr-dram", "mr-optane")


def slowdown(framework: str) -> float:
    """Time of a write over one to DRAM."""
    last = framework.rpartition("-")[2]
    return float(last) if last.isdigit() else 1.0 if framework == "mr-dram" else 10.0


def seconds(experiment: str, f: Factors) -> float:
    """Time of a run."""
    framework, benchmark = f["framework"], f["benchmark"]
    base = 100.0 * float(f["size"]) * (1.3 if f["disk"] == "hdd" else 1.0)
    if framework == "mr-ramdisk":
        return base * 0.84
    if framework == "mr-pmem-cache":
        return base * 0.95
    total, spill = COMPARED.get(benchmark, (0.0, 0.0))
    if experiment == "hibench" or experiment == "puma":
        total = GAIN[benchmark]
        spill = total / 2
    rdma = (1 - total) / (1 - spill)
    if framework in ("rmr", "homr"):
        return base * rdma
    if framework == "rmr-nvm":
        return base * (1 - total)
    return base * ((1 - spill) + 0.002 * (slowdown(framework) - 10) if in_memory(framework) else 1.0)


def stages_of(f: Factors, number: int) -> Stages:
    """Seconds and bytes of one map."""
    own = in_memory(f["framework"])
    ratio = SPILL_MERGE.get(f["benchmark"], 0.5)
    both = RMC * ratio * (1 + 0.02 * number) / (FASTER if own else 1.0)
    both *= 1 + 0.01 * (slowdown(f["framework"]) - 10) if own else 1.0
    size = 1e8 * float(f["size"])
    on_disk = 1e5 if own else 2.1 * size
    if f["framework"] == "mr-nvm-disk":
        on_disk += size
    return {
        **{
            "read": 0.2 * RMC,
            "map": 0.3 * RMC,
            "collect": 0.5 * RMC,
            "spill": 0.4 * both,
            "merge": 0.6 * both,
        },
        **{"total": RMC + both, "start": 1.0, "spill_thread": 0.8 * both},
        **{"disk_spill": 5e4 if own else 1.1 * size, "disk_write": on_disk, "output": size},
    }


def study() -> CellsStudy:
    """The study's file."""
    found = STUDY.validate_python(read_yaml(CONFIG / "studies" / "nvm.yaml"))
    assert isinstance(found, CellsStudy)
    return found


def points(experiment: str, world: World) -> Iterator[tuple[str, Factors]]:
    """The points of an experiment that a world has, with their names."""
    model = study()
    for point in expand(model.experiments[experiment], model.defaults):
        f = point.levels
        # Where the slides' nodes are not named, the world's own take the place of the default.
        if "nodes" not in model.experiments[experiment].factors:
            f = {**f, "nodes": world.nodes[0]}
        if (
            f["nodes"] in world.nodes
            and f["disk"] in {*world.disks, "hdd"}
            and float(f["size"]) in world.sizes
        ):
            yield point.name, f


def head_of(experiment: str, point: str, f: Factors, rep: int) -> dict[str, Any]:
    """The columns that say which run a row belongs to."""
    return {"study": "nvm", "experiment": experiment, "point": point, "rep": rep, **f}


def trouble(f: Factors, world: World) -> tuple[str, str]:
    """How a run ended, and why."""
    if f["framework"] in world.missing:
        return "not-run", f"{f['framework']}: not built in yet"
    if f["disk"] not in world.disks:
        return "not-run", f"disk {f['disk']!r}: no C compiler"
    return world.status, "" if world.status == "ok" else "Hadoop is not built"


def runs(experiment: str, world: World) -> Iterator[tuple[str, Factors, int]]:
    """The runs that ended well."""
    for point, f in points(experiment, world):
        if trouble(f, world)[0] == "ok":
            yield from ((point, f, rep) for rep in range(1, world.reps + 1))


def noise(rep: int) -> float:
    """Small between repetitions."""
    return 1 + 0.002 * (rep - 2)


def rows(experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """One row a run and metric, or one a run that gave no numbers."""
    for order, (point, f) in enumerate(points(experiment, world), 1):
        status, reason = trouble(f, world)
        for rep in range(1, world.reps + 1 if status != "not-run" else 2):
            head = {**head_of(experiment, point, f, rep), "order": order, "status": status, "reason": reason}
            if status != "ok":
                yield {**head, "source": "none"}
                continue
            total = seconds(experiment, f) * noise(rep)
            found = {"time.total": (total, "s"), "time.work": (0.9 * total, "s"), "maps": (MAPS, "1")}
            if f["benchmark"] == "terasort":
                found["records"] = (GB * world.scale * float(f["size"]) // 100, "1")
            for name, (value, unit) in found.items():
                yield {
                    **head,
                    "metric": name,
                    "value": f"{value:.9g}",
                    "unit": unit,
                    "source": "measured:clock",
                }
            yield {**head, "metric": "link.rate", "value": 250, "unit": "Mbit/s", "source": "emulated:tbf"}


def stage_rows(experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """Stages of each map."""
    for point, f, rep in runs(experiment, world):
        for number in range(MAPS):
            found = stages_of(f, number)
            if world.change:
                world.change(f, found)
            for stage, value in found.items():
                bytes_ = stage in ("disk_spill", "disk_write", "output")
                yield {**head_of(experiment, point, f, rep), "job": "job_0", "task": f"m_{number:06}",
                       "host": f"n{1 + number % 2}", "stage": stage, "unit": "B" if bytes_ else "s",
                       "value": f"{value * (1 if bytes_ else noise(rep)):.9g}"}  # fmt: skip


def counter_rows(experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """What the emulated memory did."""
    for point, f, rep in runs(experiment, world):
        if not in_memory(f["framework"]):
            continue
        written, dram = 10**9, 200
        found = {"WRITTEN_BYTES": written, "DRAM_PS_PER_BYTE": dram * MAPS,
                 "WRITE_GOT_NS": round(world.got * written * dram / 1000)}  # fmt: skip
        for counter, value in found.items():
            yield {**head_of(experiment, point, f, rep), "job": "job_0", "job_name": "job", "kind": "map",
                   "counter_group": "NvmCount", "counter": counter, "value": value}  # fmt: skip


def task_rows(experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """A map and a reduce task; those of HOMR overlap more."""
    for point, f, rep in runs(experiment, world):
        early = 5 if f["framework"] == "homr" else 20
        for task, phase, start, end in (("m_000000", "map", 0, 40), ("r_000000", "shuffle", early, 50),
                                        ("r_000000", "merge", 50, 55), ("r_000000", "reduce", 55, 90)):  # fmt: skip
            yield {**head_of(experiment, point, f, rep), "job": "job_0", "task": task, "attempt": 0, "host": "n1",
                   "kind": "map" if phase == "map" else "reduce", "phase": phase, "start_s": start, "end_s": end,
                   "status": "SUCCEEDED"}  # fmt: skip


def write_tables(folder: Path, world: World) -> Path:
    """Write all tables of the study below `folder`; returns it."""
    model = study()
    place = folder / "nvm"
    own = [*HEAD, *FACTORS]
    kinds = {
        "": ([*HEAD, *STATE, *FACTORS, *METRIC], rows),
        ".stages": ([*own, *STAGE], stage_rows),
        ".counters": ([*own, *COUNTER], counter_rows),
        ".tasks": ([*own, *TASK], task_rows),
    }
    for name in model.experiments:
        for ending in model.endings(name):
            columns, make = kinds[ending]
            write(place / f"{name}{ending}.csv", columns, [] if name in world.left_out else make(name, world))
    return folder
