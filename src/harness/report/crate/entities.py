"""Holds the contents of a crate and adds its entities by the library; names what all parts of it name alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from harness.config.archive import Provenance
from harness.core.errors import KvasirError
from harness.report.citation import Citation
from harness.report.experiments import CELLS, Experiment

METADATA = "ro-crate-metadata.json"
README = "README.md"
WORKFLOW = "Snakefile"
REQUIREMENTS = "requirements.txt"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
VERDICT = "verdicts"
TOOLS = {
    "engine": ("The MapReduce-over-MPI engine with its mini-apps", "src/engine/README.md"),
    "netsim": ("The packet-level simulator of Ethernet under MapReduce", "src/netsim/README.md"),
    CELLS: ("Clusters of hosts that run Hadoop, its plug-ins and the engine on HDFS", "src/hadoop/README.md"),
    VERDICT: ("Tables, and the check of the papers' claims against them", "config/claims/README.md"),
}
"""What each of our programs is, and the page about it."""
SOFTWARE = {
    "mpirun": ("Open MPI", "https://www.open-mpi.org/"),
    "valgrind": ("Valgrind", "https://valgrind.org/"),
    "hadoop": ("Apache Hadoop", "https://hadoop.apache.org/"),
    "java": ("Java", "https://openjdk.org/"),
    "snakemake": ("Snakemake", "https://snakemake.readthedocs.io/"),
}


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a crate is made of."""

    origin: Provenance
    experiments: Sequence[Experiment]
    files: Mapping[str, bytes]
    """All files but the metadata, by path: the workflow's own, and the archive's in the folder of its scale."""
    citation: Citation
    commit: str
    """Commit that the workflow's files are of; empty: the checkout that made the crate."""
    agent: Mapping[str, str] | None
    """Who ran the workflow, as an author in CITATION.cff; None: not said."""


class Crate:
    """A crate in the making, by the library; entities are named by their identifiers."""

    def __init__(self) -> None:
        self.crate = ROCrate(gen_preview=False)
        self.crate.metadata.extra_contexts.append(TERMS)

    def add(self, identifier: str, kind: str | list[str], /, **properties: Any) -> dict[str, str]:
        """Add something that is no file; an empty property is left out. Returns a reference to it."""
        self.crate.add(ContextEntity(self.crate, identifier, properties={"@type": kind}))
        self.set(identifier, **properties)
        return {"@id": identifier}

    def set(self, identifier: str, /, **properties: Any) -> None:
        """Say more of an entity; a list of one becomes that one, as the specification wants it."""
        entity = self.crate.dereference(identifier)
        for key, value in properties.items():
            if value not in (None, "", [], {}):
                entity[key] = value[0] if isinstance(value, list) and len(value) == 1 else value

    def value(self, identifier: str, name: str, value: str, /, **properties: Any) -> dict[str, str]:
        """Add a named value."""
        return self.add(identifier, "PropertyValue", name=name, value=value, **properties)


def identifier(*words: str) -> str:
    """Returns the identifier of something that is no file: letters of any script stay as they are."""
    return "#" + re.sub(r"[^\w.:+=,/-]+", "-", "-".join(words))


def counts(runs: Mapping[str, int]) -> str:
    """Returns outcomes and their numbers as a phrase; those that went well are the first."""
    return ", ".join(
        f"{runs[status]} {status}" for status in sorted(runs, key=lambda name: (name != "ok", name))
    )


def pinned(requirements: bytes, package: str) -> str:
    """Returns the version that requirements.txt pins. Raises KvasirError when it pins none."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", requirements.decode(), re.MULTILINE)
    if found is None:
        raise KvasirError(f"{REQUIREMENTS}: expected a version of {package}, found none")
    return found[1]


def span(found: Sequence[Experiment]) -> tuple[datetime, datetime]:
    """Returns when the first run began and the last one ended."""
    began = [made.began for made in found if made.began]
    ended = [made.ended for made in found if made.ended]
    return min(began), max(ended)
