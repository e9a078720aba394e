"""`config/studies/<study>.yaml`: factors and levels of a paper's experiments, its data sets and figures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt, StringConstraints, model_validator

from harness.config.base import Strict

Level = str | int | float
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class Dataset(Strict):
    """A text data set by the paper's own numbers; the scale says what becomes of them.

    `unique` distinct words among the paper's `words`, met by `processes` ranks. At another scale the number
    of distinct words is chosen so that Eq. 1 (combinability rate) keeps its value.
    """

    distribution: Literal["interleaved", "zipf", "superkey"] = "interleaved"
    unique: PositiveInt
    size: Literal["words", "skew_words"] = Field(default="words", description="which size of the scale")
    platform: Literal["knm", "knl"] = Field(default="knm", description="whose rank count enters Eq. 1")
    exponent: PositiveFloat | None = Field(default=None, description="of the Zipf law")
    share: PositiveFloat | None = Field(default=None, lt=1, description="of the one heavy word (superkey)")


class Linked(Strict):
    """A factor whose level follows from another factor's."""

    by: Word
    levels: dict[Level, Level]


class Experiment(Strict):
    """The full cross of `factors`, with `linked` and `fixed` levels filled in."""

    title: str
    where: str = Field(description="figure or section of the paper")
    factors: dict[Word, list[Level]] = Field(min_length=1)
    linked: dict[Word, Linked] = Field(default_factory=dict)
    fixed: dict[Word, Level] = Field(default_factory=dict)
    repetitions: PositiveInt | None = Field(default=None, description="where other than the scale's")

    @model_validator(mode="after")
    def _levels_make_sense(self) -> Experiment:
        for name, levels in self.factors.items():
            if not levels or len(set(levels)) != len(levels):
                raise ValueError(f"factor {name} needs at least one level and none twice, found {levels}")
        for name, link in self.linked.items():
            missing = set(self.factors.get(link.by, [])) - set(link.levels)
            if link.by not in self.factors or missing:
                raise ValueError(f"linked factor {name} needs a level for every level of {link.by}: {missing or 'no such factor'}")
        return self


class Figure(Strict):
    """A figure of the paper: the tables it is drawn from and what the paper says it shows."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+$")]
    alias: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$")] = Field(description="target fig_<study>_<alias>")
    title: str
    tables: list[str] = Field(min_length=1, description="experiment, experiment.trace or another table's name")
    paper_says: str
    how: str = Field(description="how the numbers in it were obtained")


class Study(Strict):
    """One published study."""

    id: Word
    title: str
    paper: str = Field(description="the reference, for people")
    framework: Literal["engine"]
    paper_words: PositiveInt
    paper_ranks: dict[str, PositiveInt]
    datasets: dict[str, Dataset] = Field(min_length=1)
    defaults: dict[Word, Level] = Field(description="level of every factor that an experiment does not name")
    experiments: dict[Word, Experiment] = Field(min_length=1)
    figures: list[Figure]

    @model_validator(mode="after")
    def _names_are_known(self) -> Study:
        for name, experiment in self.experiments.items():
            unknown = {*experiment.factors, *experiment.linked, *experiment.fixed} - set(self.defaults)
            if unknown:
                raise ValueError(f"experiment {name}: unknown factor {sorted(unknown)}, known: {sorted(self.defaults)}")
            data = [
                *experiment.factors.get("data", []),
                *experiment.linked["data"].levels.values() if "data" in experiment.linked else [],
                *[experiment.fixed[k] for k in ("data",) if k in experiment.fixed],
            ]
            missing = {str(d) for d in data} - set(self.datasets)
            if missing:
                raise ValueError(f"experiment {name}: unknown data set {sorted(missing)}, known: {sorted(self.datasets)}")
        return self
