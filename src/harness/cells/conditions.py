"""Says under which conditions a run was made: its input in HDFS, and what its jobs were really configured with.

Metrics of every framework: input.files, input.bytes, input.block, input.replication, input.changed (when the input
was last written), jobs, maps, reduces, shuffle.bytes, hdfs.read, hdfs.written, conf.maps_at_once,
conf.reduces_at_once, conf.digest. Hadoop's besides: local.read, local.written, conf.block and conf.replication (of what
the job writes), conf.reduces, conf.map_heap, conf.reduce_heap, conf.sort_mb, conf.slow_start. Where maps spill to
emulated memory (plug-in nvm), summed over them: nvm.written, nvm.read, nvm.write.asked and nvm.read.asked (delays that
the model of the device asks for), nvm.write.got and nvm.read.got (those that there were); and nvm.dram, the time of a
write to DRAM that the hosts have measured, mean over the maps, or that the job was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from harness.hadoop.benchmarks import Benchmark, Cell
from harness.hadoop.configuration import fingerprint
from harness.hadoop.jobs import JobResult, job_configuration
from harness.results.records import Metric

HDFS, HISTORY, JOB_XML = "measured:hdfs", "measured:history", "measured:job.xml"
REPORT, FILES = "measured:report", "measured:configuration"
BYTES = {
    "shuffle.bytes": ("TaskCounter", "REDUCE_SHUFFLE_BYTES"),
    "hdfs.read": ("FileSystemCounter", "HDFS_BYTES_READ"),
    "hdfs.written": ("FileSystemCounter", "HDFS_BYTES_WRITTEN"),
    "local.read": ("FileSystemCounter", "FILE_BYTES_READ"),
    "local.written": ("FileSystemCounter", "FILE_BYTES_WRITTEN"),
}
"""Hadoop's counters by metric; a job that has none of one has moved no such bytes."""
PROPERTIES = {
    "conf.maps_at_once": ("mapreduce.job.running.map.limit", "1"),
    "conf.reduces_at_once": ("mapreduce.job.running.reduce.limit", "1"),
    "conf.reduces": ("mapreduce.job.reduces", "1"),
    "conf.block": ("dfs.blocksize", "B"),
    "conf.replication": ("dfs.replication", "1"),
    "conf.sort_mb": ("mapreduce.task.io.sort.mb", "MiB"),
    "conf.slow_start": ("mapreduce.job.reduce.slowstart.completedmaps", "1"),
}
"""Properties of job.xml that are numbers, and their units, by metric."""
DEVICE = {
    "nvm.written": ("WRITTEN_BYTES", "B", 1.0),
    "nvm.read": ("READ_BYTES", "B", 1.0),
    "nvm.write.asked": ("WRITE_ASKED_NS", "s", 1e-9),
    "nvm.write.got": ("WRITE_GOT_NS", "s", 1e-9),
    "nvm.read.asked": ("READ_ASKED_NS", "s", 1e-9),
    "nvm.read.got": ("READ_GOT_NS", "s", 1e-9),
}
"""Counters of kvasir.nvm.NvmCount, with unit and factor, by metric."""
GIVEN_DRAM = "kvasir.nvm.dram-ps-per-byte"
"""The time of DRAM that a job is given; 0 or none: each host measures it."""
NUMBER = re.compile(r"([+-]?\d+(?:\.\d*)?)([kmgtpe]?)", re.IGNORECASE | re.ASCII)
HEAPS = {"conf.map_heap": "mapreduce.map.java.opts", "conf.reduce_heap": "mapreduce.reduce.java.opts"}


def input_facts(benchmark: Benchmark[Any], cell: Cell) -> list[Metric]:
    """Return what HDFS says of a benchmark's input before a run; nothing for one that has none."""
    path = benchmark.input(cell)
    if not path:
        return []
    stored = cell.hdfs.stored(path)
    facts = {
        "input.files": (stored.files, "1"),
        "input.bytes": (stored.size, "B"),
        "input.block": (stored.block, "B"),
        "input.replication": (stored.replication, "1"),
        "input.changed": (stored.changed_s, "s since 1970"),
    }
    return [metric(name, value, unit, HDFS) for name, (value, unit) in facts.items()]


