"""The power source of the machine that emulated and local hosts are on."""

from __future__ import annotations

import csv
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from harness.config.power import PowerSettings
from harness.measure.client import Sampler
from harness.measure.host_metrics import Energy
from harness.measure.model import NONE
from harness.measure.registry import resolve

DOMAINS = (("node",), ("package", "dram"), ("package",))
"""Domains that together are the machine's power, best first: `node` contains the others."""


class Meter:
    """Samples the machine's power between `start` and `stop`, where there is a source."""

    def __init__(self, settings: PowerSettings | None, period_s: float, folder: Path) -> None:
        self._trace, self._summary = folder / "power.csv", folder / "power.json"
        self._sampler: Sampler | None = None
        self.reason = "no power source was asked for"
        self.cpu_s = 0.0
        if settings is not None:
            found = resolve(settings)
            self.reason = found.reason or self.reason
            if found.source_name != NONE:
                self._sampler = Sampler(
                    settings, period_ms=1000 * period_s, trace=self._trace, summary=self._summary
                )
        self._origin = 0.0

    def start(self, stack: ExitStack) -> None:
        """Begin; the end of `stack` ends it in any case."""
        if self._sampler is not None:
            stack.enter_context(self._sampler)
            self._origin = self._sampler.start() - time.monotonic() + time.time()

    def stop(self) -> tuple[Energy, list[tuple[float, float]]]:
        """Energy, and what each of its domains drew at times of the wall clock, W."""
        if self._sampler is None:
            return Energy(None, 0.0, NONE, self.reason), []
        summary = self._sampler.stop()
        self.cpu_s = float(summary["sampler_cpu_s"])
        energy, names = total(summary)
        with self._trace.open(encoding="utf-8", newline="") as file:
            ticks = [
                (self._origin + float(row["t_s"]), float(row["value"]))
                for row in csv.DictReader(file)
                if row["metric"] == "power" and row["domain"] in names
            ]
        return energy, ticks


def total(summary: dict[str, Any]) -> tuple[Energy, list[str]]:
    """Energy of the machine from the summary of its sampler, and the domains that it is the sum of."""
    domains: dict[str, dict[str, Any]] = summary["domains"]
    source, seconds = str(summary["source"]), float(summary["duration_s"])
    reasons = [
        f"{name}: {values['reason']}" for name, values in domains.items() if values["energy_J"] is None
    ]
    for wanted in DOMAINS:
        of_kind = [[name for name in domains if name.startswith(kind)] for kind in wanted]
        names = [name for found in of_kind for name in found]
        joules = [domains[name]["energy_J"] for name in names]
        if all(of_kind) and None not in joules:
            return Energy(sum(joules), seconds, source), names
    reason = summary["reason"] or "; ".join(reasons) or "the power source gives no energy of the machine"
    return Energy(None, seconds, source, reason), []
