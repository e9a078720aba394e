"""Models of a study of kind engine, and of its sizes at a scale: data sets and ranks by the paper's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from harness.config.frameworks import MIMIR, FrameworkEntry
from harness.config.study import Experiment, Study
from harness.core.errors import KvasirError
from harness.core.models import Strict

FACTORS = (
    "app",
    "data",
    "platform",
    "buffer_mb",
    "strategy",
    "combine",
    "combine_switch",
    "balance",
    "pipeline",
    "cap_w",
    "sample_ms",
)
"""What a run of the engine is told; every study of this kind has a default level of each."""


class Dataset(Strict):
    """A text data set by the paper's own numbers; the scale says what becomes of them.

    `interleaved`: `unique` distinct words among the paper's words, met by the ranks of `platform`. At another
    scale the number of distinct words is chosen so that Eq. 1 (combinability rate) keeps its value.
    `zipf`, `superkey`: skewed keys. `example`: these words, once for every rank. `realtext`: text found here.
    """

    distribution: Literal["interleaved", "zipf", "superkey", "example", "realtext"] = "interleaved"
    unique: PositiveInt | None = None
    size: Literal["words", "skew_words"] = Field(default="words", description="which size of the scale")
    platform: str | None = Field(
        default=None, description="whose rank count enters Eq. 1; none: the study's default platform"
    )
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


def on_framework(experiment: str, framework: str) -> str:
    """Returns the name of an experiment's copy on a framework."""
    return f"{experiment}_on_{framework.replace('-', '_')}"


def copied(experiment: str, framework: str | None) -> str:
    """Returns the name of the experiment that this one is a copy of on `framework`; without one, its own."""
    return experiment if framework is None else experiment.removesuffix(on_framework("", framework))


def _require_mimir(experiment: str, framework: str, frameworks: Mapping[str, FrameworkEntry]) -> None:
    able = [name for name, entry in frameworks.items() if entry.kind == MIMIR]
    if framework not in able:
        known = ", ".join(able) or "none"
        raise KvasirError(
            f"experiments.{experiment}: found framework {framework}: allowed are entries of class mimir in "
            f"config/frameworks.yaml: {known}"
        )


class EngineStudy(Study):
    """One published study, re-run with the engine."""

    kind: Literal["engine"]
    paper_words: PositiveInt
    paper_ranks: dict[str, PositiveInt] = Field(
        description="by platform; the default platform and those of data sets need one"
    )
    fixed_ranks: dict[str, PositiveInt] = Field(
        default_factory=dict, description="platforms of one size at any scale"
    )
    datasets: dict[str, Dataset] = Field(min_length=1)

    @property
    def platform(self) -> str:
        """The default platform: its ranks scale the send buffers, and their runtimes matter."""
        return str(self.defaults["platform"])

    @property
    def highest_cap(self) -> float:
        """The default cap, the chips' TDP: where no cap can be set it means that none is imposed."""
        return float(self.defaults["cap_w"])

    @property
    def scaled_platforms(self) -> set[str]:
        """Platforms whose ranks a scale has to say."""
        levels = {self.platform}.union(*(e.levels_of("platform") for e in self.experiments.values()))
        used = {dataset.platform for dataset in self.datasets.values() if dataset.platform is not None}
        return (levels | used) - set(self.fixed_ranks)

    def endings(self, experiment: str) -> list[str]:
        """All measured runs are sampled; small examples keep the engine's event log as well."""
        chosen = self.experiments[experiment]
        return ["", *([".trace"] if chosen.cachegrind is None else []), *([".fill"] if chosen.events else [])]

    def beside_engine(self, frameworks: Mapping[str, FrameworkEntry]) -> EngineStudy:
        """Returns the study with a copy of each experiment for each framework that it is `also_on` and that is here.

        Raises KvasirError for a name that no entry of `frameworks` has, and for one of another class.
        """
        found: dict[str, Experiment] = {}
        for name, experiment in self.experiments.items():
            found[name] = experiment
            for framework in [*experiment.also_on, *filter(None, [experiment.framework])]:
                _require_mimir(name, framework, frameworks)
            for framework in experiment.also_on:
                if frameworks[framework].missing:
                    continue
                lender = experiment.borrows
                lent = lender is not None and framework in self.experiments[lender].also_on
                found[on_framework(name, framework)] = experiment.model_copy(
                    update={
                        "title": f"{experiment.title}, on {frameworks[framework].label}",
                        "also_on": [],
                        "framework": framework,
                        "borrows": on_framework(str(lender), framework) if lent else None,
                    }
                )
        return self.model_copy(update={"experiments": found})

    @model_validator(mode="after")
    def _data_sets_are_known(self) -> EngineStudy:
        if missing_factors := [factor for factor in FACTORS if factor not in self.defaults]:
            raise ValueError(f"defaults: found no level of {', '.join(missing_factors)}")
        for owner, platform in [
            ("defaults", self.platform),
            *(
                (f"data set {name}", dataset.platform or self.platform)
                for name, dataset in self.datasets.items()
            ),
        ]:
            if platform not in self.paper_ranks:
                raise ValueError(
                    f"{owner}: platform {platform!r} is none of paper_ranks: {list(self.paper_ranks)}"
                )
        for name, experiment in self.experiments.items():
            missing = experiment.levels_of("data") - set(self.datasets)
            if missing:
                known = sorted(self.datasets)
                raise ValueError(f"experiment {name}: unknown data set {sorted(missing)}, known: {known}")
        return self


