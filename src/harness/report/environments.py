"""Tabulates the environments of the runs, with a warning wherever results may not be comparable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.report import numbers

_LABELS = {
    "cpu": "Processor",
    "cores": "Cores",
    "memory_bytes": "Memory",
    "os": "System",
    "kernel": "Kernel",
    "numa_nodes": "NUMA nodes",
    "nodes": "Nodes of the cluster",
    "turbo_off": "Turbo switched off",
    "software": "Programs from",
    "mpi": "MPI",
    "programs.engine.versions.c++": "Engine: compiler",
    "programs.engine.versions.mpirun": "Engine: MPI",
    "programs.engine.native": "Engine: compiled for this processor",
    "programs.engine.image.sha256": "Engine: SHA-256 of the image",
    "programs.netsim.versions.c++": "Simulator: compiler",
    "programs.netsim.native": "Simulator: compiled for this processor",
    "programs.netsim.image.sha256": "Simulator: SHA-256 of the image",
    "python": "Python",
    "host": "Host",
    "user_is_root": "Ran as root",
    "load_before": "Load before the run",
    "git.commit": "Commit",
    "git.dirty": "Uncommitted changes",
    "power.source": "Power source",
    "power.reason": "Why no power source",
}

_EMPTY: tuple[Any, ...] = (None, "", {}, [])


@dataclass(frozen=True)
class GitState:
    """The commit the page was made at, and whether tracked files differed from it."""

    commit: str
    dirty: bool


@dataclass(frozen=True)
class Environment:
    """The common environment of a group of runs; nested values are flattened to `outer.inner`."""

    runs: int
    values: dict[str, Any]


def environment(group: dict[str, Any]) -> Environment:
    """Returns a group of `overview.environments` with its values flattened."""
    return Environment(group["runs"], _flat(group["values"]))


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


@dataclass(frozen=True)
class Line:
    """One property, with a cell per environment."""

    label: str
    cells: tuple[str, ...]
    differs: bool


@dataclass(frozen=True)
class Table:
    """Environments side by side; `heads` says how many runs each stands for."""

    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    warnings: tuple[str, ...]


def label(key: str) -> str:
    """Returns a property's name for people: `power.source` -> `Power source`."""
    words = key.replace("_", " ").replace(".", " ")
    return _LABELS.get(key, words[:1].upper() + words[1:])


def show(key: str, value: Any) -> str:
    """Returns a property's value for people."""
    if value in _EMPTY:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return numbers.size(value) if key.endswith("_bytes") else numbers.number(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(show(key, one) for one in value)
    return str(value)


def table(environments: list[Environment], git: GitState | None) -> Table:
    """Returns the environments as a table; `git` is the state the page was made at."""
    known = list(_LABELS)
    keys = sorted(
        dict.fromkeys(key for one in environments for key in one.values),
        key=lambda key: known.index(key) if key in known else len(known),
    )
    lines = []
    for key in keys:
        cells = tuple(show(key, one.values.get(key)) for one in environments)
        if any(one.values.get(key) not in _EMPTY for one in environments):
            lines.append(Line(label(key), cells, len(set(cells)) > 1))
    heads = tuple(numbers.count(one.runs, "run") for one in environments)
    return Table(heads, tuple(lines), tuple(_warnings(environments, lines, git)))


def _warnings(environments: list[Environment], lines: list[Line], git: GitState | None) -> list[str]:
    warnings = []
    differing = [line.label for line in lines if line.differs]
    if differing:
        warnings.append(
            f"The runs were made in {len(environments)} different environments; they differ in: "
            f"{', '.join(differing)}. Numbers from different environments should not be compared."
        )
    dirty = sum(one.runs for one in environments if one.values.get("git.dirty") is True)
    if dirty:
        warnings.append(
            f"{numbers.count(dirty, 'run')} {'was' if dirty == 1 else 'were'} made with uncommitted changes: "
            "the commit alone does not tell what ran."
        )
    commits = {str(one.values["git.commit"]) for one in environments if one.values.get("git.commit")}
    if git and commits - {git.commit}:
        warnings.append("Some runs were made at another commit than this page.")
    return warnings
