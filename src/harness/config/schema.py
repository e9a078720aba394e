"""JSON schemas of the configuration files, for editors and for people who read schemas."""

from __future__ import annotations

import json

from pydantic import BaseModel

from harness.config.scale import Scale
from harness.config.site import Site
from harness.config.study import Study
from harness.config.top import Top

MODELS: dict[str, type[BaseModel]] = {"config": Top, "scale": Scale, "site": Site, "study": Study}


def render(name: str) -> str:
    """The schema called `name`, as the text of its file in config/schema."""
    return json.dumps(MODELS[name].model_json_schema(), indent=1, sort_keys=True) + "\n"
