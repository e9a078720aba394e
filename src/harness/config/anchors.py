"""Model of `config/anchors.yaml`: published results of sort benchmarks that figures set beside our own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt, StringConstraints, TypeAdapter, model_validator

from harness.core.models import Strict


class Anchor(Strict):
    """Holds one published result; records have 100 bytes."""

    label: str = Field(description="the system, for figures")
    year: PositiveInt = Field(description="of publication")
    records: PositiveFloat = Field(description="records that were sorted")
    seconds: PositiveFloat | None = Field(default=None, description="from start to end")
    cores: PositiveInt | None = Field(default=None, description="of all nodes, virtual ones included")
    joules: PositiveFloat | None = Field(default=None, description="of the whole system, at the wall")
    records_per_joule: PositiveFloat | None = Field(
        default=None, description="where the source says this and no joules"
    )
    source: str = Field(description="where it was published")

    @property
    def per_core(self) -> float | None:
        """Returns records per second and core; None where the source does not say."""
        if self.seconds is None or self.cores is None:
            return None
        return self.records / self.seconds / self.cores

    @property
    def per_joule(self) -> float | None:
        """Returns records per joule; None where the source does not say."""
        return self.records_per_joule if self.joules is None else self.records / self.joules

    @model_validator(mode="after")
    def _says_something(self) -> Anchor:
        if self.joules is not None and self.records_per_joule is not None:
            raise ValueError("give joules or records_per_joule, not both")
        if self.per_core is None and self.per_joule is None:
            raise ValueError("needs seconds and cores, or joules, or records_per_joule")
        return self


AnchorId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
ANCHORS: TypeAdapter[dict[AnchorId, Anchor]] = TypeAdapter(dict[AnchorId, Anchor])