def hadoop_facts(cell: Cell, result: JobResult) -> list[Metric]:
    """Return tasks and bytes of all jobs of a program, and the configuration of its first job, if it has any."""
    found = [*tasks_of(result, HISTORY), *moved(result)]
    properties = job_configuration(cell.cluster, result.jobs[0].id) if result.jobs else {}
    return [*found, *device(result, properties), *configured(properties), digest(cell)]


def moved(result: JobResult, names: Iterable[str] = BYTES) -> list[Metric]:
    """Return bytes that all jobs of a program moved, by metrics of BYTES."""
    return [
        metric(name, sum(job.counters.get(group, {}).get(counter, 0) for job in result.jobs), "B", HISTORY)
        for name, (group, counter) in BYTES.items()
        if name in names
    ]


def device(result: JobResult, properties: Mapping[str, str]) -> list[Metric]:
    """Return what maps asked of the emulated memory for their spills and what they got; nothing where there is none.

    `properties` are those of the program's first job.
    """
    jobs = [(job.maps, job.counters["NvmCount"]) for job in result.jobs if "NvmCount" in job.counters]
    if not jobs:
        return []
    found = [
        metric(name, sum(counts.get(counter, 0) for _, counts in jobs) * factor, unit, HISTORY)
        for name, (counter, unit, factor) in DEVICE.items()
    ]
    picoseconds = sum(counts.get("DRAM_PS_PER_BYTE", 0) for _, counts in jobs)
    if not picoseconds:
        reason = "the device asks for no delays, so that no time of DRAM was measured"
        return [*found, Metric(name="nvm.dram", value=None, unit="ns/B", source="none", reason=reason)]
    source = JOB_XML if number(properties.get(GIVEN_DRAM, "")) else HISTORY
    return [*found, metric("nvm.dram", picoseconds / 1000 / sum(maps for maps, _ in jobs), "ns/B", source)]


def engine_facts(cell: Cell, result: JobResult) -> list[Metric]:
    """Return the engine's ranks as tasks, and its bytes. It has no job.xml and no heap."""
    job = result.jobs[0]
    bytes_ = job.counters["Bytes"]
    return [
        *tasks_of(result, REPORT),
        *(
            metric(name, bytes_[counter], "B", REPORT)
            for name, counter in (
                ("shuffle.bytes", "sent"),
                ("hdfs.read", "read"),
                ("hdfs.written", "written"),
            )
        ),
        metric("conf.maps_at_once", job.maps, "1", REPORT),
        metric("conf.reduces_at_once", job.reduces, "1", REPORT),
        digest(cell),
    ]


def tasks_of(result: JobResult, source: str) -> list[Metric]:
    """Return the numbers of jobs and of their tasks."""
    counts = {
        "jobs": len(result.jobs),
        "maps": sum(job.maps for job in result.jobs),
        "reduces": sum(job.reduces for job in result.jobs),
    }
    return [metric(name, count, "1", source) for name, count in counts.items()]


def number(text: str) -> float | None:
    """Return a number as Hadoop reads it, perhaps with the prefix of a power of 1024 (`128m`); None of another text."""
    if not (found := NUMBER.fullmatch(text.strip())):
        return None
    return float(found[1]) * 1024.0 ** (" kmgtpe".index(found[2].lower()) if found[2] else 0)


def configured(properties: Mapping[str, str]) -> list[Metric]:
    """Return the numbers in a job's properties that decide what it may use; those that are not set are left out."""
    found = [
        metric(name, value, unit, JOB_XML)
        for name, (key, unit) in PROPERTIES.items()
        if (value := number(properties.get(key, ""))) is not None
    ]
    for name, key in HEAPS.items():
        if heap := re.search(r"-Xmx(\d+)m\b", properties.get(key, "")):
            found.append(metric(name, int(heap[1]), "MiB", JOB_XML))
    return found


def digest(cell: Cell) -> Metric:
    """Return a number that clusters share whose generated files differ in places and plug-ins alone."""
    there = cell.cluster
    value = cell.once(
        "digest of the configuration",
        lambda: fingerprint(there.layout, there.parameters, there.hadoop, there.plugins),
    )
    return metric("conf.digest", value, "1", FILES)


def metric(name: str, value: float, unit: str, source: str) -> Metric:
    """Return a metric that has a value."""
    return Metric(name=name, value=value, unit=unit, source=source)
