"""Makes tidy tables of records: a row per run and metric, sample, task, counter, stage or event. Checked on write."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.results.layout import TableSpec
from harness.results.records import Record, read


@contextmanager
def hidden(module: str) -> Iterator[None]:
    """Make imports of a module fail in the block, unless it is loaded already."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # as the manual of Python says
    try:
        yield
    finally:
        del sys.modules[module]


# It imports SQLAlchemy where that is installed, which Snakemake sees to: half of what a job of a table loads.
with hidden("sqlalchemy"):
    import dataframely as dy

IDENTITY = ["study", "experiment", "point", "rep"]
STATE = ["order", "status", "reason"]
METRIC = ["metric", "value", "unit", "source"]
SAMPLE = ["t_s", "host", "domain", "metric", "value", "unit", "source"]
EVENT = ["rank", "word_index", "partition", "records", "bytes", "capacity_bytes", "event"]
TASK = ["job", "task", "attempt", "host", "kind", "phase", "start_s", "end_s", "status"]
COUNTER = ["job", "job_name", "kind", "counter_group", "counter", "value"]
STAGE = ["job", "task", "host", "stage", "value", "unit"]
USAGE = ["cell", "point", "rep", "sharing", "links"]
"""Of a run: who it is, hosts that share the processors of one machine, and the source of its links' rate."""
LISTED = ["part", "cell", "framework", "benchmark", "rep", "file", "bytes", "columns", "source"]
"""Of a table of files in the output directory."""
STATUSES = ["ok", "failed", "timeout", "not-run"]


def one_of(*names: str) -> dy.String:
    """Returns a column that holds some names and no others."""
    return dy.String(check=lambda column: column.is_in(names))


class MetricRows(dy.Schema):
    """Rows of a table of metrics, beside the columns of its factors."""

    study = dy.String()
    experiment = dy.String()
    point = dy.String()
    rep = dy.Int64(min=1)
    order = dy.Int64(min=1, nullable=True)
    status = one_of(*STATUSES)
    reason = dy.String()
    metric = dy.String(nullable=True)
    value = dy.Float64(nullable=True)
    unit = dy.String(nullable=True)
    source = dy.String(regex=r"^(measured|emulated|simulated|analytic|none)(:|$)")

    @dy.rule()
    def has_a_reason_where_it_is_empty(cls) -> pl.Expr:
        """Require source none and a reason where there is no value."""
        return pl.col("value").is_not_null() | ((pl.col("source") == "none") & (pl.col("reason") != ""))


SAMPLE_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(SAMPLE, pl.String),
    **dict.fromkeys(("t_s", "value"), pl.Float64),
}
"""A trace may hold whole numbers only, or the unit 1: neither makes its columns others than they are."""


class SampleRows(dy.Schema):
    """Rows of a trace."""

    t_s = dy.Float64()
    domain = dy.String()
    metric = dy.String()
    value = dy.Float64()
    unit = dy.String()
    source = dy.String(regex=r"^(measured|emulated|simulated)(:|$)")


class EventRows(dy.Schema):
    """Rows of a table of the send buffer's events."""

    rank = dy.Int64(min=0)
    word_index = dy.Int64(min=0)
    event = one_of("put", "combine", "exchange")


TASK_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(TASK, pl.String),
    **dict.fromkeys(("start_s", "end_s"), pl.Float64),
    "attempt": pl.Int64,
}


class TaskRows(dy.Schema):
    """Rows of a table of Hadoop's tasks."""

    task = dy.String()
    attempt = dy.Int64(min=0)
    kind = one_of("map", "reduce")
    phase = dy.String()
    start_s = dy.Float64()
    end_s = dy.Float64()
    status = dy.String()


COUNTER_TYPES: dict[str, type[pl.DataType]] = {**dict.fromkeys(COUNTER, pl.String), "value": pl.Int64}


