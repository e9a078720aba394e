"""Memory, disk and cores that a plan needs, from measured figures per word, before the first job starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

from harness.config import Config
from harness.frameworks.engine import Plan

BYTES_PER_WORD = 7.6
"""Mean length of a generated word with its separator (words of 5 to 8 letters)."""
MEMORY_PER_WORD = 30.0
"""Peak bytes of GroupByKey per word of input, all ranks together: 28.6 measured at laptop scale."""
MEMORY_PER_UNIQUE = 35.0
"""Peak bytes of ReduceByKey per distinct word and rank: 31 measured at laptop scale."""
MEMORY_STAGED_PER_WORD = 30.0
"""What staged phases hold besides, per word of input: 28 measured at laptop scale."""


def memory_bytes(plan: Plan) -> int:
    """Largest resident memory of any run of the plan, all ranks together."""
    worst = 0.0
    for run in plan.runs:
        factors = run.identity.factors
        words, unique = float(factors["words"] or 0), float(factors["unique"] or 0)
        held = (
            words * MEMORY_PER_WORD
            if factors["combine"] == "none"
            else unique * run.ranks * MEMORY_PER_UNIQUE
        )
        held += words * MEMORY_STAGED_PER_WORD if factors["pipeline"] == "staged" else 0.0
        buffers = 2.0 * run.ranks * float(factors["buffer_bytes"] or 0)
        worst = max(worst, held + buffers)
    return round(worst)


def disk_bytes(plan: Plan) -> int:
    """Size of the generated texts, whether they are there already or not."""
    return round(sum((text.words or 0) * BYTES_PER_WORD for text in plan.texts.values() if text.generated))


def missing_bytes(plan: Plan) -> int:
    """Size of the generated texts that are not there yet."""
    absent = [text for text in plan.texts.values() if text.generated and not Path(text.path).exists()]
    return round(sum((text.words or 0) * BYTES_PER_WORD for text in absent))


def shortage(config: Config, plans: list[Plan]) -> tuple[str, list[str]]:
    """What the plans need, as lines for the user, and why this machine cannot give it ('' if it can).

    Only a site whose runs happen on this machine is held against this machine.
    """
    memory = max(memory_bytes(plan) for plan in plans)
    disk = sum(disk_bytes(plan) for plan in plans)
    missing = sum(missing_bytes(plan) for plan in plans)
    ranks = max(run.ranks for plan in plans for run in plan.runs if run.identity.factors["platform"] == "knm")
    lines = [
        f"scale {config.top.scale} at site {config.top.site}: {sum(len(p.runs) for p in plans)} runs of up to "
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
