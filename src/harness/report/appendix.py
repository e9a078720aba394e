"""Formats the artifact appendix: claims C1.., experiments E1.. and the machine of their runs, as LaTeX. Pure functions.

The fields are those of the appendix that EuroSys asks for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.claims.terminal import value_of
from harness.claims.verdicts import counts
from harness.report.latex import command, definitions
from harness.report.parts import Part, of_runs
from harness.report.review import Timed

HUMAN_MINUTES = 2
"""To type one command and read one screen."""


def minutes(seconds: float) -> int:
    """Returns whole minutes, rounded up."""
    return max(1, math.ceil(seconds / 60))


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


def values(parts: list[Part], origin: Mapping[str, Any], timed: Sequence[Timed] = ()) -> str:
    """Returns definitions of the numbers that the text uses. `timed`: the steps of a reviewer."""
    pairs = {
        **of_runs(parts, origin),
        "KvRuns": str(sum(origin["runs"].values())),
        "KvDay": str(origin["began"])[:10],
        "KvMinutes": str(minutes(sum(part.seconds for part in parts))),
        "KvMemory": f"{max((part.memory for part in parts), default=0) / 1e9:.0f}",
    }
    for name, step in (("KvSetup", "make setup"), ("KvKick", "make kick"), ("KvReplay", "make replay")):
        taken = {minutes(one.seconds) for one in timed if one.command == step}
        ends = sorted({min(taken), max(taken)}) if taken else ["unknown"]
        pairs[name] = " to ".join(map(str, ends))
    return definitions(pairs)
