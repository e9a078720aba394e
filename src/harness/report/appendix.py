"""Formats the artifact appendix: claims C1.., experiments E1.. and the machine of their runs, as LaTeX. Pure functions.

The fields are those of the appendix that EuroSys asks for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.claims.terminal import value_of
from harness.claims.verdicts import Row, counts
from harness.config import Study
from harness.core.errors import KvasirError
from harness.report.latex import escaped

HUMAN_MINUTES = 2
"""To type one command and read one screen."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What the appendix says of one study."""

    study: Study
    rows: list[Row]
    """Verdicts."""
    seconds: float
    """Wall time of the study's jobs in the runs that the appendix tells of."""
    memory: int
    """Bytes at most, of all processes."""
    disk: int
    """Bytes of data."""

    @property
    def key(self) -> Row:
        """Returns the verdict on the claim that answers the paper's question best. Raises KvasirError without one."""
        for row in self.rows:
            if row.id == self.study.key_claim:
                return row
        raise KvasirError(f"study {self.study.id}: no verdict on its key claim {self.study.key_claim}")


def minutes(seconds: float) -> int:
    """Returns whole minutes, rounded up."""
    return max(1, math.ceil(seconds / 60))


def command(name: str, cells: Sequence[str]) -> str:
    """Returns a command of LaTeX with its arguments, which are escaped."""
    return f"\\{name}" + "".join(f"{{{escaped(cell)}}}" for cell in cells)


def claims(parts: list[Part]) -> str:
    """Returns a line for each major claim: what the paper says, what was found, and by which experiment."""
    lines = []
    for place, part in enumerate(parts, 1):
        key = part.key
        cells = (
            f"C{place}",
            part.study.question,
            key.id,
            key.statement,
            key.paper,
            key.reason if key.value is None else value_of(key),
            key.verdict,
            f"E{place}",
        )
        lines.append(command("claim", cells))
    return "\n".join(lines) + "\n"


def experiments(parts: list[Part], scale: str) -> str:
    """Returns a paragraph for each experiment: minutes, preparation, execution and what to expect."""
    lines = []
    for place, part in enumerate(parts, 1):
        words = ", ".join(f"{n} {word}" for word, n in counts(part.rows).items())
        cells = (
            f"E{place}",
            part.study.title,
            str(HUMAN_MINUTES),
            str(minutes(part.seconds)),
            f"{part.memory / 1e9:.1f}",
            f"{part.disk / 1e9:.1f}",
            f"make reproduce STUDIES={part.study.id} SCALE={scale}",
            str(len(part.rows)),
            words,
        )
        lines.append(command("experiment", cells))
    return "\n".join(lines) + "\n"


def values(parts: list[Part], origin: Mapping[str, object]) -> str:
    """Returns definitions of the numbers that the text uses."""
    runs = origin["runs"]
    assert isinstance(runs, dict)
    machines = origin["machines"]
    assert isinstance(machines, list)
    pairs = {
        "KvScale": str(origin["scale"]),
        "KvRuns": str(sum(runs.values())),
        "KvFailed": str(sum(count for status, count in runs.items() if status != "ok")),
        "KvMachine": "; ".join(machines),
        "KvDay": str(origin["began"])[:10],
        "KvClaims": str(sum(len(part.rows) for part in parts)),
        "KvMinutes": str(minutes(sum(part.seconds for part in parts))),
        "KvMemory": f"{max((part.memory for part in parts), default=0) / 1e9:.0f}",
    }
    return "".join(f"\\newcommand{{\\{name}}}{{{escaped(text)}}}\n" for name, text in pairs.items())
