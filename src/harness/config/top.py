"""`config/config.yaml`: which studies to run, how much of them, and where."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from harness.core.models import Strict

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class Top(Strict):
    """The choices a user makes for one invocation."""

    scale: Name = Field(description="how much: the name of a file in config/scales")
    site: Name = Field(description="where: the name of a file in config/sites")
    studies: list[Name] = Field(min_length=1, description="which: names of files in config/studies")

    seed: int = Field(ge=0, lt=2**32, description="orders the runs and seeds the data")
    replay: str | None = Field(
        default=None,
        min_length=1,
        description="folder of archives, one a scale, whose records stand in for runs; none: runs are made",
    )

    @field_validator("studies", mode="before")
    @classmethod
    def _split_names(cls, value: object) -> object:
        """Accept `mimir` and `mimir,eee`, as they are typed on a command line."""
        return [name.strip() for name in value.split(",")] if isinstance(value, str) else value
