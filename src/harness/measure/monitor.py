"""Watches the hosts of a cell during a run: starts a sampler of resources on each, and reads the power source."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.config.power import PowerSettings
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.hosts import Host, Hosts, Process
from harness.hosts.inside.server import step_environment
from harness.hosts.probing import BOOT
from harness.measure import metrics, rates
from harness.measure.client import Sampler
from harness.measure.efficiency import core_count
from harness.measure.metrics import NODE_FIRST, Energy, PowerReading, total_energy
from harness.measure.model import NONE, Hold, Sampling, short_host_name
from harness.measure.nodes import NodeSamplers
from harness.measure.probe import resolve, scope_of
from harness.measure.rates import HostSamples, parse, since
from harness.measure.trace import HOST_COLUMNS, Row, read_rows, write_rows
from harness.results.records import Metric

START_S, STOP_S = 60.0, 30.0
SHARED_INTERFACES = "hosts of kind local share the interfaces of this machine"


class Monitor:
    """Watches hosts between entering and leaving it; harness.measure says what it measures."""

    def __init__(
        self, hosts: Hosts, *, period_s: float = 1.0, trace: Path, power: PowerSettings | None = None
    ) -> None:
        self._hosts = hosts
        self._period = period_s
        self._trace = trace
        self._power = power
        self._real = hosts.settings.kind == "slurm"
        self._stack = ExitStack()
        self._programs: list[tuple[Process, Path]] = []
        self._bounds: list[tuple[float, float]] = []
        self._meter: Meter | None = None
        self._samples: list[HostSamples] = []
        self._points: list[rates.Point] = []
        self._energy = metrics.Energy(None, 0.0, "none", "nothing was watched")
        self._problem = "nothing was watched"
        self.origin = 0.0
        """Time of the wall clock (time.time) at which t_s is 0."""

    def __enter__(self) -> Self:
        """Starts all samplers and returns when all run. Raises KvasirError (HostError, PowerError) if one does not."""
        self._trace.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            folder = Path(tempfile.mkdtemp(prefix=".monitor.", dir=self._trace.parent.absolute()))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            stack.callback(self._end)
            began = time.time()
            for number, host in enumerate(self._hosts):
                log = folder / f"{number}.log"
                self._programs.append((host.start(self._command(host), log=log), log))
            self._bounds = [(began, self._await(program, log)) for program, log in self._programs]
            self._meter = Meter(self._power, self._hosts, self._period, folder)
            self._meter.start(stack)
            self.origin = time.time()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops watching; writes the trace if the block has ended well."""
        with self._stack:
            if error is not None:
                return
            assert self._meter is not None
            self._end()
            self._energy, watts = self._meter.stop()
            self._collect()
            self._points += self._power_points(watts)
            self._points = rates.in_order(self._points, self._period)
            with replacing(self._trace) as scratch:
                _write(self._points, self.origin, scratch)

    def metrics(self, seconds: float | None = None) -> list[Metric]:
        """Returns the use of all hosts summed. `seconds`: the job's time for ED2P, by default the time watched."""
        more = self._meter.cpu_s if self._meter is not None else 0.0
        shared = not self._real and self._hosts.settings.cpu_cores is None
        sharing = metrics.sharing(len(self._hosts), shared)
        if self._problem:
            lost = [
                Metric(name=name, value=None, unit=unit, source="none", reason=self._problem)
                for name, unit in metrics.NAMES.items()
            ]
            return [*lost, sharing, *metrics.energy(self._energy, seconds)]
        no_net = SHARED_INTERFACES if self._hosts.settings.kind == "local" else "there are no interfaces"
        return [
            *metrics.use(self._samples, self._points, self._facts(), no_net),
            sharing,
            core_count(sum(host.cores for host in self._samples) / (sharing.value or 1)),
            *metrics.energy(self._energy, seconds),
            *metrics.sampling(self._samples, more),
        ]

    def _power_points(self, readings: dict[str, list[PowerReading]]) -> list[rates.Point]:
        source = self._energy.source
        if "" in readings:
            return metrics.mean_power(readings[""], len(self._hosts), source)
        numbers = {host.name: f"n{number}" for number, host in enumerate(self._hosts)}
        return metrics.host_power({numbers[name]: own for name, own in readings.items()}, source)

    def _facts(self) -> rates.Facts:
        disks = self._hosts.settings.disks
        own = {
            name: (disks[name].read_mb_s, disks[name].write_mb_s)
            for name in self._hosts.disks
            if disks[name].medium == "device"
        }
        return rates.Facts(self._period, self._real, own)

    def _command(self, host: Host) -> list[str]:
        settings = self._hosts.settings
        devices = {name: one.device or name for name, one in settings.interfaces.items()}
        what: dict[str, Any] = {
            "kind": settings.kind,
            "period_s": self._period,
            "devices": {} if settings.kind == "local" else devices,
            "folders": {disk: str(host.scratch(disk)) for disk in self._hosts.disks},
        }
        python = settings.slurm.python if self._real else sys.executable
        return [python, "-I", "-S", str(BOOT), "sampler", json.dumps(what)]

    def _await(self, program: Process, log: Path) -> float:
        """Waits for a sampler's first line; returns the time of the wall clock then."""
        deadline = time.monotonic() + START_S
        while b"\n" not in log.read_bytes():
            if program.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip()[-500:] or "nothing"
                raise KvasirError(f"host {program.host}: its sampler did not start; it said: {said}")
            time.sleep(0.005)
        return time.time()

    def _end(self) -> None:
        """Ends all samplers at once, by SIGTERM, after which they write their last line."""
        for program, _ in self._programs:
            with contextlib.suppress(KvasirError):
                program.signal(signal.SIGTERM)
        for program, _ in self._programs:
            with contextlib.suppress(KvasirError):
                program.wait(STOP_S)
                program.stop()

    def _collect(self) -> None:
        """Reads the samplers' output. A sampler that was lost costs the run its metrics, not its result."""
        cores = self._hosts.settings.cpu_cores
        problems = []
        for number, ((_, log), bounds) in enumerate(zip(self._programs, self._bounds, strict=True)):
            try:
                text = log.read_text(encoding="utf-8", errors="replace")
                self._samples.append(since(parse(f"n{number}", text, cores, *bounds), self.origin))
            except KvasirError as error:
                problems.append(str(error))
        self._problem = "; ".join(problems)
        if not self._problem:
            self._points = rates.points(self._samples, self._facts())


