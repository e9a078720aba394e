"""The powercap tree: which zones it has, told apart by their `name` and never by their index."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import PowerError

_ZONE = re.compile(r"^intel-rapl(-mmio)?:(\d+)(?::(\d+))?$")
_PACKAGE = re.compile(r"^package-(\d+)$")


@dataclass(frozen=True, kw_only=True)
class Zone:
    """One directory of the tree. `domain` is package, dram or psys; `label` is unique, e.g. dram-0."""

    path: Path
    name: str
    domain: str
    label: str
    index: int
    subindex: int | None
    range_uj: int

    @property
    def energy_file(self) -> Path:
        """The zone's energy counter, uJ."""
        return self.path / "energy_uj"


def parse_number(text: bytes | str) -> int:
    """The integer at the start of a sysfs file; text after a NUL or white space is not part of it."""
    raw = text if isinstance(text, bytes) else text.encode()
    words = raw.split(b"\0", 1)[0].split()
    if not words:
        raise ValueError("file is empty")
    return int(words[0])


def read_number(path: Path) -> int:
    """Read one integer from a file of the tree; errors name the file."""
    try:
        return parse_number(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: not a number: {error}") from error


def find_zones(root: Path) -> list[Zone]:
    """All package, dram and psys zones below `root`; core, uncore and the mmio twins are left out.

    Raises PowerError when there is no tree or no zone of use.
    """
    if not root.is_dir():
        raise PowerError(f"{root} does not exist, so this kernel serves no RAPL zone")
    entries = []
    for path in root.iterdir():
        match = _ZONE.match(path.name)
        # intel-rapl-mmio shows the same package a second time; counting both would double its energy.
        if match and not match[1]:
            entries.append((int(match[2]), int(match[3]) if match[3] else None, path))
    entries.sort(key=lambda entry: (entry[0], -1 if entry[1] is None else entry[1]))
    names = {(index, sub): _name(path) for index, sub, path in entries}
    zones = []
    for index, sub, path in entries:
        name = names[index, sub]
        package = _PACKAGE.match(names.get((index, None), ""))
        if sub is None and package:
            domain, label = "package", name
        elif sub is None and name == "psys":
            domain, label = "psys", "psys"
        elif sub is not None and name == "dram" and package:
            domain, label = "dram", f"dram-{package[1]}"
        else:
            continue
        zones.append(
            Zone(
                path=path,
                name=name,
                domain=domain,
                label=label,
                index=index,
                subindex=sub,
                range_uj=_range(path),
            )
        )
    if not any(zone.domain == "package" for zone in zones):
        raise PowerError(
            f"{root} holds no zone named package-N (found: {sorted(names.values()) or 'nothing'})"
        )
    return zones


def why_unreadable(path: Path) -> str:
    """The real reason why `path` cannot be read, or '' when it can: who owns it and with which mode."""
    try:
        status = path.stat()
    except OSError as error:
        return f"{path}: {error.strerror}"
    if os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        return ""
    return (
        f"permission denied: {path} is mode {status.st_mode & 0o7777:04o} of uid {status.st_uid} gid "
        f"{status.st_gid}, this process is uid {os.geteuid()}; the administrator must grant read access"
    )


def _name(path: Path) -> str:
    try:
        return (path / "name").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _range(path: Path) -> int:
    try:
        return read_number(path / "max_energy_range_uj")
    except (OSError, ValueError):
        return 0