class EngineScale(Strict):
    """Sizes of one study of kind engine. Words are words of input text."""

    words: PositiveInt
    ranks: dict[str, PositiveInt] = Field(
        description="by platform of the study: the paper's, or its stand-in here (one rank a core)"
    )
    repetitions: PositiveInt = Field(le=100)
    timeout_s: PositiveInt = Field(description="a run that takes longer is stopped and recorded as timeout")
    passes: dict[str, dict[str, PositiveInt]] = Field(
        default_factory=dict,
        description="by experiment and data set: how often its runs read the text, where more than once, so that "
        "they last; points whose runs are another experiment's have that one's",
    )
    only_experiment: dict[str, dict[str, list[str | int | float]]] = Field(
        default_factory=dict,
        description="by experiment and factor: the levels to keep; points with others are left out",
    )
    attempts: PositiveInt = Field(
        default=1, le=10, description="most often that a run is made whose ranks had to wait for processors"
    )
    skew_words: PositiveInt | None = Field(
        default=None, description="words of data sets of size skew_words (counts only, no timing)"
    )
    realtext: list[str] = Field(
        default_factory=list, description="files or folders of real text on this machine, for data sets of it"
    )

    def mistakes(self, study: EngineStudy) -> list[str]:
        """Returns what the study asks for and these sizes lack, one line each, beginning with the key."""
        wrong = []
        known = study.scaled_platforms
        if set(self.ranks) != known:
            wrong.append(f"ranks: found {', '.join(sorted(self.ranks))}: expected {', '.join(sorted(known))}")
        sizes = {dataset.size for dataset in study.datasets.values()}
        if "skew_words" in sizes and self.skew_words is None:
            wrong.append("skew_words: found nothing: a data set of the study has this size")
        real = any(dataset.distribution == "realtext" for dataset in study.datasets.values())
        if real and not self.realtext:
            wrong.append("realtext: found nothing: a data set of the study is real text")
        for name, passes in self.passes.items():
            wrong += [f"passes.{name}{why}" for why in _wrong_passes(name, passes, study)]
        for name in self.only_experiment.keys() - study.experiments.keys():
            known_names = ", ".join(study.experiments)
            wrong.append(f"only_experiment.{name}: found no such experiment: expected one of {known_names}")
        return wrong

    def passes_of(self, experiment: str, data: str) -> int:
        """Returns how often a run of an experiment reads the text of a data set."""
        return self.passes.get(experiment, {}).get(data, 1)

    def words_of(self, size: Literal["words", "skew_words"]) -> int:
        """Returns the words of a data set of this size."""
        words = self.words if size == "words" else self.skew_words
        assert words is not None, "mistakes() is called for every study and scale"
        return words


def _wrong_passes(name: str, passes: dict[str, int], study: EngineStudy) -> list[str]:
    """Returns what is wrong with the passes of one experiment, each to follow its name."""
    experiment = study.experiments.get(name)
    if experiment is None:
        return [f": found no such experiment: expected one of {', '.join(study.experiments)}"]
    if experiment.borrows is not None:
        return [f": its runs are partly those of {experiment.borrows}: expected the passes there, for both"]
    levels = experiment.levels_of("data") or {str(study.defaults["data"])}
    scaled = {data for data in levels if study.datasets[data].distribution == "interleaved"}
    return [
        f".{data}: found no such data set: expected one of {', '.join(sorted(scaled))}"
        for data in passes
        if data not in scaled
    ]
