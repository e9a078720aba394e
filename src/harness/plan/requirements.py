"""Memory, disk and cores that the plans need, against what this machine has, before the first job starts."""

from __future__ import annotations

import os
import shutil

import psutil

from harness.config import Config
from harness.plan.spec import Plan


def count(plans: list[Plan]) -> int:
    """Runs of all plans; those that studies share count once."""
    shared = {run.folder for plan in plans for cell in plan.cells.values() for run in cell.runs}
    return sum(len(plan.runs) for plan in plans) + len(shared)


def shortage(config: Config, plans: list[Plan]) -> tuple[str, list[str]]:
    """What the plans need, as lines for the user, and why this machine cannot give it ('' if it can).

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
    free = shutil.disk_usage(".").free
    have = psutil.virtual_memory().total
    cores = len(os.sched_getaffinity(0))
    lines.append(
        f"this machine: {cores} cores, {have / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB of free disk"
    )
    if ranks > cores:
        lines.append(f"warning: {ranks} ranks share {cores} cores: runtimes will say little")
    short = [
        f"{name}: needs {need}, has {has}"
        for name, need, has, lacks in (
            ("memory", f"{memory / 1e9:.1f} GB", f"{have / 1e9:.1f} GB", memory > have),
            ("disk", f"{missing / 1e9:.1f} GB free", f"{free / 1e9:.1f} GB", missing > free),
        )
        if lacks
    ]
    if not short:
        return "", lines
    return (
        f"scale {config.top.scale} does not fit this machine: {'; '.join(short)}. "
        "Choose a smaller scale (--config scale=laptop or scale=smoke) or a site with larger nodes."
    ), lines
