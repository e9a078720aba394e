"""`config/frameworks.yaml`: what runs the benchmarks. One entry a framework; its class is in `harness.cells`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

FrameworkId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
DEFAULT_HADOOP = "3.4.2"


class FrameworkEntry(BaseModel):
    """One framework. `hadoop` or `home` say on which Hadoop; frameworks with the same one share a cluster."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    kind: Literal["hadoop", "engine"] | None = Field(
        default=None, alias="class", description="which class of harness.cells runs it"
    )
    label: str = Field(description="for figures and tables")
    interface: str = Field(
        default="gbe", description="network of the site's hosts that all its traffic takes"
    )
    hadoop: str = Field(
        default=DEFAULT_HADOOP, description="version of Hadoop: one with a lock in src/hadoop/dist"
    )
    home: Path | None = Field(default=None, description="your own unpacked Hadoop instead of that version")
    java_home: Path | None = Field(
        default=None, description="Java that runs it; none: a fitting one that is installed"
    )
    missing: str = Field(default="", description="why it cannot be run yet; its points are `not run` then")

    @model_validator(mode="after")
    def _runs_or_says_why_not(self) -> FrameworkEntry:
        if self.kind is None and not self.missing:
            raise ValueError("a framework needs a class, or the reason why it is missing")
        return self

    def distribution(self, name: str) -> str:
        """Folder below build/hadoop of the Hadoop that the framework `name` runs on."""
        own = self.home is not None or self.java_home is not None
        return name if own else self.hadoop


def build_options(distribution: str, frameworks: Mapping[str, FrameworkEntry]) -> list[str]:
    """Arguments of scripts/build_hadoop.py for a folder below build/hadoop."""
    entry = frameworks.get(distribution)
    if entry is None:
        return [f"--version={distribution}"]
    options = {"hadoop-home": entry.home, "java-home": entry.java_home}
    version = [] if entry.home else [f"--version={entry.hadoop}"]
    return [*version, *(f"--{name}={value}" for name, value in options.items() if value is not None)]
