"""Describes, as JSON, what a job of the workflow does: one run, or the runs of a cell.

The workflow passes these on the command line and keeps them as rule parameters, so a change of any factor
that enters a run makes exactly that run (and what depends on it) out of date.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from harness.config import FrameworkEntry
from harness.config.hadoop import Parameters
from harness.config.hosts import HostsSettings
from harness.config.power import PowerSettings
from harness.core.models import BRIEF, Strict
from harness.hadoop.plugins import Plugin
from harness.plan.datasets import Text
from harness.results.layout import TableSpec
from harness.results.records import Identity


class Watch(Strict):
    """How a measured run is watched. Such a run has the machine to itself."""

    period_ms: int
    power: Annotated[PowerSettings, BRIEF]
    """Settings of the site's power source."""
    cap_w: float | None
    """Power cap to set, watts; None where the level means "no cap imposed"."""


class RunSpec(Strict):
    """One run: who it is, what to start and how to watch it."""

    identity: Identity
    program: list[str]
    """Command of the program; {report}, {config}, {trace}, {events}, {output}, {cachegrind} stand for its files."""
    built: str
    """The file that says what the programs are and how they were built."""
    timeout_s: int
    expected_s: int | None = None
    """What it will hardly exceed, for a scheduler; None: nobody knows better than `timeout_s`."""
    inputs: list[str] = Field(default_factory=list)
    """Files the program reads, as the workflow knows them."""
    passes: int = 1
    """Times that the program reads its inputs, one after the other."""
    attempts: int = 1
    """Times at most that the run is made while its ranks had to wait for processors."""
    counts: str | None = None
    """What another program counted in the input: the generator's report or coreutils' list of words."""
    launcher: list[str] = Field(default_factory=list)
    """What starts the program's ranks, with their number; empty for a program that is one process."""
    ranks: int = 1
    nodes: int = 1
    """Machines that the ranks are on."""
    document: dict[str, Any] | None = None
    """The program's own configuration, written into {config} before it starts."""
    cachegrind: bool = False
    """Whether the program runs under Valgrind's cachegrind, whose file is {cachegrind}."""
    watch: Watch | None = None
    """None for a simulation: it may share the machine, and nothing of the machine is measured."""


class BatchSpec(Strict):
    """Simulations of one experiment that are one job. Their records are no outputs of it, as those of a cell's runs."""

    study: str
    batch: str
    results: str
    """The folder of the scale's results."""
    built: str
    """The file that says what the program is and how it was built."""
    runs: list[RunSpec]

    @property
    def file(self) -> str:
        """Returns the file that the workflow waits for."""
        return f"{self.results}/batches/{self.study}/{self.batch}/batch.json"


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What the runs of a plan ask of one machine: bytes and cores."""

    memory: int
    disk: int
    """Size of the data, whether they are there already or not."""
    missing: int
    """Size of the data that are not there yet."""
    ranks: int
    scratch: int = 0
    """Size of what a run writes and leaves nothing of."""


class CellRun(Strict):
    """One run: a benchmark by a framework, once. Several studies may need it."""

    identity: Identity
    framework: str
    benchmark: str
    settings: dict[str, Any]
    """Of the benchmark, all that differ from its defaults."""
    folder: str
    """Where its record goes."""


class CellSpec(Strict):
    """A cluster of one size, on one disk and interface, and its runs in their order."""

    cell: str
    folder: str
    """Results of the cell."""
    nodes: int
    """Hosts, the master among them."""
    disk: str
    interface: str
    hadoop: str
    """Folder below build/hadoop."""
    built: list[str]
    """Files that say what Hadoop, its plug-ins and the other frameworks' programs are."""
    hosts: Annotated[HostsSettings, BRIEF]
    """The hosts of the site."""
    power: Annotated[PowerSettings, BRIEF]
    """Settings of the site's power source."""
    parameters: Annotated[Parameters, BRIEF]
    """Of Hadoop."""
    frameworks: dict[str, Annotated[FrameworkEntry, BRIEF]]
    """Entries of those that run here, with all properties of their jobs and their names as labels."""
    plugins: dict[str, Plugin] = Field(default_factory=dict)
    """Hadoop's plug-ins of all frameworks that run here."""
    studies: list[str]
    """Studies that want any of the runs, sorted."""
    period_s: float
    """Between two samples of a host."""
    minutes: int
    """Time to ask a scheduler for."""
    runs: list[CellRun]

    @property
    def studies_file(self) -> str:
        """File of the cell's folder that names the studies whose runs the cell holds: a JSON list.

        The workflow does not know of it, so it outlives cell.json, which Snakemake deletes before a job.
        """
        return f"{self.folder}/studies.json"


@dataclass
class Plan:
    """All that is known of a study before anything has run."""

    runs: list[RunSpec]
    tables: dict[str, TableSpec]
    needs: Needs
    texts: dict[str, Text] = field(default_factory=dict)
    """Texts by their path."""
    cells: dict[str, CellSpec] = field(default_factory=dict)
    """Clusters by name, with the runs that this study makes on each; other studies may make more there."""
    batches: dict[str, BatchSpec] = field(default_factory=dict)
    """Batches of those of `runs` that are simulations, by name."""

    @cached_property
    def by_name(self) -> dict[tuple[str, str, int], RunSpec]:
        """Runs by experiment, point and repetition."""
        return {(run.identity.experiment, run.identity.point, run.identity.rep): run for run in self.runs}
