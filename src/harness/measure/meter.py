"""Measures the energy of the hosts of a cell with the site's power source, whichever it is."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from harness.config.power import PowerSettings
from harness.hosts import Hosts
from harness.hosts.inside.server import step_environment
from harness.measure.client import Sampler
from harness.measure.host_metrics import Energy, PowerReading
from harness.measure.model import NONE, Hold, short_host_name
from harness.measure.nodes import NodeSamplers, Row, read_rows
from harness.measure.registry import resolve, scope_of

DOMAINS = (("node",), ("package", "dram"), ("package",))
"""Domains that together are a machine's power, best first: `node` contains the others."""


class Meter:
    """Samples power between `start` and `stop`, where there is a source.

    Hosts that are machines (kind slurm) are sampled one by one, by the sampler that engine runs have; emulated and
    local hosts are this machine. A source that counts for the whole SLURM job is asked once.
    """

    def __init__(self, settings: PowerSettings | None, hosts: Hosts, period_s: float, folder: Path) -> None:
        self._trace = folder / "power.csv"
        self._sampler: Sampler | NodeSamplers | None = None
        self._order: list[str] = []
        self._origin = 0.0
        self._period_s = period_s
        self.reason = "no power source was asked for"
        self.cpu_s = 0.0
        if settings is None:
            return
        places: dict[str, Any] = {"trace": self._trace, "summary": folder / "power.json"}
        outside = step_environment(os.environ)
        names = [host.name for host in hosts]
        real = hosts.settings.kind == "slurm"
        srun = tuple(hosts.settings.slurm.srun) if real else ("srun",)
        if real and scope_of(settings) == "host":
            own = [name for name in names if name.partition(".")[0] == short_host_name()]
            self._order = [*own, *(name for name in names if name not in own)]
            self._sampler = NodeSamplers(
                settings,
                period_ms=1000 * period_s,
                nodes=[name for name in names if name not in own],
                here=bool(own),
                srun=srun,
                environment=outside,
                **places,
            )
            return
        found = resolve(settings)
        self.reason = found.reason or self.reason
        if found.source_name != NONE:
            nodes = tuple(names) if real else (os.environ.get("SLURMD_NODENAME") or short_host_name(),)
            hold = Hold(nodes=nodes, srun=srun) if found.source.scope == "job" else None
            self._sampler = Sampler(
                settings, period_ms=1000 * period_s, hold=hold, environment=outside, **places
            )

    def start(self, stack: ExitStack) -> None:
        """Begin; the end of `stack` ends it in any case. Raises PowerError."""
        if self._sampler is not None:
            stack.enter_context(self._sampler)
            self._origin = self._sampler.start() - time.monotonic() + time.time()

    def stop(self) -> tuple[Energy, dict[str, list[PowerReading]]]:
        """Energy of all hosts, and power over time by host, or under `` where all hosts are one machine."""
        if self._sampler is None:
            return Energy(None, 0.0, NONE, self.reason), {}
        summary = self._sampler.stop()
        self.cpu_s = float(summary["sampler_cpu_s"])
        energy, _ = total(summary)
        if isinstance(self._sampler, NodeSamplers):
            results = zip(self._order, self._sampler.results, strict=True)
            return energy, {name: self._readings(one.rows, one.summary) for name, one in results}
        return energy, {"": self._readings(read_rows(self._trace), summary)}

    def _readings(self, rows: Sequence[Row], summary: dict[str, Any]) -> list[PowerReading]:
        _, names = total(summary)
        return [
            PowerReading(
                tick=round(float(row["t_s"]) / self._period_s),
                t_s=self._origin + float(row["t_s"]),
                watts=float(row["value"]),
            )
            for row in rows
            if row["metric"] == "power" and row["domain"] in names
        ]


def total(summary: dict[str, Any]) -> tuple[Energy, list[str]]:
    """Energy from a sampler's summary, and the domains that it is the sum of."""
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
