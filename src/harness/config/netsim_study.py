"""Models of a study of kind netsim, and of its sizes: a level is a piece of the simulator's configuration."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, PositiveInt, model_validator

from harness.config.study import Level, Study, Word
from harness.core.models import Strict

Document = dict[str, Any]
"""A JSON object, or a piece of one that is laid over another. The simulator checks what it says."""


class Program(Strict):
    """One subcommand of the simulator and the configuration that every run of it starts from."""

    passed: Literal["file", "options"] = Field(
        default="file", description="as a JSON file, or each key as an option of the command line"
    )
    events: str = Field(
        default="--trace", description="option that names the file for the program's own trace"
    )
    base: Document
    levels: dict[Word, dict[Level, Document]] = Field(
        default_factory=dict, description="by factor and level: what the level lays over the base"
    )
    paths: dict[Word, list[str]] = Field(
        default_factory=dict, description="by factor: dotted keys that take the level itself"
    )


class NetsimStudy(Study):
    """One published study, re-run in the simulator."""

    kind: Literal["netsim"]
    programs: dict[str, Program] = Field(min_length=1, description="by subcommand: run, link")
    uses: dict[Word, str] = Field(
        default_factory=dict, description="experiments that use another subcommand than run"
    )

    def endings(self, experiment: str) -> list[str]:
        """Only experiments that keep events have a trace."""
        return ["", *([".trace"] if self.experiments[experiment].events else [])]

    def program_of(self, experiment: str) -> str:
        """The subcommand that runs an experiment."""
        return self.uses.get(experiment, "run")

    @model_validator(mode="after")
    def _every_level_means_something(self) -> NetsimStudy:
        for name, experiment in self.experiments.items():
            if experiment.borrows is not None:
                raise ValueError(f"experiment {name}: borrows: equal simulations are made once without it")
            program = self.programs.get(self.program_of(name))
            if program is None:
                known = sorted(self.programs)
                raise ValueError(
                    f"experiment {name}: unknown program {self.program_of(name)!r}, known: {known}"
                )
            for factor in (*experiment.factors, *experiment.linked, *experiment.fixed):
                if factor in program.levels:
                    unknown = experiment.levels_of(factor) - {str(level) for level in program.levels[factor]}
                    if unknown:
                        known = sorted(map(str, program.levels[factor]))
                        raise ValueError(
                            f"experiment {name}: unknown {factor} {sorted(unknown)}, known: {known}"
                        )
                elif factor not in program.paths:
                    raise ValueError(f"experiment {name}: factor {factor} has neither levels nor paths")
        return self


class NetsimScale(Strict):
    """How much of one study of kind netsim is simulated. What the study says of the network holds at any scale."""

    repetitions: PositiveInt = Field(le=100, description="seeds a point")
    timeout_s: PositiveInt
    expected_s: PositiveInt = Field(
        description="what a long simulation takes, for a scheduler: 50 share one of its jobs, which asks for their sum"
    )
    more_repetitions: dict[str, PositiveInt] = Field(
        default_factory=dict, description="experiments with another number of seeds"
    )
    only: dict[str, list[str | int]] = Field(
        default_factory=dict, description="by factor: the levels to keep; points with others are left out"
    )
    only_experiment: dict[str, dict[str, list[str | int]]] = Field(
        default_factory=dict,
        description="by experiment and factor: the same, in place of `only` for that factor",
    )
    leave_out: list[str] = Field(
        default_factory=list, description="experiments that are not made at this scale"
    )
    over: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="by subcommand: what this scale lays over the study's configuration"
    )
    over_experiment: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="by experiment: the same, after the subcommand's"
    )
