"""Join the records of experiments into tables, a table a file."""

from enum import StrEnum
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
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
    metrics = ""
    trace = "trace"
    fill = "fill"
    tasks = "tasks"
    counters = "counters"
    stages = "stages"


MAKE = {
    Kind.metrics: metric_table,
    Kind.trace: trace_table,
    Kind.fill: event_table,
    Kind.tasks: task_table,
    Kind.counters: counter_table,
    Kind.stages: stage_table,
}


def name_of(output: Path) -> tuple[str, Kind]:
    """Return the experiment and the kind that a file is named after. Raises KvasirError when it has no such name."""
    experiment, _, kind = output.stem.partition(".")
    if output.suffix != ".csv" or kind not in list(Kind):
        kinds = ", ".join(f"EXPERIMENT.{one}.csv" for one in Kind if one)
        raise KvasirError(f"{output}: expected EXPERIMENT.csv or one of {kinds}")
    return experiment, Kind(kind)


def tables(
    study: str,
    outputs: list[Path],
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write tables of the study, each named EXPERIMENT[.KIND].csv."""
    named = [name_of(output) for output in outputs]
    planner = choose(choices)
    for output, (experiment, kind) in zip(outputs, named, strict=True):
        write_csv(MAKE[kind](planner.table(study, experiment)), output)


if __name__ == "__main__":
    main(tables)
