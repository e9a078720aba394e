"""JSON schemas of the configuration files, for editors and for people who read schemas."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from harness.config.anchors import ANCHORS
from harness.config.levers import LEVERS
from harness.config.load import BENCHMARKS, FRAMEWORKS, STUDY
from harness.config.scale import ScaleFile
from harness.config.site import Site
from harness.config.top import Top

MODELS: dict[str, TypeAdapter[Any]] = {
    "anchors": ANCHORS,
    "config": TypeAdapter(Top),
    "scale": TypeAdapter(ScaleFile),
    "site": TypeAdapter(Site),
    "study": STUDY,
    "frameworks": FRAMEWORKS,
    "benchmarks": BENCHMARKS,
    "levers": LEVERS,
}


def render(name: str) -> str:
    """The schema called `name`, as the text of its file in config/schema."""
    return json.dumps(MODELS[name].json_schema(), indent=1, sort_keys=True) + "\n"
