"""Samples what a whole machine has used: on a real host, which is the job's alone."""

from __future__ import annotations

import os
import time
from typing import Any

from harness.kernel import procfs

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Machine:
    """The machine this process runs on."""

    def __init__(self, what: dict[str, Any]) -> None:
        """`what`: {devices, folders}."""
        self._files = procfs.Files()
        self._interfaces: dict[str, str] = what["devices"]
        self._disks = {disk: procfs.device_under(folder) for disk, folder in what["folders"].items()}
        self.facts: dict[str, Any] = {"cores": os.cpu_count() or 1}

    def read(self) -> dict[str, float | None]:
        """One sample: times in s; memory, storage and traffic in bytes."""
        values: dict[str, float | None] = {"t": time.monotonic()}
        values.update(cpu_times(self._files.text("/proc/stat")))
        values["memory"] = used_memory(self._files.text("/proc/meminfo"))
        values["load"] = float(self._files.text("/proc/loadavg").split(None, 1)[0])
        values.update(procfs.traffic(self._files.text("/proc/net/dev"), self._interfaces))
        if any(self._disks.values()):
            values.update(procfs.disk_use(self._files.text("/proc/diskstats"), self._disks))
        return values


def cpu_times(text: str) -> dict[str, float]:
    """From /proc/stat: seconds of all cores in each state since boot. Time stolen by others counts as idle."""
    user, nice, system, _, wait, irq, soft = (int(field) * _TICK_S for field in text.split(None, 8)[1:8])
    return {"user": user + nice, "system": system + irq + soft, "wait": wait}


def used_memory(text: str) -> int:
    """From /proc/meminfo: bytes that are not available to new programs."""
    values = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in text.splitlines()[:3]}
    return values["MemTotal"] - values["MemAvailable"]
