"""Base class of all Pydantic models: frozen, unknown keys rejected."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, PlainSerializer


class Strict(BaseModel):
    """A model that refuses keys it does not know, so that a typing error never passes silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def without_defaults(model: BaseModel) -> dict[str, Any]:
    """Returns the fields of a model that differ from its defaults, as JSON has them."""
    return model.model_dump(mode="json", by_alias=True, exclude_defaults=True)


BRIEF = PlainSerializer(without_defaults)
"""Annotates a field that holds a model: in JSON it has no defaults, so a specification stays short."""
