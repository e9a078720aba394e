"""Reads and writes run directories, one record a run; no other code does.

`run.json` is written last, under a temporary name and then renamed, so a killed run leaves nothing that looks
finished. `trace.csv` and `log.txt` lie beside it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from harness.core.errors import KvasirError
from harness.core.files import dump_json

Status = Literal["ok", "failed", "timeout", "not-run"]
Factors = dict[str, str | int | float | None]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Metric(_Model):
    """One number of a run with its unit and source; an empty value has its reason in `reason`."""

    name: str
    value: float | None
    unit: str
    source: str
    reason: str = ""

    @model_validator(mode="after")
    def _empty_has_a_reason(self) -> Metric:
        if self.value is None and (self.source != "none" or not self.reason):
            raise ValueError(f"metric {self.name}: an empty value needs source 'none' and a reason")
        if self.value is not None and self.source == "none":
            raise ValueError(f"metric {self.name}: a value needs a source")
        return self


class Identity(_Model):
    """The identity of a run: study, experiment, point, repetition, seed, scale, site, and the level of every factor."""

    study: str
    experiment: str
    point: str
    rep: int
    seed: int
    scale: str
    site: str
    factors: Factors


class Outcome(_Model):
    """The outcome of a run; times are ISO 8601 (UTC) and seconds of wall clock."""

    status: Status
    reason: str = ""
    exit_code: int | None = None
    started: str = ""
    seconds: float | None = None
    set_aside: list[float] = []
    """Attempts that were repeated since ranks had to wait for processors: each one's `cpu.share.min`."""


class Record(_Model):
    """The content of run.json."""

    format: Literal[1] = 1
    identity: Identity
    environment: dict[str, Any]
    outcome: Outcome
    metrics: list[Metric]


def read(path: Path) -> Record:
    """Returns the record in file `path`. Raises KvasirError naming the file if it is missing, cut off or foreign."""
    try:
        return Record.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise KvasirError(
            f"{path}: not a run record: {where}: {first['msg']}; delete the folder to run it again"
        ) from None


@contextmanager
def write_folder(target: Path) -> Iterator[Path]:
    """Yields a scratch folder beside `target` whose files move into `target` when the block ends well.

    run.json moves last. If the block fails, nothing appears in `target` and the scratch folder goes.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield scratch
        target.mkdir(exist_ok=True)
        for old in target.iterdir():
            old.unlink()
        for file in sorted(scratch.iterdir(), key=lambda f: f.name == "run.json"):
            os.replace(file, target / file.name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def save(record: Record, folder: Path) -> None:
    """Write run.json into a scratch folder made by `write_folder`."""
    (folder / "run.json").write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def record_failure(
    target: Path,
    identity: Identity,
    environment: dict[str, Any],
    reason: str,
    *,
    status: Status = "failed",
    started: str | None = None,
    documents: Mapping[str, Any] = MappingProxyType({}),
) -> Outcome:
    """Write the folder of a run that never began, or was lost with its job: its record and the reason as its log.

    started: as ISO 8601, now if nothing is known; documents: further JSON files of the folder, by name.
    """
    outcome = Outcome(status=status, reason=reason, started=started or datetime.now(UTC).isoformat())
    with write_folder(target) as folder:
        (folder / "log.txt").write_text(reason + "\n", encoding="utf-8")
        for name, document in documents.items():
            dump_json(document, folder / name)
        save(Record(identity=identity, environment=environment, outcome=outcome, metrics=[]), folder)
    return outcome


def remove_leftovers(parent: Path, name: str) -> None:
    """Delete scratch folders that a killed run of folder `name` left in `parent`."""
    for scratch in parent.glob(f".{name}.*"):
        shutil.rmtree(scratch, ignore_errors=True)
