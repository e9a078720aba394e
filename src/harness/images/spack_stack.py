"""Reads the part of a Spack environment that an image is made of, without Spack."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from harness.core.errors import KvasirError
from harness.images.sources import PACKAGES, RECIPES, Package, pinned
from harness.images.spack_store import ALL, closure

SITE = "debian12"
"""The file of config/spack that images have as their KVASIR_SPACK_SITE."""
REPOSITORY = RECIPES.parent / "repo.yaml"


@dataclass(frozen=True)
class Environment:
    """An environment of Spack that images can be made of."""

    folder: Path
    lock: Path
    images: tuple[str, ...]
    """Those that it has packages for; the others are made of Debian's packages."""
    on_debian: bool
    """What our own packages are built with is Debian's."""
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Packages that an image has besides our own and their dependencies."""

    @property
    def file(self) -> Path:
        """Return its spack.yaml."""
        return self.folder / "spack.yaml"


ENVIRONMENTS = {
    ".": Environment(Path(), Path("spack.lock"), ("engine", "figures", "hadoop", "netsim"), False),
    "config/spack/own": Environment(
        Path("config/spack/own"),
        Path(f"config/spack/own/{SITE}.lock"),
        ("engine", "netsim"),
        True,
        {"engine": ("debian-papi",)},
    ),
}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None


def name_of(spec: str) -> str:
    """Parse the package name from a spec such as `openmpi@5.0.10 fabrics=ucx`."""
    found = re.match(r"[a-z0-9][a-z0-9-]*", spec)
    return found[0] if found else ""


def wanted(specs: Sequence[Any], group: str, names: Sequence[str]) -> list[Any]:
    """Select the specs of some packages of a group; specs without groups belong to any group."""
    kept: list[Any] = [spec for spec in specs if isinstance(spec, str) and name_of(spec) in names]
    for entry in specs:
        if not isinstance(entry, str) and entry["group"] == group:
            kept.append({"group": group, "specs": [s for s in entry["specs"] if name_of(s) in names]})
    return kept


def below(lock: Mapping[str, Any], group: str, names: Sequence[str]) -> dict[str, Any]:
    """Select packages with their build and run dependencies from a lock. Raises KvasirError if one is missing."""
    nodes = lock["concrete_specs"]
    roots = [
        entry
        for entry in lock["roots"]
        if entry.get("group", group) == group and nodes[entry["hash"]]["name"] in names
    ]
    if missing := sorted(set(names) - {nodes[entry["hash"]]["name"] for entry in roots}):
        raise KvasirError(
            f"group {group} has no {', '.join(missing)}: concretize it again, see README, Spack"
        )
    kept = closure(nodes, [entry["hash"] for entry in roots], ALL)
    return {**lock, "roots": roots, "concrete_specs": {one: nodes[one] for one in sorted(kept)}}


def includes(path: Path, root: Path) -> list[Path]:
    """List the files that a Spack configuration file includes, recursively, relative to `root`."""
    document = yaml.safe_load(_read(root / path))
    found: list[Path] = []
    for entry in document.get("spack", document).get("include", []):
        one = (root / path.parent / entry.replace("$KVASIR_SPACK_SITE", SITE)).resolve()
        relative = one.relative_to(root.resolve())
        found += [relative, *includes(relative, root)]
    return found


class Part:
    """Packages of a group of a Spack environment that an image is made of, with their dependencies."""

    def __init__(self, environment: str, group: str, names: Sequence[str], root: Path) -> None:
        """Read the environment of the project in `root`; raises KvasirError when it lacks one of `names`."""
        self.environment = ENVIRONMENTS[environment]
        self.root = root
        document = yaml.safe_load(_read(root / self.environment.file))["spack"]
        self.document = {
            "spack": {**document, "specs": wanted(document["specs"], group, names), "view": False}
        }
        """Its spack.yaml."""
        try:
            lock = json.loads(_read(root / self.environment.lock))
            self.lock = below(lock, group, names)
        except ValueError as error:
            raise KvasirError(f"{self.environment.lock}: is no lock: {error}") from None
        except KvasirError as error:
            raise KvasirError(f"{self.environment.lock}: {error}") from None

    @property
    def spack_commit(self) -> str:
        """Return the commit of Spack that concretised the lock and is to install it."""
        return str(self.lock["spack"]["commit"])

    @property
    def packages_commit(self) -> str:
        """Return the commit of Spack's packages."""
        return str(self.document["spack"]["repos"]["builtin"]["commit"])

    @cached_property
    def own(self) -> list[str]:
        """Return the packages that our own recipes build."""
        nodes = self.lock["concrete_specs"].values()
        return sorted(node["name"] for node in nodes if node["namespace"] == "kvasir")

    @cached_property
    def sources(self) -> list[Package]:
        """Return those of them whose source is in this project."""
        return [package for package in PACKAGES if package.name in self.own]

    @cached_property
    def files(self) -> list[Path]:
        """Return other files of the project that Spack reads: includes and recipes."""
        recipes = [RECIPES / name.replace("-", "_") / "package.py" for name in self.own]
        return sorted({*includes(self.environment.file, self.root), REPOSITORY, *recipes})

    @cached_property
    def ingredients(self) -> dict[str, str]:
        """Return ingredients with SHA-256 or commit. Raises KvasirError when a recipe pins another source of ours."""

        def digest(content: bytes) -> str:
            return hashlib.sha256(content).hexdigest()

        found = {f"source {package.name}": digest(pinned(package, self.root)[1]) for package in self.sources}
        found |= {f"file {path}": digest((self.root / path).read_bytes()) for path in self.files}
        return found | {
            "spack": self.spack_commit,
            "packages of spack": self.packages_commit,
            "spack.yaml": digest(json.dumps(self.document, sort_keys=True).encode()),
            "spack.lock": digest(json.dumps(self.lock, sort_keys=True).encode()),
        }
