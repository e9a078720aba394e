"""The files that Spack reads, as the tests see them: an own small schema of environments, and the lock as a graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field

from harness.core.models import Strict

PROJECT = Path(__file__).parents[2]
OWN = "config/spack/own/spack.yaml"
ON_DEBIAN = "config/spack/own/debian12.lock"

ROOT = re.compile(r"(?P<name>[a-z0-9-]+)@(?P<version>[^\s:,=@]+)(?P<variants>( [a-z+~][^\s]*)*)")


class Repository(Strict):
    git: str
    commit: str


class Repositories(Strict):
    kvasir: str
    builtin: Repository


class Mirror(Strict):
    url: str
    source: bool
    binary: bool


class Targets(Strict):
    granularity: str
    host_compatible: bool


class Concretizer(Strict):
    unify: bool
    reuse: bool
    targets: Targets | None = None


class Group(Strict):
    group: str
    specs: list[str] = Field(min_length=1)


class View(Strict):
    root: str
    group: str | None = None


class Environment(Strict):
    include: list[str]
    repos: Repositories
    mirrors: dict[str, Mirror]
    concretizer: Concretizer
    packages: dict[str, dict[str, Any]] = Field(default_factory=dict)
    specs: list[Group | str]
    view: dict[str, View]


class Document(Strict):
    spack: Environment


@dataclass(frozen=True)
class Root:
    """A wanted package with its exact version."""

    group: str
    name: str
    version: str
    variants: tuple[str, ...] = field(default=())


def environment(path: str = "spack.yaml") -> Environment:
    return Document.model_validate(yaml.safe_load((PROJECT / path).read_text())).spack


def root(spec: str, group: str) -> Root:
    """A spec of spack.yaml; it must name one version, not a range."""
    found = ROOT.fullmatch(spec)
    assert found, f"{spec}: name@version and variants are expected"
    return Root(group, found["name"], found["version"], tuple(found["variants"].split()))


def roots(env: Environment) -> set[Root]:
    groups = [group for group in env.specs if isinstance(group, Group)]
    assert len(groups) == len(env.specs), "all specs of spack.yaml are in groups"
    return {root(spec, group.group) for group in groups for spec in group.specs}


Node = dict[str, Any]


@dataclass(frozen=True)
class Lock:
    """spack.lock."""

    document: dict[str, Any]

    @property
    def nodes(self) -> dict[str, Node]:
        return self.document["concrete_specs"]

    def edges(self, node: Node) -> dict[str, Node]:
        """Dependencies by name, and by the virtual package they stand for."""
        found = {}
        for edge in node.get("dependencies", []):
            for name in (edge["name"], *edge["parameters"]["virtuals"]):
                found[name] = self.nodes[edge["hash"]]
        return found

    def root(self, group: str, name: str) -> Node:
        """The node of a wanted package."""
        found = [
            self.nodes[entry["hash"]]
            for entry in self.document["roots"]
            if entry["group"] == group and self.nodes[entry["hash"]]["name"] == name
        ]
        assert len(found) == 1, f"group {group}: {len(found)} roots {name}"
        return found[0]

    def closure(self, hashes: list[str]) -> set[str]:
        """These nodes and all that they depend on."""
        seen: set[str] = set()
        todo = list(hashes)
        while todo:
            if (now := todo.pop()) not in seen:
                seen.add(now)
                todo += [edge["hash"] for edge in self.nodes[now].get("dependencies", [])]
        return seen


def read_lock(path: Path = PROJECT / "spack.lock") -> Lock:
    return Lock(json.loads(path.read_text()))


def strings(value: object) -> Iterator[str]:
    """All strings in a JSON document, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from strings(key)
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def has(node: Node, variant: str) -> bool:
    """Whether a node has a variant, written as +x, ~x or x=value[,value]."""
    parameters = node["parameters"]
    if variant[0] in "+~":
        return parameters.get(variant[1:]) is (variant[0] == "+")
    name, _, values = variant.partition("=")
    there = parameters.get(name)
    return set(there if isinstance(there, list) else [str(there)]) == set(values.split(","))
