"""Writes every key of the configuration files as Markdown, from the models' JSON schemas. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.config.schema import MODELS

Schema = Mapping[str, Any]

FILES = {
    "config": ("config/config.yaml", "what to run and where"),
    "scale": ("config/scales/*.yaml", "how much of each study: a section a study, and `cells`"),
    "site": ("config/sites/*.yaml", "where runs happen"),
    "study": ("config/studies/*.yaml", "experiments and figures of a paper"),
    "frameworks": ("config/frameworks.yaml", "frameworks that runs can name, by name"),
    "benchmarks": ("config/benchmarks.yaml", "commands of the user's that are benchmarks, by name"),
    "levers": (
        "config/levers.yaml",
        "changes whose effects on time and energy are set beside each other, by name",
    ),
    "anchors": ("config/anchors.yaml", "published results beside which figures set ours, by name"),
}
HEAD = """# Every key of the configuration

Made by `make schema` from the models that check the files; do not edit by hand. `config/schema/*.json` says the same to
editors. A key that says neither a default nor `required` may be left out.
"""
NOTHING = object()


def type_of(schema: Schema) -> str:
    """Returns the type of a key's value, for people."""
    if "$ref" in schema:
        return f"[{_named(schema['$ref'])}](#{_named(schema['$ref']).lower()})"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        parts = [type_of(one) for one in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(part for part in parts if part != "null"))
    if schema.get("type") == "array":
        return f"list of {type_of(schema['items'])}" if schema.get("items") else "list"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"map to {type_of(inner)}" if isinstance(inner, Mapping) else "map"
    return str(schema.get("type", "any"))


def _named(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def rows(schema: Schema) -> Iterator[str]:
    """Yields a line of a table for each key of a model."""
    required = set(schema.get("required", []))
    for key, value in schema.get("properties", {}).items():
        default = value.get("default", NOTHING)
        empty = default in (None, "", [], {}) or default is NOTHING
        shown = "" if empty else f"`{json.dumps(default)}`"
        what = "required" if key in required else shown
        if len(what) > 60:
            what = "see its own keys"
        yield f"| `{key}` | {_cell(type_of(value))} | {_cell(what)} | {_cell(value.get('description', ''))} |"


def section(name: str, schema: Schema, level: int) -> Iterator[str]:
    """Yields the lines of a model: what it is, and its keys."""
    yield f"{'#' * level} {name}"
    yield ""
    if described := schema.get("description"):
        yield " ".join(described.split())
        yield ""
    found = list(rows(schema))
    if found:
        yield from ("| key | value | default | |", "| --- | --- | --- | --- |", *found, "")


def _entry(schema: Schema) -> Schema | None:
    """Returns the schema of each value of a file that holds names with values; None for other files."""
    if "properties" in schema:
        return None
    by_pattern = list(schema.get("patternProperties", {}).values())
    entry = by_pattern[0] if by_pattern else schema.get("additionalProperties")
    return entry if isinstance(entry, Mapping) else None


def document() -> str:
    """Returns the whole page: a section a file, and one for each model that files share."""
    lines = [HEAD]
    inner: dict[str, Schema] = {}
    for name, (path, what) in FILES.items():
        schema = MODELS[name].json_schema()
        inner |= schema.get("$defs", {})
        lines += [f"## `{path}`", "", f"{what[:1].upper()}{what[1:]}.", ""]
        if one_of := schema.get("oneOf"):
            lines += [f"A file is one of: {', '.join(type_of(one) for one in one_of)}, by its `kind`.", ""]
        elif entry := _entry(schema):
            lines += [f"Each entry: {type_of(entry)}.", ""]
        else:
            found = list(rows(schema))
            lines += ["| key | value | default | |", "| --- | --- | --- | --- |", *found, ""]
            if isinstance(more := schema.get("additionalProperties"), Mapping):
                lines += [f"Any other key is a study's name, with one of: {type_of(more)}.", ""]
    lines += ["## Parts that files are made of", ""]
    for name in sorted(inner):
        lines += section(name, inner[name], 3)
    return "\n".join(lines).rstrip() + "\n"
