"""Memory and disk that the engine's runs need, from measured figures per word. Looks only at which texts exist."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.plan.datasets import Text
from harness.plan.spec import Needs, RunSpec

BYTES_PER_WORD = 7.6
"""Mean length of a generated word with its separator (words of 5 to 8 letters)."""
MEMORY_PER_WORD = 30.0
"""Peak bytes of GroupByKey per word of input, all ranks together: 28.6 measured at laptop scale."""
MEMORY_PER_UNIQUE = 35.0
"""Peak bytes of ReduceByKey per distinct word and rank: 31 measured at laptop scale."""
MEMORY_STAGED_PER_WORD = 30.0
"""What staged phases hold besides, per word of input: 28 measured at laptop scale."""


def memory_bytes(runs: list[RunSpec]) -> int:
    """Largest resident memory of any of the runs, all ranks together."""
    worst = 0.0
    for run in runs:
        factors = run.identity.factors
        words, unique = float(factors["words"] or 0), float(factors["unique"] or 0)
        held = (
            words * MEMORY_PER_WORD
            if factors["combine"] == "none"
            else unique * run.ranks * MEMORY_PER_UNIQUE
        )
        held += words * MEMORY_STAGED_PER_WORD if factors["pipeline"] == "staged" else 0.0
        buffers = 2.0 * run.ranks * float(factors["buffer_bytes"] or 0)
        worst = max(worst, held + buffers)
    return round(worst)


def needs_of(runs: list[RunSpec], texts: Mapping[str, Text]) -> Needs:
    """What the runs need. Ranks are those of the larger platform, whose runtimes matter."""
    sizes = {text.path: (text.words or 0) * BYTES_PER_WORD for text in texts.values() if text.generated}
    return Needs(
        memory=memory_bytes(runs),
        disk=round(sum(sizes.values())),
        missing=round(sum(size for path, size in sizes.items() if not Path(path).exists())),
        ranks=max((run.ranks for run in runs if run.identity.factors["platform"] == "knm"), default=1),
    )
