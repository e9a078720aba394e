"""What plans need of a machine: memory, disk and cores; and whether this machine has them.

Figures per word and per heap were measured. All but `shortage` and the look at which texts exist are pure functions.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import psutil

from harness.config import Config
from harness.plan.datasets import Text
from harness.plan.spec import CellSpec, Needs, Plan, RunSpec

BYTES_PER_WORD = 7.6
"""Mean length of a generated word with its separator (words of 5 to 8 letters)."""
MEMORY_PER_WORD = 30.0
"""Peak bytes of GroupByKey per word of input, all ranks together: 28.6 measured at laptop scale."""
MEMORY_PER_UNIQUE = 35.0
"""Peak bytes of ReduceByKey per distinct word and rank: 31 measured at laptop scale."""
MEMORY_STAGED_PER_WORD = 30.0
"""What staged phases hold besides, per word of input: 28 measured at laptop scale."""
MIMIR_PER_RANK = 400e6
"""Bytes that a rank of Mimir needs besides records and send buffers: 374 MB measured with 37 MB of them."""


def run_memory_bytes(runs: list[RunSpec]) -> int:
    """Returns the largest resident memory of any of the runs, all ranks together."""
    worst = 0.0
    for run in runs:
        factors = run.identity.factors
        words, unique = float(factors["words"] or 0), float(factors["unique"] or 0)
        held = (
            words * MEMORY_PER_WORD
            if factors["combine"] == "none"
            else unique * run.ranks * MEMORY_PER_UNIQUE
        )
        held += words * MEMORY_STAGED_PER_WORD if factors["pipeline"] == "staged" else 0.0
        buffers = 2.0 * run.ranks * float(factors["buffer_bytes"] or 0)
        held += run.ranks * MIMIR_PER_RANK if "framework" in factors else 0.0
        worst = max(worst, held + buffers)
    return round(worst)


def engine_needs(runs: list[RunSpec], texts: Mapping[str, Text], platform: str) -> Needs:
    """Returns what the runs of a study need. Ranks are those of the study's default platform, whose runtimes matter."""
    sizes = {text.path: (text.words or 0) * BYTES_PER_WORD for text in texts.values() if text.generated}
    return Needs(
        memory=run_memory_bytes(runs),
        disk=round(sum(sizes.values())),
        missing=round(sum(size for path, size in sizes.items() if not Path(path).exists())),
        ranks=max((run.ranks for run in runs if run.identity.factors["platform"] == platform), default=1),
    )


MIB = 1 << 20
CLIENT_HEAP_MB = 256
COPIES = 3
"""A benchmark's data are there as its input, as what map tasks leave and as its output."""


def cell_memory_mb(cell: CellSpec) -> int:
    """Returns the memory of all daemons and of all containers that run at once, MB, as far as their heaps go.

    No Java fills its own, so this leaves room for the rest (2.7 GB measured where it says 3.6).
    """
    parameters = cell.parameters
    heaps = parameters.daemon_heap_mb
    workers = max(1, cell.nodes - 1)
    master = heaps.namenode + heaps.resourcemanager + heaps.historyserver + CLIENT_HEAP_MB
    tasks = (parameters.mappers_per_node + parameters.reducers_per_node) * parameters.task_memory_mb
    worker = heaps.datanode + heaps.nodemanager + tasks
    return master + parameters.am_memory_mb + workers * worker


def cell_data_mb(cell: CellSpec) -> int:
    """Returns the data on all disks, MB at most: each benchmark's input stays, one has its output beside it."""
    from harness.hadoop.benchmarks import make  # only here: plans of other kinds do without Hadoop's modules

    parameters = cell.parameters
    replicas = min(parameters.replication, max(1, cell.nodes - 1))
    sizes = {}
    for run in cell.runs:
        size = make(run.benchmark, run.settings).data_mb
        sizes[(run.benchmark, size)] = size
    return replicas * (sum(sizes.values()) + (COPIES - 1) * max(sizes.values(), default=0))


