"""Which runs a cell makes, and in which order. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import CLASSES
from harness.plan.cell_spec import CellRun, CellSpec


def ordered(runs: Iterable[CellRun]) -> list[CellRun]:
    """All first repetitions, then all second ones; benchmarks in the order of CLASSES; frameworks take turns in
    being first, so that none always finds the cluster as another one left it.
    """
    runs = list(runs)
    benchmarks = list(CLASSES)
    frameworks = sorted({run.framework for run in runs})

    def place(run: CellRun) -> tuple[int, int, int, int, str]:
        benchmark, rep = benchmarks.index(run.benchmark), run.identity.rep
        # TestDFSIO reads what the same framework's run has just written.
        group = 0 if run.benchmark.startswith("dfsio-") else benchmark
        turn = (frameworks.index(run.framework) - rep - group) % len(frameworks)
        return rep, group, turn, benchmark, run.identity.point

    return sorted(runs, key=place)


def joined(specs: Iterable[CellSpec]) -> dict[str, CellSpec]:
    """Cells by name, each with the runs that any of `specs` wants there.

    Raises KvasirError when two specifications of one cell differ in anything but their runs.
    """
    found: dict[str, CellSpec] = {}
    for spec in specs:
        known = found.get(spec.cell, spec)
        same = known.model_copy(update={"runs": [], "frameworks": {}, "built": []})
        if spec.model_copy(update={"runs": [], "frameworks": {}, "built": []}) != same:
            raise KvasirError(f"cell {spec.cell}: two studies want it differently")
        runs = {run.folder: run for run in (*known.runs, *spec.runs)}
        found[spec.cell] = known.model_copy(
            update={
                "runs": ordered(runs.values()),
                "frameworks": dict(sorted({**known.frameworks, **spec.frameworks}.items())),
                "built": sorted({*known.built, *spec.built}),
            }
        )
    return dict(sorted(found.items()))
