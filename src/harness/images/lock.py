"""`containers/packages.lock`: the version of every Debian package of every stage of every image."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.core.errors import KvasirError

WANTED = Path("containers/packages.txt")
LOCK = Path("containers/packages.lock")
HEAD = "# Every Debian package of every image and its version, by stage. Made by `make image-lock`; do not edit.\n"
BASE = "base"

Pins = Mapping[str, Mapping[str, str]]
"""Versions by stage and package."""


def _rows(path: Path, least: int) -> list[list[str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) < least:
            raise KvasirError(f"{path}: line {number}: found {line!r}: expected {least} words")
        rows.append(words)
    return rows


def read_wanted(root: Path) -> dict[str, list[str]]:
    """Packages that are asked for, by stage. Raises KvasirError when the file is missing or broken."""
    found: dict[str, list[str]] = {}
    for stage, package, *_ in _rows(root / WANTED, 2):
        found.setdefault(stage, []).append(package)
    return found


def read_lock(root: Path) -> dict[str, dict[str, str]]:
    """All pins; stage `base` holds what all images have. Raises KvasirError when the file is missing or broken."""
    found: dict[str, dict[str, str]] = {}
    for stage, package, version in _rows(root / LOCK, 3):
        if found.setdefault(stage, {}).setdefault(package, version) != version:
            raise KvasirError(f"{root / LOCK}: {stage}: {package} has two versions")
    return found


def write_lock(root: Path, pins: Pins) -> None:
    """Write all pins, sorted."""
    lines = [
        f"{stage} {package} {version}\n"
        for stage, packages in sorted(pins.items())
        for package, version in sorted(packages.items())
    ]
    (root / LOCK).write_text(HEAD + "".join(lines), encoding="utf-8")


def words(pins: Pins, stage: str) -> list[str]:
    """The pins of a stage as apt takes them: package=version. Raises KvasirError when the stage has none."""
    if stage not in pins:
        raise KvasirError(f"{LOCK}: has no stage {stage}: run make image-lock")
    return [f"{package}={version}" for package, version in sorted(pins[stage].items())]


def digest(pins: Pins, stages: Iterable[str]) -> str:
    """SHA-256 over all pins of some stages."""
    lines = (f"{stage} {word}\n" for stage in sorted(set(stages)) for word in words(pins, stage))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
