"""Reads an image's definition file, lists its ingredients and hashes them to the image's identity."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from harness.core.errors import KvasirError
from harness.core.sources import compiled
from harness.images import packages
from harness.images.spack_stack import ENVIRONMENTS, Part

FOLDER = Path("containers")
IMAGES = Path("build/images")
BASE = "base"
NAMES = ("engine", "figures", "hadoop", "netsim")
"""Images that something runs in; `base` is what they begin with."""
MADE = "build/"
"""Where files lie that a build makes. They are not hashed: a lock beside them says what they are."""
DIGITS = 12


@dataclass(frozen=True)
class Stage:
    """One stage of a definition file: its header and its sections, as text."""

    header: dict[str, str]
    sections: dict[str, str]


def parse(text: str) -> list[Stage]:
    """Parse the stages of a definition file. Raises KvasirError at a line outside any section."""
    stages: list[Stage] = []
    section = ""
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if line.startswith("%"):
            if not stages:
                raise KvasirError(f"found {line!r} before any header")
            section = line[1:].strip()
            stages[-1].sections.setdefault(section, "")
        elif not line.startswith((" ", "\t", "#")) and colon and re.fullmatch(r"[A-Za-z]+", key):
            if key == "Bootstrap":
                stages.append(Stage({}, {}))
                section = ""
            if not stages or section:
                raise KvasirError(f"found {line!r} outside a header, which begins with Bootstrap")
            stages[-1].header[key] = value.strip()
        elif section:
            stages[-1].sections[section] += line + "\n"
        elif line.strip() and not line.startswith("#"):
            raise KvasirError(f"found {line!r} in no section")
    return stages


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


class Recipe:
    """One image's definition and all that it names."""

    def __init__(self, name: str, root: Path = Path(), environment: str | None = None) -> None:
        """Read the definition of image `name` of the project in `root`; raises KvasirError when it cannot be used.

        With an `environment` of Spack it is made by that, if that has packages for it, else of Debian's packages.
        """
        self.name = name
        self.root = root
        self.environment = environment if environment and name in ENVIRONMENTS[environment].images else None
        self.file = FOLDER / ("spack" if self.environment else "") / f"{name}.def"
        try:
            self.text = self._filled((root / self.file).read_text(encoding="utf-8"))
            self.stages = parse(self.text)
        except OSError as error:
            raise KvasirError(f"{self.file}: cannot be read: {error.strerror}") from None
        except KvasirError as error:
            raise KvasirError(f"{self.file}: {error}") from None

    def _filled(self, text: str) -> str:
        """Fill the definition's placeholders from the Spack environment."""
        if self.environment is None:
            return text
        made = ENVIRONMENTS[self.environment]
        stages = packages.read_lock(self.root) if made.on_debian else {}
        further = "".join(f" {name}" for name in made.further.get(self.name, ()))
        text = text.replace(" {{ further }}", further)
        given = {"environment": self.environment, "below": f"{self.name}-build", "beside": self.name}
        for key, value in given.items():
            known = key == "environment" or value in stages
            text = text.replace(f" {{{{ {key} }}}}", f" {value}" if known else "")
        return text

    @property
    def way(self) -> Literal["debian", "spack"]:
        """Return the origin of its packages: debian or spack."""
        return "spack" if self.environment else "debian"

    @cached_property
    def part(self) -> Part | None:
        """Return the part of a Spack environment that is installed in it; None: nothing."""
        found = re.search(r"kvasir-spack (\S+) (\S+) (.+)$", self.text, re.MULTILINE)
        if found is None or self.environment is None:
            return None
        return Part(self.environment, found[2], found[3].split(), self.root)

    @cached_property
    def base(self) -> Recipe | None:
        """Return the base image; None for the base itself."""
        local = any(stage.header.get("Bootstrap") == "localimage" for stage in self.stages)
        return Recipe(BASE, self.root) if local else None

    @cached_property
    def packages(self) -> list[str]:
        """Return the lock's stages whose packages are installed, in any of its own stages."""
        calls = re.findall(r"kvasir-install (\S.*)$", self.text, re.MULTILINE)
        return sorted({stage for call in calls for stage in call.split()})

    @cached_property
    def copied(self) -> list[str]:
        """Return the project's files and folders that are copied in, as the definition names them."""
        return [line.split()[0] for stage in self.stages for line in _lines(stage.sections.get("files", ""))]

    @cached_property
    def made(self) -> list[Path]:
        """Return those of them that are build products."""
        return [Path(name) for name in self.copied if name.startswith(MADE)]

    @cached_property
    def sources(self) -> list[Path]:
        """Return all other files that go in, relative to the project; of a program only its sources."""
        found: list[Path] = []
        for name in self.copied:
            path = self.root / name
            if name.startswith(MADE):
                continue
            if path.is_file():
                found.append(Path(name))
            elif (path / "CMakeLists.txt").is_file() or (path / "pom.xml").is_file():
                found += [Path(file).relative_to(self.root) for file in compiled(path)]
                # They say which plug-ins need others, and so in which order they are compiled.
                found += [file.relative_to(self.root) for file in path.glob("plugins/*/plugin.yaml")]
            elif path.is_dir():
                found += [file.relative_to(self.root) for file in path.rglob("*") if file.is_file()]
            else:
                raise KvasirError(f"{self.file}: %files: found {name}, which is not there")
        return sorted(set(found))

    @cached_property
    def ingredients(self) -> dict[str, str]:
        """Return all ingredients, each with its SHA-256 (of the base: its identity)."""

        def digest(content: bytes) -> str:
            return hashlib.sha256(content).hexdigest()

        pins = packages.read_lock(self.root)
        found = {"definition": digest(self.text.encode())}
        if self.base:
            found["base"] = self.base.identity
        for stage in self.packages:
            found[f"packages {stage}"] = digest("\n".join(packages.words(pins, stage)).encode())
        for path in self.sources:
            found[f"file {path}"] = digest((self.root / path).read_bytes())
        return found | (self.part.ingredients if self.part else {})

    @cached_property
    def identity(self) -> str:
        """Return the hash of all ingredients, hexadecimal; the image's file name ends in it, so each has its own."""
        text = "".join(f"{name}\t{digest}\n" for name, digest in sorted(self.ingredients.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]

    @property
    def image(self) -> Path:
        """Return the image's file, relative to the project."""
        return IMAGES / f"{self.name}-{self.identity}.sif"

    @property
    def facts(self) -> Path:
        """Return the file of the image's facts."""
        return self.image.with_suffix(".json")
