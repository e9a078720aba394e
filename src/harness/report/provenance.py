"""Finds out where results come from: what their runs say, what the site refused, and how long the jobs took."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.plan.planner import Planner
from harness.report.runs import read_jobs
from harness.results.archive import history
from harness.results.layout import TableSpec, records


def job_seconds(planner: Planner) -> dict[str, float]:
    """Returns the wall seconds of the jobs that made a study's runs; clusters that studies share count for each."""
    folder = Path(planner.config.results, "benchmarks")
    found = {}
    for study in planner.config.studies:
        cells = planner.plan(study).cells
        jobs = [job for kind in ("runs", "batches") for job in read_jobs(folder / kind / study)]
        jobs += [job for job in read_jobs(folder / "cells") if job.path[-1] in cells]
        found[study] = round(sum(job.seconds for job in jobs), 1)
    return found


def planned(tables: Mapping[str, TableSpec]) -> list[str]:
    """Returns the experiments of which a plan has points, whether they could be run or not."""
    return [name for name, table in tables.items() if table.runs or table.not_run]


def origin_of(planner: Planner) -> dict[str, Any]:
    """Returns the provenance of a scale's results, but for the checksum of an archive.

    Raises KvasirError for a record or benchmark file that is broken.
    """
    top = planner.config.top
    return {
        "scale": top.scale,
        "seed": top.seed,
        "studies": list(planner.config.studies),
        "experiments": {study: planned(planner.plan(study).tables) for study in planner.config.studies},
        "site_name": top.site,
        "site": planner.config.site,
        "refused": planner.capabilities.refused,
        "seconds": job_seconds(planner),
        **history(records(planner.tables)),
    }
