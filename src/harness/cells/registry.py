"""The classes of frameworks by the word that `class` of config/frameworks.yaml has for them."""

from __future__ import annotations

from harness.cells.engine import Engine
from harness.cells.frameworks import Framework, Hadoop
from harness.config.frameworks import FrameworkEntry

KINDS: dict[str, type[Framework]] = {"hadoop": Hadoop, "engine": Engine}


def refusal(entry: FrameworkEntry, benchmark: str) -> str:
    """Why a framework cannot run a benchmark, or ''."""
    return entry.missing or KINDS[str(entry.kind)].refusal(benchmark)


def make(name: str, entry: FrameworkEntry) -> Framework:
    """The framework of an entry that is not missing."""
    return KINDS[str(entry.kind)](name, entry)
