"""From factors and levels to points, and from points to an order of runs. Pure functions."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.config import Experiment, Level, Study
from harness.config.study import Levels
from harness.core.errors import KvasirError

UNITS = {"cap_w": "W", "buffer_mb": "MB", "sample_ms": "ms"}


@dataclass(frozen=True)
class Point:
    """One combination of levels: `name` is its folder (the varied levels), `levels` holds every factor."""

    name: str
    levels: dict[str, Level]


def expand(experiment: Experiment, defaults: dict[str, Level]) -> list[Point]:
    """Returns all points of an experiment: the cross of its factors and its single points, other levels filled in."""
    cross = itertools.product(*experiment.factors.values())
    points = []
    for varied in (
        *(dict(zip(experiment.factors, levels, strict=True)) for levels in cross),
        *experiment.also,
    ):
        linked = {name: link.levels[varied[link.by]] for name, link in experiment.linked.items()}
        name = "_".join(f"{level}{UNITS.get(factor, '')}" for factor, level in varied.items())
        points.append(Point(name, {**defaults, **experiment.fixed, **linked, **varied}))
    return points


def meets(levels: Mapping[str, Level], wanted: Mapping[str, Levels]) -> bool:
    """Returns whether a point has one of the wanted levels of each factor."""
    return all(
        levels.get(factor) in (several if isinstance(several, list) else [several])
        for factor, several in wanted.items()
    )


def selected(
    name: str,
    experiment: Experiment,
    defaults: dict[str, Level],
    only: Mapping[str, Sequence[Level]],
    without: Iterable[Mapping[str, Levels]],
    section: str,
) -> list[Point]:
    """Returns the points of experiment `name` that a scale keeps: with levels of `only`, meeting none of `without`.

    Raises KvasirError when nothing is left; `section` says where that was configured.
    """
    unwanted = list(without)
    kept = [
        point
        for point in expand(experiment, defaults)
        if all(point.levels.get(factor, levels[0]) in levels for factor, levels in only.items())
        and not any(meets(point.levels, levels) for levels in unwanted)
    ]
    if not kept:
        raise KvasirError(
            f"{section}: keeps no point of experiment {name}, expected at least one: keep more levels, or "
            "name it in leave_out"
        )
    return kept


def lenders(study: Study, name: str) -> dict[str, tuple[str, str]]:
    """Returns points of experiment `name` whose runs are another experiment's: point -> (experiment, its point)."""
    experiment = study.experiments[name]
    if experiment.borrows is None:
        return {}
    lent = {
        frozenset(other.levels.items()): other.name
        for other in expand(study.experiments[experiment.borrows], study.defaults)
    }
    return {
        point.name: (experiment.borrows, lent[levels])
        for point in expand(experiment, study.defaults)
        if (levels := frozenset(point.levels.items())) in lent
    }


def seed_of(base: int, *identity: object) -> int:
    """Returns a 32-bit seed that depends on the base seed and on nothing but the run's own identity."""
    text = "/".join(str(part) for part in (base, *identity))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def priority(base: int, study: str, experiment: str, point: str, rep: int) -> int:
    """Returns the priority of a run: all first repetitions, then all second ones and so on; random within each.

    The order depends on the base seed and on each run's identity alone, so adding a level leaves the others'
    places among themselves as they were. A higher number runs earlier; all are above the default of 0.
    """
    within = seed_of(base, "order", study, experiment, point, rep) % 1_000_000
    return (1_000 - rep) * 1_000_000 + within + 1
