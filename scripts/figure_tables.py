"""Write a table that figures take besides those of runs: a study's series or parameters, or published results."""

import csv
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.plan.figure_tables import (
    ANCHORS,
    PARAMETERS,
    SERIES,
    SIMULATOR,
    Row,
    anchor_rows,
    netsim_documents,
    parameter_rows,
    series_rows,
)
from harness.plan.planner import anchors, choose


class Table(StrEnum):
    series = "series"
    parameters = "parameters"
    anchors = "anchors"


def completed(documents: Mapping[str, Any]) -> dict[str, Any]:
    """Configurations with every default in effect, as the simulator prints them."""
    with tempfile.TemporaryDirectory(prefix="kvasir-") as folder:
        paths = [Path(folder) / f"{number}.json" for number in range(len(documents))]
        for path, document in zip(paths, documents.values(), strict=True):
            path.write_text(json.dumps(document), encoding="utf-8")
        command = [SIMULATOR, "config", *map(str, paths)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise KvasirError(f"{SIMULATOR}: cannot be started: {error.strerror}; build it first") from None
    if done.returncode != 0:
        raise KvasirError(f"{SIMULATOR} config: exit code {done.returncode}: {done.stderr.strip()}")
    return dict(zip(documents, map(json.loads, done.stdout.splitlines()), strict=True))


def write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def figure_table(
    table: Table,
    study: str,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write TABLE of STUDY to OUTPUT."""
    if table is Table.anchors:
        write(output, ANCHORS, anchor_rows(anchors()))
        return
    planner = choose(choices)
    model = planner.config.studies[study]
    if table is Table.series:
        write(output, SERIES, series_rows(model, planner.config))
        return
    documents = netsim_documents(model, planner.config)
    rows = parameter_rows(study, planner.at_scales(study), completed(documents) if documents else {})
    write(output, PARAMETERS, rows)


if __name__ == "__main__":
    main(figure_table)
