"""Defines the paths of results and the runs of each table, and finds those that exist; read-only."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from harness.config import Config
from harness.core.errors import KvasirError
from harness.core.models import Strict
from harness.results.records import Factors, Identity, Record, read


class NotRun(Strict):
    """A point that cannot be run here, with the reason."""

    point: str
    factors: Factors
    reason: str


class Runs(Strict):
    """The runs of one point: repetitions 1 to n, in folders below `folder` (of another experiment if borrowed)."""

    folder: str
    repetitions: int
    declared: list[str] = Field(default_factory=list)
    """The files of jobs that make these runs among others; none: the workflow knows the run.json of each."""

    @property
    def files(self) -> list[str]:
        """Returns the files that the workflow waits for."""
        if self.declared:
            return self.declared
        return [f"{self.folder}/{rep}/run.json" for rep in range(1, self.repetitions + 1)]


def folder_of_point(results: str, study: str, experiment: str, point: str) -> str:
    """Returns the folder of a point's runs: one folder a repetition."""
    return f"{results}/runs/{study}/{experiment}/{point}"


def folder_of_run(results: str, run: Identity) -> str:
    """Returns the folder of a run of a point, where its record lies."""
    return f"{folder_of_point(results, run.study, run.experiment, run.point)}/{run.rep}"


class TableSpec(Strict):
    """One experiment's table: its runs in the order of the plan and the points that cannot be run here."""

    study: str
    experiment: str
    scale: str
    factors: list[str]
    """Names of the factor columns, in order."""
    runs: dict[str, Runs]
    """By point."""
    not_run: list[NotRun]
    repetitions: int


def tables_of(config: Config, study: str) -> list[str]:
    """Returns the paths of all tables of a study: metrics; samples, tasks, counters and events where they are kept."""
    model = config.studies[study]
    return [
        f"{config.results}/tables/{study}/{name}{ending}.csv"
        for name in model.experiments
        for ending in model.endings(name)
    ]


def outputs_table_of(config: Config, study: str) -> str:
    """Returns the path of a study's table of the files in the output directory."""
    return f"{config.results}/tables/{study}/directory.files.csv"


def figure_stem(config: Config, study: str, figure: str) -> str:
    """Returns the path of a figure without its extension."""
    return f"{config.results}/figures/{study}/{figure}"


def figures_of(config: Config, study: str) -> list[str]:
    """Returns the paths of all figures of a study, each as PDF, SVG and PNG."""
    return [
        f"{figure_stem(config, study, figure.id)}.{kind}"
        for figure in config.studies[study].figures
        for kind in ("pdf", "svg", "png")
    ]


def verdicts_of(config: Config, study: str) -> str:
    """Returns the path of a study's verdicts."""
    return f"{config.results}/claims/{study}.csv"


def is_complete(config: Config, study: str, tables: Iterable[TableSpec]) -> bool:
    """Returns whether a study's verdicts, figures, tables and all runs of its `tables` are there."""
    parts = [verdicts_of(config, study), *figures_of(config, study), *tables_of(config, study)]
    runs = (
        f"{runs.folder}/{rep}/run.json"
        for table in tables
        for runs in table.runs.values()
        for rep in range(1, runs.repetitions + 1)
    )
    return all(Path(path).is_file() for path in itertools.chain(parts, runs))


def run_files(tables: Iterable[TableSpec]) -> list[Path]:
    """Returns the run.json of all runs of tables that exist, each once, sorted."""
    files = {
        Path(runs.folder) / str(rep) / "run.json"
        for table in tables
        for runs in table.runs.values()
        for rep in range(1, runs.repetitions + 1)
    }
    return sorted(path for path in files if path.is_file())


def records(tables: Iterable[TableSpec]) -> Iterator[Record]:
    """Yields the records of all runs of tables. Raises KvasirError naming one that cannot be read."""
    for path in run_files(tables):
        yield read(path)


def failed_folders(root: Path) -> list[Path]:
    """Returns the folders of all runs below `root` (all scales) that did not end well, unreadable ones included."""
    found = []
    of_points, of_cells = "*/runs/*/*/*/[0-9]*/run.json", "*/cells/*/runs/*/[0-9]*/run.json"
    for path in sorted([*root.glob(of_points), *root.glob(of_cells)]):
        try:
            if read(path).outcome.status == "ok":
                continue
        except KvasirError:
            pass
        found.append(path.parent)
    return found


def made_from(run: Path) -> list[Path]:
    """Returns the files to remove with a run for the workflow to make it again.

    They are the tables of its study (of all studies, if it is a cell's), the files of its cell or of its experiment's
    batches, and the report:
    Snakemake does not miss a file whose consumers are up to date.
    """
    if run.parents[3].name == "cells":
        cell, scale = run.parents[2], run.parents[4]
        return [cell / "cell.json", *sorted((scale / "tables").glob("*/*.csv")), scale / "report.html"]
    study = run.parents[2].name
    scale = run.parents[4]
    batches = sorted((scale / "batches" / study).glob(f"{run.parents[1].name}_*/batch.json"))
    return [*batches, *sorted((scale / "tables" / study).glob("*.csv")), scale / "report.html"]