class CounterRows(dy.Schema):
    """Rows of a table of job counters."""

    job = dy.String()
    kind = one_of("all", "map", "reduce")
    counter_group = dy.String()
    counter = dy.String()
    value = dy.Int64()


STAGE_TYPES: dict[str, type[pl.DataType]] = {**dict.fromkeys(STAGE, pl.String), "value": pl.Float64}


class StageRows(dy.Schema):
    """Rows of a table of the stages of map tasks."""

    task = dy.String()
    stage = dy.String()
    value = dy.Float64()
    unit = one_of("s", "B")


def checked(schema: type[dy.Schema], frame: pl.DataFrame) -> pl.DataFrame:
    """Returns a table, checked. Raises SchemaError or ValidationError of dataframely."""
    schema.validate(frame)
    return frame


def columns_of(spec: TableSpec, kind: str) -> list[str]:
    """Returns the columns of a table; `kind` is the end of its name, such as `.trace`."""
    own = [*IDENTITY, *spec.factors]
    return {
        "": [*IDENTITY, *STATE, *spec.factors, *METRIC],
        ".trace": [*own, *SAMPLE],
        ".fill": ["point", "case", *EVENT],
        ".tasks": [*own, *TASK],
        ".counters": [*own, *COUNTER],
        ".stages": [*own, *STAGE],
    }[kind]


def run_folders(spec: TableSpec) -> Iterator[tuple[str, Path]]:
    """Yields point and folder of all runs of an experiment, in the order of the plan."""
    for point, runs in spec.runs.items():
        for rep in range(1, runs.repetitions + 1):
            yield point, Path(runs.folder) / str(rep)


def identity_row(spec: TableSpec, point: str, record: Record) -> dict[str, Any]:
    """Returns the columns that identify the run of a row; a borrowed run counts as this experiment's."""
    who = record.identity
    row: dict[str, Any] = {"study": spec.study, "experiment": spec.experiment, "point": point, "rep": who.rep}
    return {**row, **{name: who.factors.get(name) for name in spec.factors}}


def metric_rows(spec: TableSpec, runs: list[tuple[str, Record]]) -> list[dict[str, Any]]:
    """Returns the rows of the metric table: runs in the plan's order, then the points that could not run here."""
    started = sorted((record for _, record in runs), key=lambda record: record.outcome.started)
    order = {id(record): place for place, record in enumerate(started, 1)}
    empty = {"metric": None, "value": None, "unit": None, "source": "none"}
    rows: list[dict[str, Any]] = []
    for point, record in runs:
        outcome = record.outcome
        head = {
            **identity_row(spec, point, record),
            "order": order[id(record)],
            "status": outcome.status,
            "reason": outcome.reason,
        }
        if outcome.status != "ok":
            rows.append({**head, **empty})
        for metric in record.metrics:
            body = {
                "metric": metric.name,
                "value": metric.value,
                "unit": metric.unit,
                "source": metric.source,
            }
            rows.append({**head, **body, "reason": metric.reason})
    for absent in spec.not_run:
        for rep in range(1, spec.repetitions + 1):
            who = {"study": spec.study, "experiment": spec.experiment, "point": absent.point, "rep": rep}
            state = {"order": None, "status": "not-run", "reason": absent.reason}
            rows.append({**who, **state, **absent.factors, **empty})
    return rows


