"""Writes synthetic joules for an emulated cluster's energy plugin; sources call them emulated, never evidence."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from harness.config.slurm import Watts
from harness.hosts import Host, HostError

TARGET = "/sys/cray/pm_counters"
"""Folder that SLURM's plugin acct_gather_energy/pm_counters reads."""
PERIOD_S = 0.25
_FIRST_J = 1000.0  # the plugin takes 0 for "no counter here"


def write_counters(folder: Path, energy_j: float, power_w: float) -> None:
    """Writes both counter files, each by a rename: half a number would be read as an absurd one."""
    for name, text in (("energy", f"{int(energy_j)} J\n"), ("power", f"{int(power_w)} W\n")):
        new = folder / f"{name}.new"
        new.write_text(text)
        os.rename(new, folder / name)


def watts_of(watts: Watts, cpus: int, cpu_s: float, elapsed_s: float) -> float:
    """Returns the power (W) of a node that used `cpu_s` seconds of its `cpus` cores in `elapsed_s` seconds."""
    share = min(1.0, max(0.0, cpu_s / elapsed_s / cpus)) if elapsed_s > 0 else 0.0
    return watts.idle + (watts.busy - watts.idle) * share


class Feeder(threading.Thread):
    """Keeps the counters of all nodes up to date until `stop`, or until the hosts have ended."""

    def __init__(self, watts: Watts, cpus: int, nodes: Mapping[Path, Host]) -> None:
        super().__init__(name="synthetic energy", daemon=True)
        self._watts = watts
        self._cpus = cpus
        self._nodes = dict(nodes)
        self._end = threading.Event()
        for folder in self._nodes:
            write_counters(folder, _FIRST_J, watts.idle)

    def run(self) -> None:
        """Adds the joules of each node's CPU use to its counters, every PERIOD_S."""
        try:
            last = {folder: host.counters() for folder, host in self._nodes.items()}
            energy = dict.fromkeys(self._nodes, _FIRST_J)
            while not self._end.wait(PERIOD_S):
                for folder, host in self._nodes.items():
                    now, then = host.counters(), last[folder]
                    elapsed = now.t_s - then.t_s
                    power = watts_of(self._watts, self._cpus, now.cpu_s - then.cpu_s, elapsed)
                    energy[folder] += power * elapsed
                    last[folder] = now
                    write_counters(folder, energy[folder], power)
        except (HostError, OSError):
            if not self._end.is_set():
                raise

    def stop(self) -> None:
        """Ends the thread."""
        self._end.set()
        self.join()
