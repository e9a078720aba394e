"""Models of a study of kind cells, and of its sizes at a scale: a point is a framework, a size, a disk, a benchmark."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from harness.config.hadoop import Parameters
from harness.config.study import Level, Levels, Study, Word
from harness.core.models import Strict

FACTORS = ("framework", "nodes", "disk", "benchmark")
SIZE = "size"
"""A fifth factor, which a study may have: data as a multiple of the scale's."""
DISKS = ("hdd", "sata", "ssd")

Settings = dict[str, dict[str, Any]]
"""Settings of benchmarks by benchmark. The planner checks them: each benchmark's class knows its own."""
BenchmarkName = str


class CellsStudy(Study):
    """One published study, re-run on clusters of hosts. Studies of this kind share clusters, inputs and runs."""

    kind: Literal["cells"]
    without: list[dict[Word, Levels]] = Field(
        default_factory=list,
        description="points with one of these levels of each factor are left out, as in the paper",
    )
    traces: list[Word] = Field(default_factory=list, description="experiments with a table of samples")
    tasks: list[Word] = Field(default_factory=list, description="experiments with a table of tasks' phases")
    lists_outputs: bool = Field(
        default=False, description="whether its claims read a table of the files in the output directory"
    )
    counters: list[Word] = Field(
        default_factory=list, description="experiments with a table of jobs' counters"
    )
    stages: list[Word] = Field(
        default_factory=list, description="experiments with a table of the stages of each map task"
    )

    @property
    def factors(self) -> list[str]:
        """Names of its factors, in order."""
        return list(self.defaults)

    def endings(self, experiment: str) -> list[str]:
        """Metrics, and samples, tasks, counters and stages where the study wants them."""
        more = {
            ".trace": self.traces,
            ".tasks": self.tasks,
            ".counters": self.counters,
            ".stages": self.stages,
        }
        return ["", *[kind for kind, experiments in more.items() if experiment in experiments]]

    @model_validator(mode="after")
    def _levels_are_known(self) -> CellsStudy:
        if tuple(self.defaults) not in (FACTORS, (*FACTORS, SIZE)):
            raise ValueError(
                f"defaults: found {list(self.defaults)}, expected {list(FACTORS)} in this order, and {SIZE} if wanted"
            )
        for key in ("traces", "tasks", "counters", "stages"):
            named: list[str] = getattr(self, key)
            if unknown := set(named) - set(self.experiments):
                raise ValueError(f"{key}: no such experiment: {', '.join(sorted(unknown))}")
        for name, experiment in self.experiments.items():
            if unknown := experiment.levels_of("disk") - set(DISKS):
                raise ValueError(f"experiment {name}: unknown disk {sorted(unknown)}, known: {list(DISKS)}")
            if wrong := [level for level in experiment.levels_of("nodes") if not _is_count(level)]:
                raise ValueError(f"experiment {name}: nodes: found {wrong}, expected whole numbers from 2")
            if wrong := [level for level in experiment.levels_of(SIZE) if not _is_multiple(level)]:
                raise ValueError(f"experiment {name}: {SIZE}: found {wrong}, expected numbers above 0")
        return self


def _is_count(level: str) -> bool:
    return level.isdigit() and int(level) > 1


def _is_multiple(level: str) -> bool:
    try:
        return 0 < float(level) < math.inf
    except ValueError:
        return False


class CellsScale(Strict):
    """How large the cells are that all studies of this kind share."""

    repetitions: PositiveInt = Field(le=100)
    more_repetitions: dict[BenchmarkName, PositiveInt] = Field(
        default_factory=dict, description="benchmarks with another number of repetitions"
    )
    timeout_s: PositiveFloat = Field(description="a program that takes longer is stopped, its run a timeout")
    period_s: PositiveFloat = Field(default=1, description="between two samples of a host")
    minutes: PositiveInt = Field(description="time to ask a scheduler for, for one cell")
    parameters: Parameters = Field(default=Parameters(), description="of Hadoop, by MREv's names")
    map_waves: PositiveInt | None = Field(
        default=None,
        description="rounds of map tasks at least, on every number of hosts: blocks shrink to that end, and TestDFSIO "
        "divides its data into more files; none: blocks and files as they are written",
    )
    benchmarks: Settings = Field(default_factory=dict, description="settings of the benchmarks")


class CellsStudyScale(Strict):
    """How much of one study is run; sizes are those of the cells unless the study has its own."""

    only: dict[str, list[Level]] = Field(
        default_factory=dict, description="by factor: the levels to keep; points with others are left out"
    )
    without: list[dict[str, Levels]] = Field(
        default_factory=list, description="points with one of these levels of each factor are left out"
    )
    leave_out: list[str] = Field(
        default_factory=list, description="experiments that are not made at this scale"
    )
    benchmarks: Settings = Field(
        default_factory=dict, description="settings of the benchmarks where this study's differ"
    )
    parameters: Parameters | None = Field(
        default=None,
        description="of Hadoop, for clusters that this study shares with no other, with blocks as written here; none: "
        "it shares those of `cells`. A study with factor size needs its own",
    )
