"""Reads the engine's own report of a job (kvasir-report-1), whose metrics have the names of the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.core.errors import KvasirError
from harness.measure.metrics import Windows
from harness.results.records import Metric


class _Model(BaseModel):
    # The report says much more (options, each rank's own numbers), which nothing here needs.
    model_config = ConfigDict(extra="ignore", frozen=True)


class Number(_Model):
    """One metric of the report."""

    value: float | None
    unit: str
    source: str
    reason: str = ""


class Report(_Model):
    """The parts of the report that become a record. Times are CLOCK_MONOTONIC seconds of rank 0's host."""

    format: Literal["kvasir-report-1"]
    windows: dict[str, tuple[float, float]]
    metrics: dict[str, Number]


def read_report(path: Path) -> Report:
    """Returns the report in file `path`. Raises KvasirError when the program left none or one of another kind."""
    try:
        return Report.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise KvasirError(
            f"{path.name}: the program ended well but left no report: {error.strerror}"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise KvasirError(f"{path.name}: not a report of the engine: {where}: {first['msg']}") from None


def measured(report: Report) -> list[Metric]:
    """Returns all metrics of the report."""
    return [Metric(name=name, **number.model_dump()) for name, number in report.metrics.items()]


def windows(report: Report, origin_s: float) -> Windows:
    """Returns the job's phases on the clock of the trace, whose time 0 is `origin_s` of CLOCK_MONOTONIC."""
    return {name: (begin - origin_s, end - origin_s) for name, (begin, end) in report.windows.items()}
