"""Joins simulations to batches, each of which is one job of the workflow. Pure functions.

A batch has simulations of one experiment: what a figure needs is made without others, and a changed experiment leaves
the batches of others as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from harness.config import Config
from harness.plan.spec import BatchSpec, RunSpec
from harness.results.layout import TableSpec, folder_of_point

SIMULATIONS = 100
"""Most simulations of a batch. It has all cores of this machine, or of a node where it is a job of a scheduler."""


def batches_of(study: str, runs: Iterable[RunSpec], config: Config) -> dict[str, BatchSpec]:
    """Returns the batches of a study's simulations by name; runs that are measured are in none."""
    kinds: dict[tuple[str, str], list[RunSpec]] = {}
    for run in runs:
        if run.watch is None:
            kinds.setdefault((run.identity.experiment, run.built), []).append(run)
    batches = {}
    for (experiment, built), members in kinds.items():
        for first in range(0, len(members), SIMULATIONS):
            name = f"{experiment}_{first // SIMULATIONS + 1}"
            batches[name] = BatchSpec(
                study=study,
                batch=name,
                results=config.results,
                built=built,
                runs=members[first : first + SIMULATIONS],
            )
    return batches


def digest_of_batch(batch: BatchSpec) -> str:
    """Returns a digest that changes with any run of a batch, but not with what its runs are expected to take."""
    text = batch.model_dump_json(exclude={"runs": {"__all__": {"expected_s"}}})
    return hashlib.sha256(text.encode()).hexdigest()


def with_batches(
    tables: Mapping[str, TableSpec], batches: Mapping[str, BatchSpec], config: Config
) -> dict[str, TableSpec]:
    """Returns the tables; where their runs are in batches, the workflow waits for those."""
    files: dict[str, list[str]] = {}
    for batch in batches.values():
        for run in batch.runs:
            who = run.identity
            folder = folder_of_point(config.results, who.study, who.experiment, who.point)
            own = files.setdefault(folder, [])
            if batch.file not in own:
                own.append(batch.file)
    return {
        name: table.model_copy(
            update={
                "runs": {
                    point: runs.model_copy(update={"declared": files.get(runs.folder, runs.declared)})
                    for point, runs in table.runs.items()
                }
            }
        )
        for name, table in tables.items()
    }
