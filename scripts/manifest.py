"""Write what the report is made from: its manifest, one row a run, and the runs' environments."""

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import typer

from harness.command import main
from harness.config import load_config
from harness.config.load import read_yaml
from harness.environment import git_state
from harness.files import dump_json
from harness.overview import RUN_COLUMNS, environments, manifest, run_rows
from harness.results import records
from harness.spec import TableSpec
from harness.tables import write_csv


def write_manifest(
    output: Path,
    scale: str = typer.Option(...),
    site: str = typer.Option(...),
    tables: str = typer.Option(..., help="the tables' specifications, a JSON list of harness.spec.TableSpec"),
    studies: list[str] = typer.Option(...),
) -> None:
    """Write OUTPUT (manifest.json) with <study>.runs.csv and environments.json beside it."""
    chosen = {"scale": scale, "site": site, "studies": studies}
    config = load_config({**read_yaml(Path("config/config.yaml")), **chosen})
    specs = [TableSpec.model_validate(spec) for spec in json.loads(tables)]
    everything = []
    for study in config.studies:
        found = list(records(Path(config.results), study))
        everything += found
        rows = run_rows(found, [spec for spec in specs if spec.study == study])
        write_csv(
            pl.DataFrame(rows, schema=RUN_COLUMNS, infer_schema_length=None),
            output.parent / f"{study}.runs.csv",
        )
    dump_json(environments(everything), output.parent / "environments.json")
    made = manifest(config, str(output.parent), git_state(), datetime.now(UTC).isoformat())
    dump_json(made.model_dump(mode="json"), output)


if __name__ == "__main__":
    main(write_manifest)
