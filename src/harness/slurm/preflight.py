"""Checks a cluster against its site file before anything is queued; each answer is one line with advice."""

from __future__ import annotations

import getpass
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from harness.config.site import Batch
from harness.slurm.client import ask
from harness.slurm.resources import Job, option_words


@dataclass(frozen=True)
class Check:
    """Holds the result of one check, with advice if it failed."""

    name: str
    passed: bool
    found: str
    advice: str = ""

    @property
    def line(self) -> str:
        """Returns the result as one line of text."""
        todo = "" if self.passed or not self.advice else f"; {self.advice}"
        return f"{'PASS' if self.passed else 'FAIL'}  {self.name}: {self.found}{todo}"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Holds the most that any job of a plan asks for, and the disk space that all results take."""

    nodes: int
    minutes: int
    memory_mb: int
    disk_bytes: int


def on_login(batch: Batch, wanted: Wanted, python: str = sys.executable) -> Iterable[Check]:
    """Checks on the login node, without a job. Ends early when SLURM's programs or the controller are missing."""
    yield Check(
        "Python",
        len(python.split()) == 1,
        python,
        "Snakemake's plugin for SLURM starts it in jobs without quoting it: make the environment in a folder whose "
        "name has no blank (the project's own folder may have some)",
    )
    missing = [name for name in ("sbatch", "srun", "squeue", "scontrol", "sinfo") if not shutil.which(name)]
    yield Check(
        "SLURM's programs",
        not missing,
        f"no {', '.join(missing)}" if missing else "sbatch, srun, squeue, scontrol, sinfo",
        "go to a login node, or load the module that has them",
    )
    if missing:
        return
    answers, said = ask("scontrol", "ping")
    up = answers and " is UP" in said
    yield Check("controller", up, " ".join(said.split()), "ask those who run the cluster")
    if not up:
        return
    yield partition(batch, wanted)
    yield accounting()
    if batch.account is not None:
        yield account(batch.account)
    free = shutil.disk_usage(".").free
    yield Check(
        "space in this folder",
        free > wanted.disk_bytes,
        f"{free / 1e9:.1f} GB free, {wanted.disk_bytes / 1e9:.1f} GB are needed",
        "choose a smaller scale, or move the project to a larger file system",
    )


def kinds_of_nodes(batch: Batch | None) -> list[Row]:
    """Asks sinfo for the nodes of the site's partition, or of all; none where there is no SLURM."""
    if batch is None:
        return []
    # Both at once would list a partition twice.
    chosen = ["-p", batch.partition] if batch.partition else ["-a"]
    fine, said = ask("sinfo", "-h", "-e", *chosen, "-o", "%R|%D|%c|%m|%l|%a")
    return [row for row in map(parse_partition, said.splitlines()) if row is not None] if fine else []


def partition(batch: Batch, wanted: Wanted) -> Check:
    """Checks that the partition exists and is large enough."""
    name = "partition" + (f" {batch.partition}" if batch.partition else "")
    rows = kinds_of_nodes(batch)
    if not rows:
        _, known = ask("sinfo", "-h", "-a", "-o", "%R")
        return Check(name, False, "not there", f"batch.partition must be one of: {', '.join(known.split())}")
    closed = sorted({row.state for row in rows})
    if "up" not in closed:
        advice = "start again once it is up, or choose another in batch.partition"
        return Check(name, False, f"it is {', '.join(closed)}: SLURM starts no jobs there", advice)
    fitting = [row for row in rows if row.cores >= batch.cores_per_node and row.memory_mb >= wanted.memory_mb]
    nodes = max((sum(r.nodes for r in fitting if r.name == row.name) for row in fitting), default=0)
    limits = [row.minutes for row in rows if row.minutes is not None]
    longest = max(limits) if len(limits) == len(rows) else None
    found = "; ".join(row.text for row in rows)
    need = (
        f"needed are {wanted.nodes} nodes of {batch.cores_per_node} cores and {wanted.memory_mb} MB"
        f" for {wanted.minutes} min"
    )
    passed = nodes >= wanted.nodes and (longest is None or longest >= wanted.minutes)
    return Check(name, passed, f"{found}; {need}", "choose another partition or a smaller scale")


@dataclass(frozen=True, kw_only=True)
class Row:
    """Describes nodes of one kind in a partition."""

    name: str
    nodes: int
    cores: int
    memory_mb: int
    minutes: int | None
    """Longest job; None: as long as it likes."""
    state: str = "up"
    """Whether SLURM starts jobs there: up, or down, drain, inact."""

    @property
    def text(self) -> str:
        """Returns nodes, cores, memory and time limit as text."""
        limit = "any time" if self.minutes is None else f"{self.minutes} min"
        return f"{self.nodes} nodes of {self.cores} cores and {self.memory_mb} MB, jobs of {limit}"


def parse_partition(line: str) -> Row | None:
    """Parses a line of `sinfo -o "%R|%D|%c|%m|%l|%a"`; None for another one."""
    parts = line.strip().split("|")
    if len(parts) != 6 or not all(re.match(r"\d+", part) for part in parts[1:4]):
        return None
    nodes, cores, memory = (int(re.findall(r"\d+", part)[0]) for part in parts[1:4])
    limit, state = minutes_of(parts[4]), parts[5]
    return Row(name=parts[0], nodes=nodes, cores=cores, memory_mb=memory, minutes=limit, state=state)


def minutes_of(text: str) -> int | None:
    """Parses SLURM's `[days-]hours:minutes:seconds` or `minutes:seconds` to minutes, None for `infinite`."""
    days, _, clock = text.rpartition("-")
    if not re.fullmatch(r"\d+(:\d+){1,2}", clock):
        return None
    fields = [int(part) for part in clock.split(":")]
    if len(fields) == 2 and not days:
        fields.insert(0, 0)
    hours, minutes = fields[0], fields[1]
    return (int(days or 0) * 24 + hours) * 60 + minutes


def accounting() -> Check:
    """Checks that sacct answers: without it Snakemake's plugin waits for ever for the state of its jobs."""
    fine, said = ask("sacct", "-n", "-X", "--starttime", "now")
    return Check(
        "accounts (sacct)",
        fine,
        "sacct answers" if fine else said.splitlines()[0] if said else "sacct does not answer",
        "without slurmdbd add `slurm-status-command: squeue` to slurm/config.yaml",
    )


def account(wanted: str) -> Check:
    """Checks that this user may charge the account."""
    fine, said = ask("sacctmgr", "-n", "-P", "show", "assoc", f"user={getpass.getuser()}", "format=account")
    known = sorted(set(said.split())) if fine else []
    return Check(
        f"account {wanted}",
        wanted in known,
        "there" if wanted in known else f"this user has {', '.join(known) or 'none that sacctmgr names'}",
        "correct batch.account",
    )


def allocation(batch: Batch, nodes: int, minutes: int = 10) -> list[str]:
    """Returns the options of `salloc` for whole nodes."""
    options = [f"--nodes={nodes}", f"--ntasks={nodes}", f"--time={minutes}", "--quiet"]
    options += [f"--partition={batch.partition}"] if batch.partition else []
    options += [f"--account={batch.account}"] if batch.account else []
    return [*options, *option_words(Job(ranks=nodes, nodes=nodes, whole=True), batch)]
