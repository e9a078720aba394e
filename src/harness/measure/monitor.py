"""The monitor itself: starts a sampler on each host, ends them, writes the trace."""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.config.power import PowerSettings
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.hosts import Host, Hosts, Process
from harness.hosts.probing import BOOT
from harness.measure import host_metrics, rates
from harness.measure.host_metrics import PowerReading
from harness.measure.host_samples import HostSamples, parse, since
from harness.measure.meter import Meter
from harness.results.records import Metric

HEADER = ["t_s", "host", "domain", "metric", "value", "unit", "source"]
START_S, STOP_S = 60.0, 30.0
SHARED_INTERFACES = "hosts of kind local share the interfaces of this machine"


class Monitor:
    """Watches hosts between entering and leaving it; see the package for what it measures."""

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
        self._energy = host_metrics.Energy(None, 0.0, "none", "nothing was watched")
        self._problem = "nothing was watched"
        self.origin = 0.0
        """Time of the wall clock (time.time) at which t_s is 0."""

    def __enter__(self) -> Self:
        """Returns when every host is watched. Raises KvasirError (HostError, PowerError) when that fails."""
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
        """Stop watching; write the trace if the block has ended well."""
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
        """What was used, summed over hosts. `seconds`: the job's time for ED2P, by default the time watched."""
        more = self._meter.cpu_s if self._meter is not None else 0.0
        if self._problem:
            lost = [
                Metric(name=name, value=None, unit=unit, source="none", reason=self._problem)
                for name, unit in host_metrics.NAMES.items()
            ]
            return [*lost, *host_metrics.energy(self._energy, seconds)]
        no_net = SHARED_INTERFACES if self._hosts.settings.kind == "local" else "there are no interfaces"
        return [
            *host_metrics.use(self._samples, self._points, self._facts(), no_net),
            *host_metrics.energy(self._energy, seconds),
            *host_metrics.sampling(self._samples, more),
        ]

    def _power_points(self, readings: dict[str, list[PowerReading]]) -> list[rates.Point]:
        source = self._energy.source
        if "" in readings:
            return host_metrics.mean_power(readings[""], len(self._hosts), source)
        numbers = {host.name: f"n{number}" for number, host in enumerate(self._hosts)}
        return host_metrics.host_power({numbers[name]: own for name, own in readings.items()}, source)

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
        """Wait until a sampler has said its first line; the time of the wall clock then."""
        deadline = time.monotonic() + START_S
        while b"\n" not in log.read_bytes():
            if program.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip()[-500:] or "nothing"
                raise KvasirError(f"host {program.host}: its sampler did not start; it said: {said}")
            time.sleep(0.005)
        return time.time()

    def _end(self) -> None:
        """End all samplers at once; they say their last words."""
        for program, _ in self._programs:
            with contextlib.suppress(KvasirError):
                program.signal(signal.SIGTERM)
        for program, _ in self._programs:
            with contextlib.suppress(KvasirError):
                program.wait(STOP_S)
                program.stop()

    def _collect(self) -> None:
        """Read what the samplers wrote. What one of them has lost makes no run worthless, but its numbers."""
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
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEADER)
        for point in points:
            head, value = f"{point.t_s - origin:.3f}", f"{point.value:.6g}"
            out.writerow([head, *point[1:4], value, *point[5:]])
