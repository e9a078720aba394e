"""`config/scales/<scale>.yaml`: how much of each study is run. One section a study."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PositiveInt, model_validator

from harness.config.cells_study import CellsScale, CellsStudyScale
from harness.core.models import Strict


class PlatformRanks(Strict):
    """Ranks on the paper's two platforms, or on their stand-ins (one rank a core)."""

    knm: PositiveInt = Field(description="all cores (Knights Mill, 72 in the paper)")
    knl: PositiveInt = Field(
        description="the smaller chip or its stand-in (Knights Landing, 68 in the paper)"
    )
    skew: PositiveInt = Field(description="for the skewed data, where only counts matter")


class MimirScale(Strict):
    """Sizes of study `mimir`. Words are words of input text; the paper uses 4 billion."""

    words: PositiveInt
    ranks: PlatformRanks
    repetitions: PositiveInt = Field(le=100)
    timeout_s: PositiveInt = Field(description="a run that takes longer is stopped and recorded as timeout")
    schematic_words: PositiveInt = Field(description="words per rank in the small examples of Fig. 4")
    skew_words: PositiveInt = Field(description="words of the skewed data sets (counts only, no timing)")
    realtext: list[str] = Field(min_length=1, description="files or folders of real text on this machine")


class EeeScale(Strict):
    """How much of study `eee` is simulated. The paper's topology, settings and batch sizes hold at any scale."""

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
    leave_out: list[str] = Field(
        default_factory=list, description="experiments that are not made at this scale"
    )
    over: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="by subcommand: what this scale lays over the study's configuration"
    )
    over_experiment: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="by experiment: the same, after the subcommand's"
    )


class Scale(Strict):
    """All studies' sizes at one scale. A study that is not listed cannot be run at this scale."""

    mimir: MimirScale | None = None
    eee: EeeScale | None = None
    cells: CellsScale | None = Field(default=None, description="the clusters that mrev and hpc share")
    mrev: CellsStudyScale | None = None
    hpc: CellsStudyScale | None = None

    @model_validator(mode="after")
    def _studies_have_their_cells(self) -> Scale:
        if self.cells is None and (self.mrev or self.hpc):
            raise ValueError("cells: found nothing: studies mrev and hpc need it")
        return self
