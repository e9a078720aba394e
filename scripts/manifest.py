"""Write what the report is made from: its manifest, one row a run, and the runs' environments."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import typer

from harness.command import main
from harness.environment import git_state
from harness.files import dump_json
from harness.overview import RUN_COLUMNS, environments, manifest, run_rows
from harness.planning import choose
from harness.results import records
from harness.tables import write_csv


def write_manifest(
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write OUTPUT (manifest.json) with <study>.runs.csv and environments.json beside it."""
    planner = choose(choices)
    config = planner.config
    everything = []
    for study in config.studies:
        found = list(records(Path(config.results), study))
        everything += found
        rows = run_rows(found, planner.plan(study).tables.values())
        write_csv(
            pl.DataFrame(rows, schema=RUN_COLUMNS, infer_schema_length=None),
            output.parent / f"{study}.runs.csv",
        )
    dump_json(environments(everything), output.parent / "environments.json")
    made = manifest(config, str(output.parent), git_state(), datetime.now(UTC).isoformat())
    dump_json(made.model_dump(mode="json"), output)


if __name__ == "__main__":
    main(write_manifest)
