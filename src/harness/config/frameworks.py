"""Models of `config/frameworks.yaml`: what runs the benchmarks, one entry a framework."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from harness.config.hadoop import Properties, SiteFile
from harness.config.series import Series
from harness.core.errors import KvasirError
from harness.core.imports import load_class

FrameworkId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
FilePattern = Annotated[str, StringConstraints(pattern=r"^[^/\s][^\s]*$")]
DEFAULT_HADOOP = "3.4.2"
CLASSES = {"hadoop": "harness.cells.frameworks:Hadoop", "engine": "harness.cells.engine:Engine"}
"""Classes of frameworks that have a short name; all others are named as package.module:Class."""
HOME = "{home}"
MIMIR = "mimir"
"""Class of a Mimir that the user has built: it runs studies of kind engine, not benchmarks on HDFS."""
CLASS_PATTERN = rf"^({'|'.join([*CLASSES, MIMIR])}|[A-Za-z_][\w.]*:[A-Za-z_]\w*)$"
BASE = "harness.cells.frameworks:Framework"


class FrameworkEntry(Series):
    """Describes one framework. Those with the same `hadoop` or `home` share a cluster."""

    model_config = ConfigDict(populate_by_name=True)

    kind: str | None = Field(
        default=None,
        alias="class",
        json_schema_extra={"pattern": CLASS_PATTERN},
        description=f"class that runs it: {', '.join(CLASSES)} or {MIMIR}, or package.module:Class, "
        "a subclass of harness.cells.frameworks.Framework on PYTHONPATH",
    )
    interface: str = Field(
        default="gbe", description="network of the site's hosts that all its traffic takes"
    )
    hadoop: str = Field(
        default=DEFAULT_HADOOP, description="version of Hadoop: one with a lock in src/hadoop/dist"
    )
    home: Path | None = Field(
        default=None, description="your own unpacked Hadoop instead of that version, or your installed Mimir"
    )
    java_home: Path | None = Field(
        default=None, description="Java that runs it; none: a fitting one that is installed"
    )
    plugins: list[str] = Field(
        default_factory=list,
        description="plug-ins of Hadoop: names of folders in src/hadoop/plugins, or paths of folders with a slash",
    )
    job_properties: Properties = Field(
        default_factory=dict,
        description="Hadoop's properties of its jobs, in which {home} stands for its home; they win over those of its "
        "plug-ins",
    )
    site: dict[SiteFile, Properties] = Field(
        default_factory=dict,
        description="Hadoop's properties of its cluster, by file, in which {memory} stands for a folder of each host "
        "in tmpfs; it has a cluster of its own then",
    )
    profiles: list[Path] = Field(
        default_factory=list,
        description="YAML files with properties of its jobs, such as config/nvm/paper.yaml; of two, the later wins, "
        "and job_properties over all",
    )
    needs: dict[FilePattern, str] = Field(
        default_factory=dict,
        description="files that its home must have, as patterns below it, each with what it is; without a home, or "
        "one of them, its points are `not run` with this reason",
    )
    missing: str = Field(default="", description="why it cannot be run yet; its points are `not run` then")
    missing_at: dict[str, str] = Field(
        default_factory=dict,
        description="scales that leave it out, each with the reason; with a `home` it runs there all the same",
    )

    @field_validator("kind")
    @classmethod
    def _names_a_class(cls, kind: str | None) -> str | None:
        if kind is not None and not re.fullmatch(CLASS_PATTERN, kind):
            raise ValueError(f"allowed: {', '.join(map(repr, [*CLASSES, MIMIR]))}, or package.module:Class")
        return kind

    @model_validator(mode="after")
    def _runs_or_says_why_not(self) -> FrameworkEntry:
        if self.kind is None and not self.missing:
            raise ValueError("a framework needs a class, or the reason why it is missing")
        if self.kind == MIMIR and self.home is None and not self.missing:
            raise ValueError("class mimir needs home: the folder that your Mimir was installed in")
        return self

    def at(self, scale: str) -> FrameworkEntry:
        """Return the entry as it is at a scale: `missing` with the reason where the scale leaves it out."""
        left_out = "" if self.home else self.missing_at.get(scale, "")
        return self.model_copy(update={"missing": self.missing or left_out, "missing_at": {}})

    def on(self, found: Collection[str]) -> FrameworkEntry:
        """Return the entry with its home filled in: `missing` when not all that it needs is `found` there."""
        absent = {pattern: what for pattern, what in self.needs.items() if pattern not in found}
        reason = ""
        if absent:
            listed = ", ".join(f"{pattern} ({what})" for pattern, what in absent.items())
            reason = (
                f"{self.home} has no {listed}"
                if self.home
                else f"its entry needs home, a folder with {listed}"
            )
        home = str(self.home or "")
        properties = {name: value.replace(HOME, home) for name, value in self.job_properties.items()}
        return self.model_copy(
            update={"missing": self.missing or reason, "needs": {}, "job_properties": properties}
        )

    def distribution(self, name: str) -> str:
        """Return the folder below build/hadoop of the Hadoop that the framework `name` runs on."""
        own = self.home is not None or self.java_home is not None
        return name if own else self.hadoop


def class_of(name: str, entry: FrameworkEntry) -> Any:
    """Load and return the class of the framework `name`: a subclass of harness.cells.frameworks.Framework.

    Raises KvasirError when it cannot be imported.
    """
    reference = CLASSES.get(str(entry.kind), str(entry.kind))
    try:
        return load_class(reference, BASE)
    except KvasirError as error:
        raise KvasirError(f"framework {name}: class: {error}") from None


def build_options(distribution: str, frameworks: Mapping[str, FrameworkEntry]) -> list[str]:
    """Return the arguments of scripts/build_hadoop.py for a folder below build/hadoop."""
    entry = frameworks.get(distribution)
    if entry is None:
        return [f"--version={distribution}"]
    options = {"hadoop-home": entry.home, "java-home": entry.java_home}
    version = [] if entry.home else [f"--version={entry.hadoop}"]
    return [*version, *(f"--{name}={value}" for name, value in options.items() if value is not None)]
