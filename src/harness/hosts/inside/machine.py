"""What a whole machine has used: on a real host, which is the job's alone."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from harness.hosts.inside import files

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Machine:
    """The machine this process runs on."""

    def __init__(self, what: dict[str, Any]) -> None:
        """`what`: {devices, folders, energy}; `energy` is the folder of the power zones, empty for none."""
        self._files = files.Files()
        self._interfaces: dict[str, str] = what["devices"]
        self._disks = {disk: files.device_under(folder) for disk, folder in what["folders"].items()}
        self._zones = Zones(what["energy"]) if what["energy"] else None
        reason = self._zones.reason if self._zones else ""
        self.facts: dict[str, Any] = {"cores": os.cpu_count() or 1, "energy_reason": reason}

    def read(self) -> dict[str, float | None]:
        """One sample: times in s; memory, storage and traffic in bytes; energy in J."""
        values: dict[str, float | None] = {"t": time.monotonic()}
        values.update(cpu_times(self._files.text("/proc/stat")))
        values["memory"] = used_memory(self._files.text("/proc/meminfo"))
        values["load"] = float(self._files.text("/proc/loadavg").split(None, 1)[0])
        values.update(files.traffic(self._files.text("/proc/net/dev"), self._interfaces))
        if any(self._disks.values()):
            values.update(files.disk_use(self._files.text("/proc/diskstats"), self._disks))
        if self._zones is not None and not self._zones.reason:
            values["energy"] = self._zones.joules()
        return values


def cpu_times(text: str) -> dict[str, float]:
    """From /proc/stat: seconds of all cores in each state since boot. Time stolen by others counts as idle."""
    user, nice, system, _, wait, irq, soft = (int(field) * _TICK_S for field in text.split(None, 8)[1:8])
    return {"user": user + nice, "system": system + irq + soft, "wait": wait}


def used_memory(text: str) -> int:
    """From /proc/meminfo: bytes that are not available to new programs."""
    values = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in text.splitlines()[:3]}
    return values["MemTotal"] - values["MemAvailable"]


class Zones:
    """Energy of packages and their memory, from the kernel's power zones; no zone is within another one."""

    def __init__(self, root: str) -> None:
        self.reason = ""
        self._zones: list[tuple[Path, int]] = []
        self._last: list[int] = []
        self._sum = 0
        try:
            for zone in sorted(Path(root).glob("intel-rapl:*")):
                name = (zone / "name").read_text().strip()
                if name.startswith("package") or name == "dram":
                    wraps = int((zone / "max_energy_range_uj").read_text())
                    self._zones.append((zone / "energy_uj", wraps))
            self._last = self._values()
        except OSError as error:
            self.reason = f"{error.filename}: {error.strerror}"
        if not self._zones:
            self.reason = self.reason or f"{root} has no zone of a package"

    def _values(self) -> list[int]:
        return [int(path.read_text()) for path, _ in self._zones]

    def joules(self) -> float | None:
        """Energy since the start, J; None when it cannot be read just now."""
        try:
            values = self._values()
        except OSError:
            return None
        for i, now in enumerate(values):
            grown = now - self._last[i]
            self._sum += grown if grown >= 0 else grown + self._zones[i][1]
        self._last = values
        return self._sum / 1e6
