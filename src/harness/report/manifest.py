"""What the report is made from: one JSON file, written by the workflow, read by `scripts/report.py`.

A path that is null says "this does not exist yet" and becomes a sentence on the page. A path that is given must hold
what it promises: a table that is missing or cut off ends the command with an error. Paths are relative to the working
directory (the project's root) or absolute; links on the page are made relative to the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints, ValidationError, model_validator

from harness.core.errors import KvasirError
from harness.core.models import Strict

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""A word that can be part of a link's target."""


class GitState(Strict):
    """The commit the page was made at, and whether tracked files differed from it."""

    commit: str
    dirty: bool


class Figure(Strict):
    """One figure and the words that go beside it."""

    id: Id
    title: str
    stem: Path
    """Path without extension; `.svg` is put into the page, `.pdf` and `.png` are linked where they exist."""
    paper_says: str
    """What the paper says of this figure."""
    how: str
    """How each number in it was obtained."""
    discussion: str = ""
    """Where it differs from the paper and why; '' where nothing is said."""
    command: str
    """The command that draws it again, with all it needs."""


class Study(Strict):
    """One study; a study with neither claims nor runs nor figures is left out of the page."""

    id: Id
    title: str
    paper: str
    """The paper's full reference."""
    claims_csv: Path | None = None
    """Verdicts, one row a claim; columns: see `harness.report.inputs.CLAIM_COLUMNS`."""
    runs_csv: Path | None = None
    """One row a run or a level not run; columns: see `harness.report.inputs.RUN_COLUMNS`."""
    figures: list[Figure] = Field(default_factory=list)


class Command(Strict):
    """A command of the workflow worth telling the reader."""

    what: str
    command: str


class ReportManifest(Strict):
    """All the page is made from."""

    format: Literal[1] = 1
    scale: str
    site: str
    title: str
    generated: AwareDatetime
    """When the page was made; shown in UTC. The only thing on the page that is not in its inputs."""
    git: GitState | None = None
    """None outside a git checkout."""
    studies: list[Study]
    environment_json: Path | None = None
    """Environments of the runs: `[{"runs": 12, "values": {"cpu": "...", ...}}, ...]`, one entry per environment."""
    benchmarks_dir: Path | None = None
    """Folder of the TSV files that Snakemake's `benchmark:` writes."""
    shared_benchmarks: dict[str, Path] = Field(default_factory=dict)
    """The same of jobs whose results several scales share (programs, texts): folders by the name to show."""
    choice_csv: Path | None = None
    """Metrics of runs on clusters, to choose a framework by; columns: `harness.report.inputs.CHOICE_COLUMNS`."""
    commands: list[Command] = Field(default_factory=list)
    """Commands besides those of the figures: the whole page, one study, the tests."""

    @model_validator(mode="after")
    def _ids_are_unique(self) -> ReportManifest:
        for kind, ids in [
            ("study", [study.id for study in self.studies]),
            *(
                (f"study {study.id}: figure", [figure.id for figure in study.figures])
                for study in self.studies
            ),
        ]:
            double = {name for name in ids if ids.count(name) > 1}
            if double:
                raise ValueError(f"{kind} {sorted(double)[0]} is given twice")
        return self


def read_manifest(path: Path) -> ReportManifest:
    """The manifest in file `path`. Raises KvasirError that names the file, the key and what was expected."""
    try:
        return ReportManifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise KvasirError(f"{path}: the report's manifest cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise KvasirError(f"{path}: not a report manifest: {where}: {first['msg']}") from None
