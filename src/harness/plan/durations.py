"""Says what runs and cells may take on this machine, for the progress line and dry runs."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from harness.plan.planner import Planner
from harness.plan.spec import CellSpec, RunSpec
from harness.results.layout import folder_of_run
from snakemake_logger_plugin_kvasir.progress import Expected

# Shares of what the configuration allows at most, seen at scale laptop on two cores (48 min in all).
SIMULATION = 0.04
"""Of the time that a simulation hardly exceeds."""
BATCH_START_S = 0.5
"""Of a batch's job, until its first simulation."""
ENGINE = 0.018
"""Of the timeout of a measured run."""
CELL_RUN = 1 / 90
"""Of the time limit of a cell, for one of its runs."""
CLUSTER_S = 15.0
"""Until a cell's cluster is up."""


def measured_s(file: Path) -> float | None:
    """Returns the seconds in a benchmark file, None if there is none that can be read."""
    with contextlib.suppress(OSError, KeyError, ValueError), file.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            return float(row["s"])
    return None


def batch_s(runs: Iterable[RunSpec], cores: int) -> float:
    """Returns seconds for the simulations of a batch, which has all cores."""
    return BATCH_START_S + sum(SIMULATION * (run.expected_s or run.timeout_s) for run in runs) / cores


def cell_s(cell: CellSpec, missing: int) -> float:
    """Returns seconds for so many runs of a cell and its cluster's start."""
    return CLUSTER_S + missing * CELL_RUN * 60 * cell.minutes


def _runs(planner: Planner) -> Iterator[tuple[str, Expected]]:
    results = Path(planner.config.results)
    for study in planner.config.studies:
        for run in planner.plan(study).runs:
            if run.watch is None:
                continue
            who = run.identity
            place = f"{who.study}/{who.experiment}/{who.point}/{who.rep}"
            before = measured_s(results / "benchmarks/runs" / f"{place}.tsv")
            seconds = ENGINE * run.timeout_s if before is None else before
            record = Path(folder_of_run(planner.config.results, who), "run.json")
            yield place.replace("/", " "), Expected(seconds, record.is_file())


def _batches(planner: Planner, cores: int) -> Iterator[tuple[str, Expected]]:
    for study in planner.config.studies:
        for name, batch in planner.plan(study).batches.items():
            missing = [
                run
                for run in batch.runs
                if not Path(folder_of_run(planner.config.results, run.identity), "run.json").is_file()
            ]
            yield (
                f"{study} {name}",
                Expected(batch_s(missing or batch.runs, cores), Path(batch.file).is_file()),
            )


def _cells(planner: Planner) -> Iterator[tuple[str, Expected]]:
    for name, cell in planner.cells.items():
        missing = sum(not (Path(run.folder) / "run.json").is_file() for run in cell.runs)
        yield name, Expected(cell_s(cell, missing or len(cell.runs)), missing == 0)


def expected(planner: Planner, cores: int) -> Mapping[str, dict[str, Expected]]:
    """Returns, by rule and job, seconds of a machine with `cores` and whether the result is there.

    A run that was made before takes what its benchmark file says; others a share of their limits.
    """
    return {
        "run_point": dict(_runs(planner)),
        "run_batch": dict(_batches(planner, max(1, cores))),
        "run_cell": dict(_cells(planner)),
    }
