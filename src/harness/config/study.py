"""`config/studies/<study>.yaml`, what all studies share: experiments with factors and levels, and figures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveInt, StringConstraints, model_validator

from harness.config.frameworks import FrameworkId
from harness.config.series import Series
from harness.core.models import Strict

Level = str | int | float
Levels = Level | list[Level]
"""A level of a factor, or several of them."""
FOR_FIGURES = ("anchors", "parameters")
"""Tables that figures may name besides those of the study's experiments."""
OF_STUDY = ("series", *FOR_FIGURES)
"""Tables that a study has besides those of its experiments."""
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Cache = Annotated[str, StringConstraints(pattern=r"^[0-9]+,[0-9]+,[0-9]+$")]


class Linked(Strict):
    """A factor whose level follows from another factor's."""

    by: Word
    levels: dict[Level, Level]


class Cachegrind(Strict):
    """A simulation of the caches by Valgrind's tool of that name: one rank on few words, 50 times as slow."""

    words: PositiveInt = Field(description="words of the text, at any scale; send buffers shrink with them")
    d1: Cache = Field(description="first-level data cache: bytes, ways, bytes of a line")
    ll: Cache = Field(description="last-level cache: the same")


class Experiment(Strict):
    """The full cross of `factors`, with `linked` and `fixed` levels filled in."""

    title: str
    where: str = Field(description="figure or section of the paper")
    factors: dict[Word, list[Level]] = Field(min_length=1)
    linked: dict[Word, Linked] = Field(default_factory=dict)
    fixed: dict[Word, Level] = Field(default_factory=dict)
    also: list[dict[Word, Level]] = Field(
        default_factory=list,
        description="single points beside the cross; what they do not name is as elsewhere",
    )
    borrows: Word | None = Field(
        default=None,
        description="an experiment whose runs serve for points with the same levels (kind engine)",
    )
    events: bool = Field(
        default=False, description="keep what the program logs of its own steps (short runs only)"
    )
    also_on: list[FrameworkId] = Field(
        default_factory=list,
        description="frameworks that run its points besides the engine, as experiment <name>_on_<framework>, where "
        "config/frameworks.yaml names their home (kind engine)",
    )
    framework: FrameworkId | None = Field(
        default=None, description="what runs it in the engine's place (kind engine)"
    )
    cachegrind: Cachegrind | None = Field(
        default=None, description="simulates the caches instead of measuring (kind engine)"
    )
    repetitions: PositiveInt | None = Field(default=None, description="where other than the scale's")

    def levels_of(self, factor: str) -> set[str]:
        """All levels that a factor takes in this experiment, as text."""
        linked = self.linked[factor].levels.values() if factor in self.linked else []
        fixed = [self.fixed[factor]] if factor in self.fixed else []
        also = [point[factor] for point in self.also if factor in point]
        return {str(level) for level in (*self.factors.get(factor, []), *linked, *fixed, *also)}

    @model_validator(mode="after")
    def _levels_make_sense(self) -> Experiment:
        for name, levels in self.factors.items():
            if not levels or len(set(levels)) != len(levels):
                raise ValueError(f"factor {name} needs at least one level and none twice, found {levels}")
        for point in self.also:
            if not set(self.factors) <= set(point):
                raise ValueError(
                    f"also: a point needs a level of each of {list(self.factors)}, found {point}"
                )
        for name, link in self.linked.items():
            missing = set(self.factors.get(link.by, [])) - set(link.levels)
            if link.by not in self.factors or missing:
                what = sorted(map(str, missing)) or "it is no factor of this experiment"
                raise ValueError(f"linked factor {name} needs a level for every level of {link.by}: {what}")
        return self


class Figure(Strict):
    """A figure of the paper: the tables it is drawn from and what the paper says it shows."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+$")]
    alias: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$")] = Field(
        description="target fig_<study>_<alias>"
    )
    title: str
    tables: list[str] = Field(
        min_length=1,
        description="experiment, experiment.trace or another table's name; parameters: the study's at each scale; "
        "anchors: published results, of config/anchors.yaml",
    )
    paper_says: str
    how: str = Field(description="how the numbers in it were obtained")
    own: bool = Field(default=False, description="ours: the paper has no such figure")
    discussion: str = Field(
        default="", description="where it differs from the paper and why, as far as that holds at any scale"
    )


class Study(Strict):
    """One published study. What only one kind of study needs stands in that kind's own class."""

    id: Word
    title: str
    paper: str = Field(description="the reference, for people")
    question: str = Field(description="what the paper asks, in one sentence")
    key_claim: str = Field(
        default="",
        description="id of the claim that answers it best; its verdict and figure stand first. Without claims: none",
    )
    kind: str = Field(description="what runs it: engine, netsim or cells")
    defaults: dict[Word, Level] = Field(description="level of every factor that an experiment does not name")
    experiments: dict[Word, Experiment] = Field(min_length=1)
    series: dict[Level, Series] = Field(
        default_factory=dict,
        description="by level of a factor: how figures name and draw it, where not by its name and some free look",
    )
    figures: list[Figure]
    kick: str = Field(description="id of the figure that `make kick` draws, with the runs that it needs")

    def endings(self, experiment: str) -> list[str]:
        """Endings of an experiment's tables: `` (metrics), `.trace` (samples), `.fill` (events)."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _figures_have_ids_of_their_own(self) -> Study:
        ids = [figure.id for figure in self.figures]
        if double := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"figure {double[0]} is given twice")
        if self.kick not in ids:
            raise ValueError(f"kick: found {self.kick!r}, expected the id of a figure: {', '.join(ids)}")
        return self

    def experiments_of(self, figure: str) -> list[str]:
        """Returns the experiments whose tables a figure is drawn from."""
        tables = [table for one in self.figures if one.id == figure for table in one.tables]
        return list(
            dict.fromkeys(name for table in tables if (name := table.partition(".")[0]) in self.experiments)
        )

    @model_validator(mode="after")
    def _tables_have_names_of_their_own(self) -> Study:
        if reserved := set(OF_STUDY) & set(self.experiments):
            raise ValueError(f"experiments: found {sorted(reserved)}: a table of every study has this name")
        return self

    @model_validator(mode="after")
    def _series_are_levels(self) -> Study:
        levels = {
            level
            for factor in self.defaults
            for experiment in self.experiments.values()
            for level in (*experiment.levels_of(factor), str(self.defaults[factor]))
        }
        if unknown := [str(level) for level in self.series if str(level) not in levels]:
            raise ValueError(f"series: found {', '.join(unknown)}: no experiment has such a level")
        return self

    @model_validator(mode="after")
    def _names_are_known(self) -> Study:
        for name, experiment in self.experiments.items():
            named = {*experiment.factors, *experiment.linked, *experiment.fixed}
            unknown = named.union(*experiment.also) - set(self.defaults)
            if unknown:
                known = sorted(self.defaults)
                raise ValueError(f"experiment {name}: unknown factor {sorted(unknown)}, known: {known}")
            if experiment.borrows is not None and experiment.borrows not in self.experiments:
                raise ValueError(
                    f"experiment {name}: borrows from {experiment.borrows!r}, which is no experiment"
                )
        return self