def cells_needs(cells: Iterable[CellSpec]) -> Needs:
    """Returns what the largest of the cells needs; what it writes goes with it."""
    cells = list(cells)
    return Needs(
        memory=max((cell_memory_mb(cell) for cell in cells), default=0) * MIB,
        disk=0,
        missing=0,
        ranks=1,
        scratch=max((cell_data_mb(cell) for cell in cells), default=0) * MIB,
    )


def count(plans: list[Plan]) -> int:
    """Counts the runs of all plans; those that studies share count once."""
    shared = {run.folder for plan in plans for cell in plan.cells.values() for run in cell.runs}
    return sum(len(plan.runs) for plan in plans) + len(shared)


MOST_REASONS = 6
"""Reasons that are said before the first run; the report has all."""


def points(number: int) -> str:
    """Returns a number of points in words."""
    return f"{number} point{'s' if number != 1 else ''}"


def left_out(plans: Iterable[Plan]) -> list[str]:
    """Returns why points will not run, as lines for the user: each reason with the number of points, most first."""
    reasons = Counter(
        point.reason for plan in plans for table in plan.tables.values() for point in table.not_run
    )
    lines = [
        f"left out, {points(count)}: {' '.join(why.split())}"
        for why, count in reasons.most_common(MOST_REASONS)
    ]
    rest = reasons.total() - sum(count for _, count in reasons.most_common(MOST_REASONS))
    return [*lines, f"left out for other reasons, {points(rest)}: the report says why"] if rest else lines


DATA = "data"
"""Folder of the input texts."""
RESULT_BYTES = 200_000
"""What a run leaves in the results' folder, about."""


def free_bytes(folder: Path) -> int:
    """Returns the free bytes of the file system that a folder is on, or will be."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    return shutil.disk_usage(there).free


def shortage(config: Config, plans: list[Plan]) -> tuple[str, list[str]]:
    """Returns what the plans need, as lines for the user, and why this machine cannot give it ('' if it can).

    Only a site whose runs happen on this machine is held against this machine.
    """
    memory = max(plan.needs.memory for plan in plans)
    scratch = max(plan.needs.scratch for plan in plans)
    disk = sum(plan.needs.disk for plan in plans) + scratch
    missing = sum(plan.needs.missing for plan in plans) + scratch
    ranks = max(plan.needs.ranks for plan in plans)
    lines = [
        f"scale {config.top.scale} at site {config.top.site}: {count(plans)} runs of up to "
        f"{ranks} ranks, {memory / 1e9:.1f} GB of memory, {disk / 1e9:.1f} GB of disk for data"
    ]
    if not config.site.here:
        return "", lines
    free = free_bytes(Path(DATA))
    room = free_bytes(Path(config.results))
    have = psutil.virtual_memory().total
    cores = len(os.sched_getaffinity(0))
    lines.append(
        f"this machine: {cores} cores, {have / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB of free disk"
        + (f", {room / 1e9:.1f} GB where results go" if room != free else "")
    )
    if ranks > cores:
        lines.append(f"warning: {ranks} ranks share {cores} cores: runtimes will say little")
    results = count(plans) * RESULT_BYTES
    short = [
        f"{name}: needs {need}, has {has}"
        for name, need, has, lacks in (
            ("memory", f"{memory / 1e9:.1f} GB", f"{have / 1e9:.1f} GB", memory > have),
            ("disk", f"{missing / 1e9:.1f} GB free", f"{free / 1e9:.1f} GB", missing > free),
            (
                f"disk of {config.site.results}",
                f"{results / 1e9:.1f} GB free",
                f"{room / 1e9:.3f} GB",
                results > room,
            ),
        )
        if lacks
    ]
    if not short:
        return "", lines
    return (
        f"scale {config.top.scale} does not fit this machine: {'; '.join(short)}. "
        "Choose a smaller scale (--config scale=laptop or scale=smoke) or a site with larger nodes."
    ), lines
