"""Write what the report is made from: its manifest, one row a run, and the runs' environments."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import typer

from harness.config import CellsStudy
from harness.core.cli import main
from harness.core.environment import git_state
from harness.core.files import dump_json
from harness.plan.planner import choose
from harness.report.inputs import CHOICE_COLUMNS
from harness.report.overview import RUN_COLUMNS, choice_rows, environments, manifest, run_rows
from harness.results.layout import records
from harness.results.records import read
from harness.results.tables import write_csv


def write_manifest(
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write OUTPUT (manifest.json) with <study>.runs.csv, choice.csv and environments.json beside it."""
    planner = choose(choices)
    config = planner.config
    for study in config.studies:
        tables = list(planner.plan(study).tables.values())
        rows = run_rows(list(records(tables)), tables)
        write_csv(
            pl.DataFrame(rows, schema=RUN_COLUMNS, infer_schema_length=None),
            output.parent / f"{study}.runs.csv",
        )
    if clusters := [study.id for study in config.studies.values() if isinstance(study, CellsStudy)]:
        tables = [table for study in clusters for table in planner.plan(study).tables.values()]
        labels = {name: entry.label for name, entry in config.frameworks.items()}
        rows = choice_rows(tables, read, labels)
        choice = pl.DataFrame(rows, schema=list(CHOICE_COLUMNS), infer_schema_length=None)
        write_csv(choice, output.parent / "choice.csv")
    dump_json(environments(list(records(planner.tables))), output.parent / "environments.json")
    made = manifest(config, str(output.parent), git_state(), datetime.now(UTC).isoformat())
    dump_json(made.model_dump(mode="json"), output)


if __name__ == "__main__":
    main(write_manifest)
