"""Defines domains, readings, probes, readers and sources of power, and their errors."""

from __future__ import annotations

import abc
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Literal

from harness.config.power import PowerSettings
from harness.core.errors import PowerError

NONE = "none"

Kind = Literal["counter", "gauge"]
Scope = Literal["host", "job"]
"""Extent of a source's energy: the host it is opened on, or all nodes of the SLURM job."""


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Names nodes of the SLURM job to count while something runs that starts no steps of its own."""

    nodes: tuple[str, ...]
    srun: tuple[str, ...] = ("srun",)
    """The command that starts a step."""

    @classmethod
    def load(cls, text: str) -> Hold:
        """Reads it from JSON. Raises PowerError."""
        try:
            content = json.loads(text)
            return cls(nodes=tuple(map(str, content["nodes"])), srun=tuple(map(str, content["srun"])))
        except (ValueError, KeyError, TypeError) as error:
            raise PowerError(
                f"nodes to hold: expected JSON with lists nodes and srun, found {text}"
            ) from error


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Holds the settings of one sampler: the power source to read, how often, and the files to write."""

    power: PowerSettings
    period_ms: float
    trace: Path
    summary: Path
    cap_w: float | None = None
    """Cap per package, W; None: no cap."""


class CapUnavailable(PowerError):
    """Signals that a power cap cannot be set here; the message is the reason that goes into the record."""


@dataclass(frozen=True)
class Probe:
    """Tells whether a source can measure here.

    `source_name` is what stands in the column `source` of every number it will give. `reason` is empty when
    usable. `can_cap` may be true only for a usable source; otherwise `cap_reason` says why not.
    """

    usable: bool
    source_name: str = NONE
    reason: str = ""
    domains: tuple[str, ...] = ()
    can_cap: bool = False
    cap_reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Holds one value of one domain, with the clock (time.monotonic, s) before and after it was read.

    A counter gives joules since the reader was opened (unwrapped), a gauge gives watts. `value` is None when
    it could not be read; `problem` then says why, and `lasting` whether the domain is lost for this run.
    """

    domain: str
    before: float
    after: float
    value: float | None
    problem: str = ""
    lasting: bool = False

    @property
    def time(self) -> float:
        """Returns the middle of the read, s."""
        return (self.before + self.after) / 2

    @property
    def half_width(self) -> float:
        """Returns half the time the read took, s: how wrong `time` can be."""
        return (self.after - self.before) / 2


class Reader:
    """Reads an open source. The defaults are those of a source that has no domain while a job runs."""

    kinds: dict[str, Kind]
    min_period_s: float = 0.0
    cap_root: Path | None = None

    def __init__(self) -> None:
        self.kinds = {}

    def read(self) -> list[Reading]:
        """Reads every domain once."""
        return []

    def hold(self, hold: Hold) -> None:
        """Counts some nodes of the job from now on (only SLURM's accounting needs to be told). Raises PowerError."""

    def watch(self, pid: int) -> None:
        """Tells the source the job's first process (only the emulator needs it)."""

    def afterwards(self) -> dict[str, tuple[float | None, str]]:
        """Returns energies known only after the job: domain -> (J or None, reason)."""
        return {}

    def details(self) -> dict[str, Any]:
        """Returns facts for the summary: zones and their ranges, versions, sensors, model parameters."""
        return {}

    def close(self) -> None:
        """Releases files, processes and quotas; may be called twice."""


class Source(abc.ABC):
    """Gives power or energy in one way; harness.config.power lists those of this tree by their `key`."""

    key: ClassVar[str]
    scope: ClassVar[Scope] = "host"

    def __init__(self, settings: PowerSettings, argument: str) -> None:
        """Takes the settings, and as `argument` the text after the source's name and a colon."""
        self._settings = settings
        self._argument = argument

    def refusal(self, hosts: int) -> str:
        """Returns why the same settings cannot measure each of `hosts` hosts, '' if they can."""
        return ""

    @abc.abstractmethod
    def probe(self) -> Probe:
        """Tries whether the source works here, by a read and not by a listing; never raises for a mere 'no'."""

    @abc.abstractmethod
    def open(self) -> Reader:
        """Starts measuring; raises PowerError where probe() would have said no."""


@dataclass(frozen=True)
class Resolved:
    """Describes the source that settings lead to on this machine: the API for planning runs.

    `source_name` is `measured:...`, `emulated:<profile>` or `none`; `reason` is set when it is `none`.
    """

    source_name: str
    reason: str
    domains: tuple[str, ...]
    can_cap: bool
    cap_reason: str
    source: Source = field(compare=False, repr=False)


def short_host_name() -> str:
    """Returns the name of this host without its domain."""
    return socket.gethostname().partition(".")[0]


def timed(domain: str, get: Callable[[], float], clock: Callable[[], float] = monotonic) -> Reading:
    """Calls `get` between two reads of the clock; an OSError or ValueError becomes a lasting problem."""
    before = clock()
    try:
        value = get()
    except (OSError, ValueError) as error:
        return Reading(
            domain=domain, before=before, after=clock(), value=None, problem=str(error), lasting=True
        )
    return Reading(domain=domain, before=before, after=clock(), value=value)
