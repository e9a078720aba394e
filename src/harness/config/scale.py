"""Model of `config/scales/<scale>.yaml`: how much of each study is run. One section a study, of its kind's model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from harness.config.cells_study import CellsScale, CellsStudyScale
from harness.config.engine_study import EngineScale
from harness.config.netsim_study import NetsimScale

KICK = "kick"
TRIALS = (KICK, "smoke")
"""Scales whose runs show that all works; their numbers mean nothing."""
CELLS = "cells"
"""The section that all studies of kind cells share; no study can have this name."""
StudyScale = EngineScale | NetsimScale | CellsStudyScale
SCALES: dict[str, TypeAdapter[Any]] = {
    "engine": TypeAdapter(EngineScale),
    "netsim": TypeAdapter(NetsimScale),
    "cells": TypeAdapter(CellsStudyScale),
}
"""The model of a study's section, by the study's kind."""

Section = TypeVar("Section", EngineScale, NetsimScale, CellsStudyScale)


@dataclass(frozen=True)
class Scale:
    """The chosen studies' sizes at one scale."""

    sections: frozenset[str]
    """Names of all sections of the file. A study that has none cannot be run at this scale."""
    cells: CellsScale | None
    """The clusters that studies of kind cells share."""
    studies: dict[str, StudyScale]
    """By chosen study."""

    def of(self, study: str, model: type[Section]) -> Section:
        """Returns the section of a study, which is of the kind that `model` belongs to."""
        section = self.studies[study]
        assert isinstance(section, model), "load_config chose the model by the study's kind"
        return section


class ScaleFile(BaseModel):
    """All studies' sizes at one scale: one section for each study, by its id."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, StudyScale]

    cells: CellsScale | None = Field(
        default=None, description="the clusters that all studies of kind cells share"
    )
