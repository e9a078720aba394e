"""Sums the records of an archive up by experiment: when runs were made, how they ended, what they ran with.

Pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from harness.config.archive import RECORDS
from harness.core.errors import KvasirError
from harness.results.records import Record

CELLS = "cells"
"""Study that records of clusters name: several studies share one."""
FOREIGN = ("hadoop", "java", "mpirun", "valgrind")
"""Software that is not ours, by the names that records have for it."""


@dataclass
class Experiment:
    """The runs of one experiment, or of one cluster: by outcome, first start, last end, and what they ran with."""

    name: str
    tool: str
    studies: list[str]
    runs: Counter[str] = field(default_factory=Counter)
    began: datetime | None = None
    ended: datetime | None = None
    seconds: float = 0.0
    software: set[tuple[str, str]] = field(default_factory=set)
    images: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Count a run in."""
        outcome = record.outcome
        self.runs[outcome.status] += 1
        self.software |= set(_software(record.environment))
        self.images.update(_images(record.environment))
        if not outcome.started:
            return
        began = datetime.fromisoformat(outcome.started)
        ended = began + timedelta(seconds=outcome.seconds or 0.0)
        self.began = min(began, self.began or began)
        self.ended = max(ended, self.ended or ended)
        self.seconds += outcome.seconds or 0.0


def _programs(environment: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns what a record says of each program that its run used."""
    programs = environment.get("programs") or {}
    return {name: facts for name, facts in programs.items() if isinstance(facts, dict)}


def _software(environment: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the software of a run that is not ours, with its version."""
    for name, facts in _programs(environment).items():
        versions = dict(facts.get("versions") or {})
        if name == "hadoop":
            versions |= {"hadoop": facts.get("version", ""), "java": facts.get("java", "")}
        for key, text in versions.items():
            # As they print it: "mpirun (Open MPI) 4.1.4", "valgrind-3.19.0". Another MPI is not called Open MPI.
            version = re.search(r"[0-9][^\s]*$", str(text))
            if key in FOREIGN and version and (key != "mpirun" or "Open MPI" in text):
                yield key, version[0]


def _images(environment: Mapping[str, Any]) -> dict[str, str]:
    """Returns the SHA-256 of the images that programs of a run came from, by name."""
    found = [facts.get("image") for facts in _programs(environment).values()]
    return {
        image["name"]: image["sha256"]
        for image in found
        if isinstance(image, dict) and {"name", "sha256"} <= set(image)
    }


def experiments(packed: Iterable[tuple[str, bytes]]) -> list[Experiment]:
    """Returns the experiments of an archive from the files of its records, by name, sorted.

    Raises KvasirError for a record that is broken, or when there is none.
    """
    found: dict[str, Experiment] = {}
    shared: dict[str, list[str]] = {}
    for name, content in packed:
        path = PurePosixPath(name)
        try:
            if path.name == "studies.json":
                shared[f"{CELLS}/{path.parent.name}"] = re.findall(r'"([^"]+)"', content.decode())
            if path.name != "run.json":
                continue
            record = Record.model_validate_json(content)
        except (UnicodeDecodeError, ValidationError):
            raise KvasirError(f"{RECORDS}: {name}: not what an archive holds under this name") from None
        who = record.identity
        key = f"{who.study}/{who.experiment}"
        if key not in found:
            programs = sorted(_programs(record.environment))
            tool = CELLS if who.study == CELLS else (programs or [who.study])[0]
            found[key] = Experiment(name=key, tool=tool, studies=[who.study])
        found[key].add(record)
    if not any(made.began for made in found.values()):
        raise KvasirError(f"{RECORDS}: expected records of runs, found none")
    for key, made in found.items():
        made.studies = sorted(shared.get(key, made.studies))
    return [found[key] for key in sorted(found)]
