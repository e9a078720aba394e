"""The emulator's powercap tree: plain files, rewritten in place and never shorter than before."""

from __future__ import annotations

import json
import os
from pathlib import Path

from harness.measure.emulator.profile import Profile
from harness.measure.provenance import MARKER
from harness.measure.zones import parse_number

_WIDTH = 20


class Tree:
    """`intel-rapl:0` (package-0) and `intel-rapl:0:0` (dram) with counters that wrap like real ones.

    Readers keep descriptors open, so files are neither renamed nor truncated: one pwrite of a fixed width.
    """

    ZONES = ("intel-rapl:0", "intel-rapl:0:0")

    def __init__(self, root: Path, profile: Profile) -> None:
        p = profile.parameters
        self._range = int(p.energy_range_uj.value)
        start = (self._range - int(p.start_below_wrap_j.value * 1e6)) % self._range
        self._uj = [float(start), float(start)]
        limit = int(p.limit_w.value * 1e6)
        root.mkdir(parents=True, exist_ok=True)
        # The marker comes first: there is no moment at which the tree could pass for a real one.
        marker = f"{profile.name}\n{json.dumps(profile.as_json(), indent=1)}\n"
        (root / MARKER).write_text(marker, encoding="utf-8")
        for zone, name in zip(self.ZONES, ("package-0", "dram"), strict=True):
            folder = root / zone
            folder.mkdir(exist_ok=True)
            (folder / "name").write_text(name + "\n")
            (folder / "enabled").write_text("1\n")
            (folder / "max_energy_range_uj").write_text(f"{self._range}\n")
        for index, term in enumerate(("long_term", "short_term")):
            (root / self.ZONES[0] / f"constraint_{index}_name").write_text(term + "\n")
            (root / self.ZONES[0] / f"constraint_{index}_power_limit_uw").write_text(f"{limit}\n")
        self._energy = [
            os.open(root / zone / "energy_uj", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            for zone in self.ZONES
        ]
        self._limits = [
            os.open(root / self.ZONES[0] / f"constraint_{index}_power_limit_uw", os.O_RDONLY | os.O_CLOEXEC)
            for index in (0, 1)
        ]
        self._show()

    def add(self, package_j: float, dram_j: float) -> None:
        """Advance both counters."""
        for index, joules in enumerate((package_j, dram_j)):
            self._uj[index] = (self._uj[index] + joules * 1e6) % self._range
        self._show()

    def cap_w(self) -> float:
        """The lower of the two limits, W."""
        return min(parse_number(os.pread(fd, 64, 0)) for fd in self._limits) / 1e6

    def _show(self) -> None:
        for fd, value in zip(self._energy, self._uj, strict=True):
            os.pwrite(fd, f"{int(value):<{_WIDTH}}\n".encode(), 0)

    def close(self) -> None:
        """Close the files; the folder is its maker's to remove."""
        for fd in (*self._energy, *self._limits):
            os.close(fd)
        self._energy, self._limits = [], []