def _write(points: list[rates.Point], origin: float, path: Path) -> None:
    rows = ([f"{p.t_s - origin:.3f}", *p[1:4], f"{p.value:.6g}", *p[5:]] for p in points)
    write_rows(path, HOST_COLUMNS, rows)


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
        sampling = Sampling(
            power=settings,
            period_ms=1000 * period_s,
            trace=self._trace,
            summary=folder / "power.json",
        )
        outside = step_environment(os.environ)
        names = [host.name for host in hosts]
        real = hosts.settings.kind == "slurm"
        srun = tuple(hosts.settings.slurm.srun) if real else ("srun",)
        if real and scope_of(settings) == "host":
            own = [name for name in names if name.partition(".")[0] == short_host_name()]
            self._order = [*own, *(name for name in names if name not in own)]
            self._sampler = NodeSamplers(
                sampling,
                nodes=[name for name in names if name not in own],
                here=bool(own),
                srun=srun,
                environment=outside,
            )
            return
        found = resolve(settings)
        self.reason = found.reason or self.reason
        if found.source_name != NONE:
            nodes = tuple(names) if real else (os.environ.get("SLURMD_NODENAME") or short_host_name(),)
            hold = Hold(nodes=nodes, srun=srun) if found.source.scope == "job" else None
            self._sampler = Sampler(sampling, hold=hold, environment=outside)

    def start(self, stack: ExitStack) -> None:
        """Starts sampling; leaving `stack` ends it in any case. Raises PowerError."""
        if self._sampler is not None:
            stack.enter_context(self._sampler)
            self._origin = self._sampler.start() - time.monotonic() + time.time()

    def stop(self) -> tuple[Energy, dict[str, list[PowerReading]]]:
        """Returns energy of all hosts, and power over time by host, or by '' where all hosts are one machine."""
        if self._sampler is None:
            return Energy(None, 0.0, NONE, self.reason), {}
        summary = self._sampler.stop()
        self.cpu_s = float(summary["sampler_cpu_s"])
        energy = total_energy(summary, NODE_FIRST)
        if isinstance(self._sampler, NodeSamplers):
            results = zip(self._order, self._sampler.results, strict=True)
            return energy, {name: self._readings(one.rows, one.summary) for name, one in results}
        return energy, {"": self._readings(read_rows(self._trace), summary)}

    def _readings(self, rows: Sequence[Row], summary: dict[str, Any]) -> list[PowerReading]:
        names = total_energy(summary, NODE_FIRST).domains
        return [
            PowerReading(
                tick=round(float(row["t_s"]) / self._period_s),
                t_s=self._origin + float(row["t_s"]),
                watts=float(row["value"]),
            )
            for row in rows
            if row["metric"] == "power" and row["domain"] in names
        ]
