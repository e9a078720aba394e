"""Join the records of one experiment into one table."""

from enum import StrEnum
from pathlib import Path

import typer

from harness.command import main
from harness.spec import TableSpec
from harness.tables import event_table, metric_table, trace_table, write_csv


class Kind(StrEnum):
    metrics = "metrics"
    trace = "trace"
    fill = "fill"


def tables(
    kind: Kind,
    output: Path,
    spec: str = typer.Option(..., help="the experiment, as JSON (harness.spec.TableSpec)"),
) -> None:
    """Write table KIND of the experiment to OUTPUT."""
    make = {Kind.metrics: metric_table, Kind.trace: trace_table, Kind.fill: event_table}[kind]
    write_csv(make(TableSpec.model_validate_json(spec)), output)


if __name__ == "__main__":
    main(tables)