def metric_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per run and metric of an experiment. Raises KvasirError naming a bad record."""
    runs = [(point, read(folder / "run.json")) for point, folder in run_folders(spec)]
    columns = columns_of(spec, "")
    rows = metric_rows(spec, runs)
    types = {"value": pl.Float64, "rep": pl.Int64, "order": pl.Int64, "metric": pl.String, "unit": pl.String}
    if not rows:  # a scale may leave out an experiment
        return checked(
            MetricRows, pl.DataFrame(schema={name: types.get(name, pl.String) for name in columns})
        )
    frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=types)
    return checked(MetricRows, frame.select(columns))


def read_columns(path: Path, columns: list[str], types: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    """Returns some columns of a CSV file. Raises KvasirError when it is none, or lacks one of them."""
    try:
        return pl.read_csv(path, infer_schema_length=None, schema_overrides=types).select(columns)
    except (OSError, pl.exceptions.PolarsError) as error:
        why = " ".join(str(error).split())[:200]
        raise KvasirError(f"{path}: expected a CSV file with columns {','.join(columns)}: {why}") from None


def joined_files(
    spec: TableSpec, name: str, columns: list[str], types: dict[str, type[pl.DataType]]
) -> pl.DataFrame:
    """Returns the CSV files `name` of all runs that ended well, joined, with the runs' identity and factors."""
    frames = []
    for point, folder in run_folders(spec):
        record = read(folder / "run.json")
        if record.outcome.status != "ok":
            continue
        frame = read_columns(folder / name, columns, types)
        row = identity_row(spec, point, record)
        absent = {key: pl.String for key, value in row.items() if value is None}
        frames.append(pl.DataFrame([row], schema_overrides=absent).join(frame, how="cross"))
    if not frames:
        return pl.DataFrame(schema=dict.fromkeys([*IDENTITY, *spec.factors, *columns], pl.String))
    return pl.concat(frames, how="vertical_relaxed")


def trace_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per sample of an experiment."""
    frame = joined_files(spec, "trace.csv", SAMPLE, SAMPLE_TYPES)
    return frame if frame.is_empty() else checked(SampleRows, frame)


def event_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per event of the send buffer; `case` is the data set of the run."""
    frame = joined_files(spec, "events.csv", EVENT, {}).with_columns(pl.col("data").alias("case"))
    frame = frame.select(columns_of(spec, ".fill"))
    return frame if frame.is_empty() else checked(EventRows, frame)


def task_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per phase of an attempt at a task of Hadoop; runs of other frameworks have none."""
    frame = joined_files(spec, "tasks.csv", TASK, TASK_TYPES)
    return frame if frame.is_empty() else checked(TaskRows, frame)


def counter_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per counter of a job, of all its tasks and of those of each kind."""
    frame = joined_files(spec, "counters.csv", COUNTER, COUNTER_TYPES)
    return frame if frame.is_empty() else checked(CounterRows, frame)


def stage_table(spec: TableSpec) -> pl.DataFrame:
    """Returns one row per stage of a map task."""
    frame = joined_files(spec, "stages.csv", STAGE, STAGE_TYPES)
    return frame if frame.is_empty() else checked(StageRows, frame)


def usage_table(cell: str, runs: Iterable[tuple[str, int, Path]]) -> pl.DataFrame:
    """Returns the samples of the first run of each point that ended well and was sampled; none of the others.

    `runs` are points, repetitions and folders of a cell. Raises KvasirError for a record or table that is wrong.
    """
    frames: dict[str, pl.DataFrame] = {}
    for point, rep, folder in sorted(runs):
        path = folder / "trace.csv"
        if point in frames or not path.exists():
            continue
        record = read(folder / "run.json")
        if record.outcome.status != "ok":
            continue
        metrics = {metric.name: metric for metric in record.metrics}
        sharing = metrics["hosts.sharing"].value if "hosts.sharing" in metrics else 1.0
        links = metrics["link.rate"].source if "link.rate" in metrics else "none"
        facts = (cell, point, rep, sharing or 1.0, links)
        who = [pl.lit(value).alias(name) for name, value in zip(USAGE, facts, strict=True)]
        frames[point] = read_columns(path, SAMPLE, SAMPLE_TYPES).select(*who, *SAMPLE)
    if not frames:
        return pl.DataFrame(schema=dict.fromkeys([*USAGE, *SAMPLE], pl.String))
    return checked(SampleRows, pl.concat(frames.values(), how="vertical_relaxed"))


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a table. Raises KvasirError when the disk is full or the folder cannot be written."""
    with replacing(path) as scratch:
        frame.write_csv(scratch)
