"""Reads what Valgrind's cachegrind counted in a run: the references and misses of simulated caches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.core.errors import KvasirError
from harness.results.records import Metric

SOURCE = "simulated:cachegrind"
SUMS = {
    "cache.instructions": ("Ir",),
    "cache.references": ("Dr", "Dw"),
    "cache.d1.misses": ("D1mr", "D1mw"),
    "cache.ll.misses": ("ILmr", "DLmr", "DLmw"),
}
"""Metrics of the record and the events that each adds up."""
UNTOUCHED = "measured:engine"
"""Source of what the program counts itself: it is the same under Valgrind. Its times and its memory are not."""


def read_cachegrind(path: Path) -> list[Metric]:
    """Returns the counts of the whole program, start and end of MPI included, from cachegrind's file.

    Raises KvasirError when Valgrind left none or one without them.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise KvasirError(f"{path.name}: Valgrind left no counts: {error.strerror}") from None
    found = {key: rest.split() for key, _, rest in (line.partition(": ") for line in lines)}
    counts = dict(zip(found.get("events", []), found.get("summary", []), strict=False))
    wanted = {event for events in SUMS.values() for event in events}
    if not wanted <= {event for event, count in counts.items() if count.isdigit()}:
        raise KvasirError(
            f"{path.name}: expected lines `events:` and `summary:` with {', '.join(sorted(wanted))}"
        )
    return [
        Metric(name=name, value=sum(int(counts[event]) for event in events), unit="1", source=SOURCE)
        for name, events in SUMS.items()
    ]


def unaffected(metrics: Iterable[Metric]) -> list[Metric]:
    """Returns those metrics of a program that Valgrind does not change."""
    return [metric for metric in metrics if metric.source == UNTOUCHED]
