"""Base class of all Pydantic models: frozen, unknown keys rejected."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A model that refuses keys it does not know, so that a typing error never passes silently."""

    model_config = ConfigDict(extra="forbid", frozen=True)
