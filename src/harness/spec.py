"""What a job of the workflow is told, as JSON: all about one run, or about one experiment's table.

The workflow passes these on the command line and keeps them as rule parameters, so a change of any factor
that enters a run makes exactly that run (and what depends on it) out of date.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.records import Factors, Identity


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunSpec(_Model):
    """One run: who it is, what to start and how to watch it."""

    identity: Identity
    program: list[str]
    """Command of the program without launcher; {report}, {events} and {output} stand for files of the run."""
    inputs: list[str]
    """Files the program reads, as the workflow knows them."""
    counts: str
    """What another program counted in the input: the generator's report or coreutils' list of words."""
    launcher: str
    ranks: int
    timeout_s: int
    sample_ms: int
    power: dict[str, Any]
    """Settings of the site's power source, as far as they differ from the defaults."""
    cap_w: float | None
    """Power cap to set, watts; None where the level means "no cap imposed"."""


class NotRun(_Model):
    """A point that cannot be run here, and why."""

    point: str
    factors: Factors
    reason: str


class Runs(_Model):
    """The runs of one point: repetitions 1 to n, in folders below `folder` (of another experiment if borrowed)."""

    folder: str
    repetitions: int


class TableSpec(_Model):
    """One experiment's table: its runs in the order of the plan and the points that cannot be run here."""

    study: str
    experiment: str
    scale: str
    factors: list[str]
    """Names of the factor columns, in order."""
    runs: dict[str, Runs]
    """By point."""
    not_run: list[NotRun]
    repetitions: int
