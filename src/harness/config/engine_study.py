"""A study of the MapReduce-over-MPI engine: data sets and ranks by the paper's own numbers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from harness.config.study import Study
from harness.core.models import Strict


class Dataset(Strict):
    """A text data set by the paper's own numbers; the scale says what becomes of them.

    `interleaved`: `unique` distinct words among the paper's words, met by the ranks of `platform`. At another
    scale the number of distinct words is chosen so that Eq. 1 (combinability rate) keeps its value.
    `zipf`, `superkey`: skewed keys. `example`: these words, once for every rank. `realtext`: text found here.
    """

    distribution: Literal["interleaved", "zipf", "superkey", "example", "realtext"] = "interleaved"
    unique: PositiveInt | None = None
    size: Literal["words", "skew_words"] = Field(default="words", description="which size of the scale")
    platform: str = Field(default="knm", description="whose rank count enters Eq. 1")
    exponent: PositiveFloat | None = Field(default=None, description="of the Zipf law")
    share: PositiveFloat | None = Field(default=None, lt=1, description="of the one heavy word (superkey)")
    words: str | None = Field(default=None, description="of an example: the words one rank reads")

    @model_validator(mode="after")
    def _has_what_its_law_needs(self) -> Dataset:
        needs = {
            "interleaved": ("unique",),
            "zipf": ("unique", "exponent"),
            "superkey": ("unique", "share"),
            "example": ("words",),
            "realtext": (),
        }[self.distribution]
        missing = [key for key in needs if getattr(self, key) is None]
        if missing:
            raise ValueError(f"a data set of distribution {self.distribution} needs {', '.join(missing)}")
        return self


class EngineStudy(Study):
    """One published study, re-run with the engine."""

    framework: Literal["engine"]
    paper_words: PositiveInt
    paper_ranks: dict[str, PositiveInt]
    fixed_ranks: dict[str, PositiveInt] = Field(
        default_factory=dict, description="platforms of one size at any scale"
    )
    datasets: dict[str, Dataset] = Field(min_length=1)

    def kinds(self, experiment: str) -> list[str]:
        """All runs are sampled; small examples keep the engine's event log as well."""
        return ["", ".trace", *([".fill"] if self.experiments[experiment].events else [])]

    @model_validator(mode="after")
    def _data_sets_are_known(self) -> EngineStudy:
        for name, experiment in self.experiments.items():
            missing = experiment.levels_of("data") - set(self.datasets)
            if missing:
                known = sorted(self.datasets)
                raise ValueError(f"experiment {name}: unknown data set {sorted(missing)}, known: {known}")
        return self
