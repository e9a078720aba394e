"""Reads the powercap tree: its zones, told apart by `name` and never by index, and their counters, which wrap around.

Only the kernel's own sysfs may be called measured; any other tree is emulated, by the name in its marker.
"""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import PowerError

_ZONE = re.compile(r"^intel-rapl(-mmio)?:(\d+)(?::(\d+))?$")
_PACKAGE = re.compile(r"^package-(\d+)$")


@dataclass(frozen=True, kw_only=True)
class Zone:
    """Describes one directory of the tree. `domain` is package, dram or psys; `label` is unique, e.g. dram-0."""

    path: Path
    name: str
    domain: str
    label: str
    index: int
    subindex: int | None
    range_uj: int

    @property
    def energy_file(self) -> Path:
        """Returns the path of the zone's energy counter, uJ."""
        return self.path / "energy_uj"


def parse_number(text: bytes | str) -> int:
    """Parses the integer at the start of a sysfs file; text after a NUL or white space is not part of it."""
    raw = text if isinstance(text, bytes) else text.encode()
    words = raw.split(b"\0", 1)[0].split()
    if not words:
        raise ValueError("file is empty")
    return int(words[0])


def read_number(path: Path) -> int:
    """Reads one integer from a file of the tree; errors name the file."""
    try:
        return parse_number(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: not a number: {error}") from error


def find_zones(root: Path) -> list[Zone]:
    """Finds all package, dram and psys zones below `root`; core, uncore and the mmio twins are left out.

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
    """Returns why `path` cannot be read, with its owner and mode, or '' when it can."""
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


class CounterBroken(ValueError):
    """Signals a step of a counter that neither power nor wrap-around explains."""


class Unwrapper:
    """Sums the differences of one wrapping counter.

    The difference of two reads is taken modulo the counter's own range (`max_energy_range_uj`), which is
    right as long as the counter is read at least once per turn. A read that would mean more than `max_w`
    watts is a misread (a torn read, a counter that was reset): it is passed over once, and breaks the counter
    when the next read says the same, since what was lost cannot be known.
    """

    def __init__(self, first_uj: int, range_uj: int, max_w: float, now: float) -> None:
        """Starts at `first_uj` read at time `now` (s); range 0 means the zone does not count energy."""
        if range_uj <= 0:
            raise CounterBroken(f"energy range is {range_uj} uJ: the zone does not count energy")
        self._range = range_uj
        self._max_w = max_w
        self._last = first_uj
        self._time = now
        self._total_uj = 0
        self._suspect = False
        self.rejected = 0
        self.wraps = 0

    @property
    def joules(self) -> float:
        """Returns the energy since the start, J."""
        return self._total_uj / 1e6

    def add(self, value_uj: int, now: float) -> float:
        """Takes the counter's value at time `now`; returns joules since the start, raises CounterBroken."""
        step = (value_uj - self._last) % self._range
        # One second of grace: counters advance in lumps, so a very short interval may hold a whole lump.
        if step / 1e6 > self._max_w * (now - self._time + 1.0):
            self.rejected += 1
            if self._suspect:
                raise CounterBroken(
                    f"energy counter jumped from {self._last} to {value_uj} uJ, more than {self._max_w:g} W"
                )
            self._suspect = True
            return self.joules
        self._suspect = False
        self.wraps += value_uj < self._last
        self._total_uj += step
        self._last, self._time = value_uj, now
        return self.joules


MARKER = "EMULATED"
_SYSFS_MAGIC = 0x62656572


def is_sysfs(path: Path) -> bool:
    """Returns True when `path` lies on the kernel's sysfs (statfs type), whatever its name."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = (ctypes.c_long * 32)()  # struct statfs is smaller; its first word is the file system's type
    if libc.statfs(str(path).encode(), buffer) != 0:
        return False
    return buffer[0] == _SYSFS_MAGIC


def marker_of(root: Path) -> Path | None:
    """Finds the file EMULATED that marks a tree: at its root, above it or in its zones."""
    places = [root, *root.absolute().parents, *root.resolve().parents]
    places += [zone.resolve() for zone in root.glob("intel-rapl*")]
    return next((place / MARKER for place in places if (place / MARKER).exists()), None)


def label(root: Path, measured: str) -> str:
    """Returns the source name for numbers out of `root`: `measured` only for an unmarked tree on sysfs.

    A marked tree is `emulated:<first word of the marker>`; any other tree of plain files is `emulated:files`.
    """
    marker = marker_of(root)
    if marker is None:
        return measured if is_sysfs(root) else "emulated:files"
    try:
        words = marker.read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        words = []
    name = re.sub(r"[^A-Za-z0-9_.-]", "", words[0]) if words else ""
    return f"emulated:{name or 'unnamed'}"
