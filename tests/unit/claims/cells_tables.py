"""The tables of a made-up world of studies mrev and hpc, row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from cells_world import (
    FACTORS,
    MAP_SHARE,
    METER,
    Factors,
    Numbers,
    World,
    config_of,
    head_of,
    numbers,
    order_of,
    points,
    sample,
    trouble,
)

from harness.cells.outputs import SOURCE
from harness.results.tables import COUNTER, LISTED

HEAD = ["study", "experiment", "point", "rep"]
STATE = ["order", "status", "reason"]
METRIC = ["metric", "value", "unit", "source"]
TRACE = [*HEAD, *FACTORS, "t_s", "host", "domain", *METRIC]
TASKS = [*HEAD, *FACTORS, "job", "task", "attempt", "host", "kind", "phase", "start_s", "end_s", "status"]
COUNTERS = [*HEAD, *FACTORS, *COUNTER]
CLOCK, PROCFS = "measured:clock", "measured:procfs"
NO_METER = "no power source: /sys/class/powercap is not there"
SAMPLES = 20


def rows(study: str, experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """One row a run and metric, or one a run that gave no numbers."""
    every = [(f, rep) for f in points(study, experiment, world) for rep in range(1, world.reps + 1)]
    every.sort(key=lambda run: order_of(run[0], world, run[1]))
    for order, (f, rep) in enumerate(every, 1):
        status, reason = trouble(f, world)
        head = {**head_of(study, experiment, f, rep), "order": order, "status": status, "reason": reason}
        if status != "ok":
            yield {**head, "source": "none"}
            continue
        for name, value in numbers(study, f, rep, world).items():
            watt = name.startswith(("energy", "power", "ed2p")) or name.endswith(".joule")
            if name == "link.rate" and world.meter == METER:
                yield {**head, "metric": name, "unit": "Mbit/s", "source": "none", "reason": "no rate is set"}
                continue
            if watt and not world.meter:
                yield {**head, "metric": name, "unit": "1", "source": "none", "reason": NO_METER}
                continue
            source = world.meter if watt else "emulated:tbf" if name == "link.rate" else CLOCK
            yield {**head, "metric": name, "value": f"{value:.9g}", "unit": "1", "source": source}


UNITS = {"cpu": "1", "memory": "B", "disk": "B/s", "net": "B/s", "load": "1", "power": "W"}


def trace_rows(study: str, experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """Samples of every run, per host and on average."""
    for f, rep in product(points(study, experiment, world), range(1, world.reps + 1)):
        if trouble(f, world)[0] != "ok":
            continue
        made = numbers(study, f, rep, world)
        total, shared = made["time.total"], made["hosts.sharing"]
        head = head_of(study, experiment, f, rep)
        hosts = [f"n{place}" for place in range(f["nodes"])]
        for step in range(SAMPLES):
            at = (step + 0.5) / SAMPLES
            per = {host: sample(f, 1 - at if world.turned else at, host != "n0") for host in hosts}
            for values in per.values() if world.resample else ():
                world.resample(f, at, values)
            per["mean"] = {key: sum(one[key] for one in per.values()) / len(hosts) for key in per["n0"]}
            for host, values in per.items():
                for (domain, metric), value in values.items():
                    if domain == "cpu" and shared > 1:
                        value = value / shared if metric != "idle" else 1 - (1 - value) / shared
                    if domain == "power" and not world.meter:
                        continue
                    source = world.meter if domain == "power" else PROCFS
                    yield {**head, "t_s": f"{at * total:.6g}", "host": host, "domain": domain, "metric": metric,
                           "value": f"{value:.6g}", "unit": UNITS[domain.split(":")[0]], "source": source}  # fmt: skip


def task_rows(study: str, experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """Two maps and a reduce task with three phases a worker; four jobs in PageRank."""
    for f, rep in product(points(study, experiment, world), range(1, world.reps + 1)):
        if trouble(f, world)[0] != "ok" or f["framework"].startswith("engine-"):
            continue  # no engine has a job history
        total = numbers(study, f, rep, world)["time.total"]
        jobs = 4 if f["benchmark"] == "pagerank" else 1
        for job in range(jobs):
            base = {**head_of(study, experiment, f, rep), "job": f"job_{job}", "status": "SUCCEEDED"}
            start, span = total * job / jobs, total / jobs
            for worker in range(1, f["nodes"]):
                for number, phase, first, last in (
                    (0, "map", 0.05, 0.3), (1, "map", 0.2, MAP_SHARE), (2, "shuffle", 0.25, 0.5),
                    (2, "merge", 0.5, 0.55), (2, "reduce", 0.55, reduce_end(f)),
                ):  # fmt: skip
                    kind = "map" if phase == "map" else "reduce"
                    task = f"{kind[0]}_{worker:02}{number}"
                    yield {**base, "task": task, "attempt": f"{task}_0", "host": f"n{worker}", "kind": kind,
                           "phase": phase, "start_s": f"{start + first * span:.6g}",
                           "end_s": f"{start + last * span:.6g}"}  # fmt: skip


def reduce_end(f: Factors) -> float:
    """End of the last reduce task over the time."""
    return 0.7 if f["framework"] == "hadoop-uda" and f["disk"] == "ssd" else 0.98


def counters_of(f: Factors, made: Numbers) -> dict[str, Numbers]:
    """Counters of a job by the kind of its tasks. Reduce tasks write their input to local disks once, or not at all."""
    fetched, records = made["shuffle.bytes"], made["input.bytes"] / 100
    spilled = 0.0 if f["framework"] == "rdma-hadoop" else 1.0
    maps = {"HDFS_BYTES_READ": made["input.bytes"], "FILE_BYTES_WRITTEN": fetched, "SPILLED_RECORDS": records}
    reduces = {"REDUCE_SHUFFLE_BYTES": fetched, "REDUCE_INPUT_RECORDS": records, "SPILLED_RECORDS": spilled * records,
               "FILE_BYTES_WRITTEN": spilled * fetched, "HDFS_BYTES_WRITTEN": 1e9}  # fmt: skip
    both = {name: maps.get(name, 0.0) + reduces.get(name, 0.0) for name in sorted({*maps, *reduces})}
    return {"all": both, "map": maps, "reduce": reduces}


def counter_rows(study: str, experiment: str, world: World) -> Iterator[dict[str, Any]]:
    """Counters of a job, or of four in PageRank."""
    for f, rep in product(points(study, experiment, world), range(1, world.reps + 1)):
        if trouble(f, world)[0] != "ok" or f["framework"].startswith("engine-"):
            continue  # no engine has a job history
        head = head_of(study, experiment, f, rep)
        for job in range(4 if f["benchmark"] == "pagerank" else 1):
            for kind, counts in counters_of(f, numbers(study, f, rep, world)).items():
                if world.recount:
                    world.recount(f, job, kind, counts)
                for counter, value in counts.items():
                    group = "FileSystemCounter" if counter.startswith(("FILE_", "HDFS_")) else "TaskCounter"
                    yield {**head, "job": f"job_{job}", "job_name": f["benchmark"], "kind": kind,
                           "counter_group": group, "counter": counter, "value": round(value)}  # fmt: skip


def file_rows(study: str, world: World) -> Iterator[dict[str, Any]]:
    """Files of the output directory: of the report, of each execution of TeraSort and its graphs."""
    heads = {"statistics.csv": "cell nodes metric unit n min mean median max source"}
    for name in ("events.log", "statistics.csv", "summary.md"):
        yield {"part": "report", "file": name, "columns": heads.get(name, "")}
    for f, rep in product(points(study, "terasort", world), range(1, world.reps + 1)):
        if trouble(f, world)[0] != "ok":
            continue
        of = {"cell": f"{f['nodes']}n_{f['disk']}", "framework": f["framework"], "benchmark": f["benchmark"]}
        for name in ("log.txt", "run.json", "specification.json", "trace.csv"):
            yield {**of, "part": "execution", "rep": rep, "file": name}
        if rep == 1 and "graphs" not in world.lost:
            yield {**of, "part": "graph", "file": f"{f['framework']}_terasort.pdf"}


def write(path: Path, columns: list[str], body: Iterable[dict[str, Any]]) -> None:
    """Write a CSV table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")  # DictWriter takes three times as long
        writer.writerow(columns)
        writer.writerows([row.get(name) for name in columns] for row in body)


def write_tables(folder: Path, study: str, world: World) -> Path:
    """Write all tables of a study below `folder`; returns it."""
    declared = config_of(study)
    for name in declared["experiments"]:
        none = f"{study}/{name}" in world.empty
        place = folder / study
        write(
            place / f"{name}.csv",
            [*HEAD, *STATE, *FACTORS, *METRIC],
            [] if none else rows(study, name, world),
        )
        if name in declared["traces"]:
            write(place / f"{name}.trace.csv", TRACE, [] if none else trace_rows(study, name, world))
        if name in declared["tasks"]:
            write(place / f"{name}.tasks.csv", TASKS, [] if none else task_rows(study, name, world))
        if name in declared["counters"]:
            write(place / f"{name}.counters.csv", COUNTERS, [] if none else counter_rows(study, name, world))
    if declared.get("lists_outputs"):
        listed = [row for row in file_rows(study, world) if row["file"] not in world.lost]
        write(
            folder / study / "directory.files.csv",
            LISTED,
            ({"bytes": 10, "source": SOURCE, **row} for row in listed),
        )
    return folder
