"""Base class of all Pydantic models: frozen, unknown keys rejected; files of one model a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer


class Strict(BaseModel):
    """A model that refuses keys it does not know, so that a typing error never passes silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=Strict)


def read_lines(model: type[Model], path: Path) -> list[Model]:
    """Reads a file of one model a line; none where there is no file. A line that was cut off is left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [model.model_validate_json(line) for line in lines if line.endswith("}")]


def without_defaults(model: BaseModel) -> dict[str, Any]:
    """Returns the fields of a model that differ from its defaults, as JSON has them."""
    return model.model_dump(mode="json", by_alias=True, exclude_defaults=True)


BRIEF = PlainSerializer(without_defaults)
"""Annotates a field that holds a model: in JSON it has no defaults, so a specification stays short."""
