"""Knows the steps of a reviewer, reads their minutes by the clock and writes them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from harness.core.errors import KvasirError
from harness.core.rows import as_number, read_rows
from harness.report.numbers import duration


@dataclass(frozen=True)
class Step:
    """One step of a reviewer."""

    name: str
    command: str
    human: str
    """What the person does meanwhile or after it, with their minutes."""


STEPS = (
    Step("set up", "make setup", "1 min: one command"),
    Step("kick the tyres", "make kick", "1 min: one screen, PASS or FAIL"),
    Step("every figure and verdict from our records", "make replay", "10 min: read the report"),
    Step("the forms of EuroSys and SC", "make appendix", "5 min: read two pages"),
    Step("the paper", "make paper", "30 min: read it"),
    Step("run everything", "make reproduce", "1 min: one screen of verdicts"),
    Step("hold your run against ours", "make compare", "5 min: read what differs"),
)


LOOPBACK, ALL = "loopback", "all"


@dataclass(frozen=True)
class Timed:
    """How long a step took on a machine."""

    step: str
    command: str
    seconds: float
    machine: str
    day: str
    """ISO 8601."""
    network: str
    """LOOPBACK, or ALL: what the step could reach."""


def read_timed(path: Path) -> list[Timed]:
    """Returns the steps that were timed, as `make review` writes them. Raises KvasirError when the file is broken."""
    names = tuple(field.name for field in fields(Timed))
    found = []
    for line, cells in read_rows(path, "the table of a reviewer's minutes", names):
        seconds = as_number(cells, "seconds", path, line)
        words = {name: cells[name] for name in names if name != "seconds"}
        found.append(Timed(**words, seconds=0.0 if seconds is None else seconds))
    return found


def resumed(ended: Path, unfinished: Path, machine: str) -> tuple[list[Timed], list[Timed]]:
    """Returns the steps of a review that have ended, and the one that was interrupted, if any.

    Raises KvasirError when there is nothing to resume, or a step was timed on another machine.
    """
    if not ended.exists() and not unfinished.exists():
        raise KvasirError(f"--resume: no review was begun here: {ended} does not exist; leave --resume out")
    found = [read_timed(path) if path.exists() else [] for path in (ended, unfinished)]
    for one in (*found[0], *found[1]):
        if one.machine != machine:
            raise KvasirError(
                f"--resume: '{one.command}' was timed on {one.machine}, and this is {machine}; leave --resume out"
            )
    return found[0], found[1]


BEGIN, END = "<!-- minutes: made by `make readme` -->", "<!-- end of minutes -->"


def table(timed: Sequence[Timed]) -> str:
    """Returns the steps with their minutes as Markdown, a column a machine and day; a step not timed there says so."""
    places: dict[tuple[str, str], dict[str, Timed]] = {}
    for one in timed:
        places.setdefault((one.machine, one.day), {})[one.command] = one
    heads = [f"machine {number}" for number in range(1, len(places) + 1)] if len(places) > 1 else ["machine"]
    lines = [f"| step | command | you | {' | '.join(heads)} |", "| --- " * (3 + len(heads)) + "|"]
    for step in STEPS:
        clocks = [
            duration(taken[step.command].seconds) if step.command in taken else "not timed"
            for taken in places.values() or [{}]
        ]
        lines.append(f"| {step.name} | `{step.command}` | {step.human} | {' | '.join(clocks)} |")
    for head, ((machine, day), taken) in zip(heads, places.items(), strict=False):
        start = f"{head.capitalize()}, by the clock: " if len(places) > 1 else "By the clock on "
        alone = [f"`{one.command}`" for one in taken.values() if one.network == LOOPBACK]
        without = f" Without a network: {', '.join(alone)}." if alone else ""
        lines.append(f"\n{start}{machine}, {day}.{without}")
    return "\n".join(lines)
