"""`reference/<scale>/provenance.json`: where the records of an archive come from, and what its plan depended on."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import Field, ValidationError

from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.core.models import Strict

PROVENANCE = "provenance.json"
RECORDS = "records.tar.xz"
"""Records of all runs with their tables, packed; both lie in the folder of an archive."""


class Refused(Strict):
    """Why the site refused what some points need; an empty text where it did not."""

    caps: str = ""
    cachegrind: str = ""
    hosts: str = ""
    disks: dict[str, str] = Field(default_factory=dict)
    memory: int | None = Field(default=None, description="bytes that all emulated hosts share")


class Provenance(Strict):
    """Origin of an archive of results."""

    scale: str
    seed: int
    studies: list[str]
    experiments: dict[str, list[str]] = Field(
        default_factory=dict,
        description="by study: those that were planned; of a study without an entry, all that are configured",
    )
    site_name: str
    site: Site
    refused: Refused
    commit: str = Field(description="of the runs; several where they differ, separated by blanks")
    dirty: bool = Field(description="whether tracked files differed from the commit")
    began: str = Field(description="start of the first run, ISO 8601")
    ended: str = Field(description="start of the last run, ISO 8601")
    runs: dict[str, int] = Field(description="by outcome")
    seconds: dict[str, float] = Field(
        default_factory=dict,
        description="by study: wall time of its jobs; clusters that studies share count for each",
    )
    machines: list[str] = Field(description="processor, cores, memory and system of each")
    sha256: str = Field(description=f"of {RECORDS}")


def digest_of(path: Path) -> str:
    """Returns the SHA-256 of a file. Raises KvasirError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None


def read_provenance(archives: Path, scale: str) -> Provenance:
    """Returns the origin of the archive of a scale. Raises KvasirError when there is none, or it is wrong."""
    path = archives / scale / PROVENANCE
    if not path.is_file():
        there = sorted(found.parent.name for found in archives.glob(f"*/{PROVENANCE}"))
        raise KvasirError(
            f"{archives}: expected an archive of scale {scale}, found {', '.join(there) or 'none of any scale'}"
        )
    try:
        return Provenance.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise KvasirError(f"{path}: not the provenance of an archive: {why}") from None
