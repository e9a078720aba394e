"""Model of `config/levers.yaml`: what the studies change, and the claims that say what is left of time and energy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, TypeAdapter, model_validator

from harness.core.models import Strict

Reading = Literal["percent less", "percent more", "percent of it", "times", "times less"]


class Effect(Strict):
    """Names the claim that says how large an effect is."""

    claim: str = Field(description="id of a claim whose values are numbers")
    reads: Reading = Field(
        description="how its number is meant: 46 `percent less`, 33 `percent more`, 55 `percent of it`, 2 `times`"
        " as much, or 2.4 `times less`"
    )

    def left(self, value: float) -> float:
        """Returns what is left where `value` is the claim's number: 1 stands for no effect."""
        match self.reads:
            case "percent less":
                return 1 - value / 100
            case "percent more":
                return 1 + value / 100
            case "percent of it":
                return value / 100
            case "times":
                return value
            case "times less":
                return 1 / value


class Lever(Strict):
    """Names a change of the system whose effects are claims of one study."""

    label: str = Field(description="the change, for figures")
    study: str = Field(description="the study whose claims they are")
    time: Effect | None = Field(default=None, description="effect on the time of the job")
    energy: Effect | None = Field(default=None, description="effect on the energy of what the study measures")

    @model_validator(mode="after")
    def _has_an_effect(self) -> Lever:
        if self.time is None and self.energy is None:
            raise ValueError("needs time or energy")
        return self


LeverId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
LEVERS: TypeAdapter[dict[LeverId, Lever]] = TypeAdapter(dict[LeverId, Lever])
