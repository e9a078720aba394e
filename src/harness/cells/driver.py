"""Makes all runs of a cell that are not there yet: hosts, a cluster on them, then run after run.

A cluster that has lost a daemon is stopped and started anew once; what it lost the daemon in has been recorded as
failed. If the second one dies as well, the remaining runs are recorded as failed.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.cells.frameworks import framework_of
from harness.cells.measure import BUILDS, CellContext, made_before, measure, record_unbegun
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.hadoop.benchmarks import Cell
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import Distribution
from harness.hosts import Hosts, HostsSettings, hosts
from harness.plan.spec import CellRun, CellSpec
from harness.results.records import Outcome, read, remove_leftovers


def settings_of(spec: CellSpec) -> HostsSettings:
    """Return the site's hosts, whose plain names mean the cell's interface: Hadoop announces itself by them."""
    return HostsSettings.parse({**spec.hosts.model_dump(), "default": spec.interface})


def cpu_seconds(started: Hosts, spec: CellSpec) -> float | None:
    """Return the CPU seconds of all hosts' processes; None on real machines, which have counted since boot."""
    if spec.hosts.kind == "slurm":
        return None
    return round(sum(host.counters().cpu_s for host in started), 1)


def label(run: CellRun) -> str:
    """Return a run's name in the event log."""
    return f"{run.framework} {run.benchmark} {run.identity.rep}"


class Driver:
    """Makes the runs of one cell."""

    def __init__(
        self, spec: CellSpec, programs: dict[str, dict[str, Any]], batch: dict[str, Any] | None = None
    ) -> None:
        """Keep `programs`, facts of Hadoop and other frameworks' programs by name, and `batch`, the scheduler's job."""
        self.batch = batch
        self.spec = spec
        self.programs = programs
        self.folder = Path(spec.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = EventLog(self.folder / "events.log")
        self.pending = [run for run in spec.runs if not made_before(spec, run, programs)]
        self.hosts_s = 0.0
        self.clusters_s: list[float] = []
        self.cpu_s: float | None = None

    def make(self) -> None:
        """Make all missing runs and write cell.json. Raises KvasirError when no cluster can be had at all."""
        have = len(self.spec.runs) - len(self.pending)
        self.log.say(f"cell {self.spec.cell}: {len(self.pending)} runs to make, {have} are there")
        for run in self.pending:
            folder = Path(run.folder)
            folder.parent.mkdir(parents=True, exist_ok=True)
            remove_leftovers(folder.parent, folder.name)
        if self.pending:
            with hosts(settings_of(self.spec), self.spec.nodes, disks=[self.spec.disk]) as started:
                self.hosts_s = self.log.seconds
                self.log.say(f"{self.spec.nodes} hosts are up")
                self._cluster(started)
                if self.pending:
                    self._again(started)
                self.cpu_s = cpu_seconds(started, self.spec)
        self._finish()

    def give_up(self, reason: str) -> None:
        """Record all missing runs as failed."""
        self._fail(reason)
        self._finish()

    def _fail(self, reason: str) -> None:
        while self.pending:
            run = self.pending.pop(0)
            self._tell(run, record_unbegun(self.spec, run, self.programs, reason))

    def _again(self, started: Hosts) -> None:
        """Start a second cluster for the runs that the first one left; record as failed those that it leaves, too."""
        reason = "two clusters died before its turn"
        try:
            self._cluster(started)
        except KvasirError as error:
            reason = f"the cluster died before its turn, and no other could be started: {error}"
        self._fail(reason)

    def _cluster(self, started: Hosts) -> None:
        """Start a cluster and make runs on it until all are made, or it has lost a daemon."""
        spec = self.spec
        hadoop = Distribution(BUILDS / spec.hadoop)
        frameworks = {name: framework_of(spec, name) for name in spec.frameworks}
        with ExitStack() as stack:
            made = stack.enter_context(
                cluster(
                    started,
                    hadoop,
                    spec.parameters,
                    self.folder / "cluster",
                    spec.interface,
                    spec.disk,
                    tuple(spec.plugins.values()),
                )
            )
            self.clusters_s.append(made.start_seconds)
            self.log.say(f"cluster is up after {made.start_seconds:.1f} s")
            context = CellContext(spec, Cell(made), started, self.programs, self.batch)
            while self.pending and not made.dead():
                run = self.pending[0]
                self.log.say(f"{label(run)}: starts")
                outcome = measure(context, run, frameworks[run.framework])
                del self.pending[0]
                self._tell(run, outcome)
            if dead := made.dead():
                self.log.say(f"the cluster has lost {', '.join(dead)}; it is stopped")
        self.log.say("cluster is down")

    def _tell(self, run: CellRun, outcome: Outcome) -> None:
        done, total = len(self.spec.runs) - len(self.pending), len(self.spec.runs)
        seconds = "" if outcome.seconds is None else f" after {outcome.seconds:.1f} s"
        self.log.say(f"[{done}/{total}] {label(run)}: {outcome.status}{seconds} {outcome.reason}")

    def _finish(self) -> None:
        """Write studies.json, then cell.json, which the workflow waits for."""
        runs = [
            {"run": f"{run.identity.point}/{run.identity.rep}", "status": record.outcome.status}
            for run in self.spec.runs
            for record in [read(Path(run.folder) / "run.json")]
        ]
        dump_json(self.spec.studies, Path(self.spec.studies_file))
        dump_json(
            {
                "format": 1,
                "cell": self.spec.cell,
                "seconds": round(self.log.seconds, 1),
                "hosts_seconds": round(self.hosts_s, 1),
                "cpu_seconds": self.cpu_s,
                "cluster_seconds": [round(seconds, 1) for seconds in self.clusters_s],
                "runs": runs,
            },
            self.folder / "cell.json",
        )
        self.log.say(f"cell {self.spec.cell} is complete")


class EventLog:
    """Writes events to a file and to the workflow's log."""

    def __init__(self, path: Path) -> None:
        """Open the file `path`, to which events are appended."""
        self._path = path
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Return the seconds since the log was opened."""
        return time.monotonic() - self._began

    def say(self, what: str) -> None:
        """Log one event with time of day (UTC) and seconds since the start. Raises KvasirError on a full disk."""
        line = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {self.seconds:8.1f} s  {' '.join(what.split())}"
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise KvasirError(f"{self._path}: cannot be written: {error.strerror}") from None
        print(line, flush=True)
