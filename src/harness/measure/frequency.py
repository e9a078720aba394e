"""Samples core frequency while a job runs: the mean over the cores, from cpufreq or a measured cpuinfo."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

CPUFREQ = "measured:cpufreq"
CPUINFO = "measured:cpuinfo"

_MHZ = re.compile(r"^cpu MHz\s*:\s*([0-9.]+)", re.MULTILINE)
_FLAGS = re.compile(r"^flags\s*:(.*)$", re.MULTILINE)


class CoreFrequency:
    """Samples the frequency of all cores.

    `root` is `/` but in tests. Without cpufreq, /proc/cpuinfo is believed only where the processor has APERF
    and MPERF: elsewhere (in most virtual machines) it prints the nominal frequency, whatever the cores do.
    """

    PERIOD_S = 0.1
    """Shortest time between samples: a read interrupts every core that runs."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._files = sorted(root.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"))
        self._cpuinfo = root / "proc/cpuinfo"
        self._means: list[float] = []
        self._due = 0.0
        self.source, self.reason = self._choose()

    def _choose(self) -> tuple[str, str]:
        if self._files:
            return CPUFREQ, ""
        try:
            text = self._cpuinfo.read_text()
        except OSError as error:
            return "none", f"no cpufreq, and {error}"
        flags = _FLAGS.search(text)
        if flags and "aperfmperf" in flags[1].split() and _MHZ.search(text):
            return CPUINFO, ""
        return "none", "the kernel offers no cpufreq and the processor shows no APERF/MPERF counters"

    def sample(self, now: float) -> None:
        """Reads all cores, if the last sample is at least PERIOD_S ago; `now` in s of any one clock."""
        if self.reason or now < self._due:
            return
        self._due = now + self.PERIOD_S
        try:
            self._means.append(self._read())
        except (OSError, ValueError) as error:
            self.source, self.reason = "none", f"core frequency: {error}"

    def _read(self) -> float:
        if self._files:
            return statistics.fmean(float(file.read_text()) * 1e3 for file in self._files)
        return statistics.fmean(float(mhz) * 1e6 for mhz in _MHZ.findall(self._cpuinfo.read_text()))

    @property
    def mean_hz(self) -> float | None:
        """Returns the mean over cores and samples, Hz; None with `reason`."""
        return statistics.fmean(self._means) if self._means and not self.reason else None
