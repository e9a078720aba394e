"""A study of the network simulator: each level of a factor is a piece of the simulator's own configuration."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

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

    framework: Literal["netsim"]
    programs: dict[str, Program] = Field(min_length=1, description="by subcommand: run, link")
    uses: dict[Word, str] = Field(
        default_factory=dict, description="experiments that use another subcommand than run"
    )

    def kinds(self, experiment: str) -> list[str]:
        """Only experiments that keep events have a trace."""
        return ["", *([".trace"] if self.experiments[experiment].events else [])]

    def program_of(self, experiment: str) -> str:
        """The subcommand that runs an experiment."""
        return self.uses.get(experiment, "run")

    @model_validator(mode="after")
    def _every_level_means_something(self) -> NetsimStudy:
        for name, experiment in self.experiments.items():
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
