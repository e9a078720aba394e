"""Join the records of one experiment into one table."""

from enum import StrEnum
from pathlib import Path

import typer

from harness.core.cli import main
from harness.plan.planner import choose
from harness.results.tables import (
    counter_table,
    event_table,
    metric_table,
    stage_table,
    task_table,
    trace_table,
    write_csv,
)


class Kind(StrEnum):
    metrics = "metrics"
    trace = "trace"
    fill = "fill"
    tasks = "tasks"
    counters = "counters"
    stages = "stages"


def tables(
    kind: Kind,
    study: str,
    experiment: str,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write table KIND of the experiment to OUTPUT."""
    make = {
        Kind.metrics: metric_table,
        Kind.trace: trace_table,
        Kind.fill: event_table,
        Kind.tasks: task_table,
        Kind.counters: counter_table,
        Kind.stages: stage_table,
    }[kind]
    write_csv(make(choose(choices).table(study, experiment)), output)


if __name__ == "__main__":
    main(tables)
