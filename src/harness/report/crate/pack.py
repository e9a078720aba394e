"""Collects what a crate is made of from an archive and the project's history, and packs it into one file."""

from __future__ import annotations

import io
import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from harness.config.archive import RECORDS, Provenance, read_provenance
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.report.citation import Citation
from harness.report.crate.describe import describe, readme
from harness.report.crate.entities import METADATA, README, REQUIREMENTS, TOOLS, WORKFLOW, Contents
from harness.report.experiments import experiments
from harness.results.archive import SUMS, check_sums, packed


def wanted(origin: Provenance) -> list[str]:
    """Returns the files and folders of the workflow that a crate holds."""
    studies = [f"config/studies/{study}.yaml" for study in sorted(origin.studies)]
    pages = sorted({page for _, page in TOOLS.values()})
    return [
        WORKFLOW,
        "rules",
        "config/config.yaml",
        f"config/scales/{origin.scale}.yaml",
        *studies,
        *pages,
        REQUIREMENTS,
        "LICENSE",
    ]


def _git(*arguments: str) -> bytes:
    """Returns what git says; nothing where it fails or is not installed, as with an archive of the sources."""
    try:
        return subprocess.run(["git", *arguments], capture_output=True, check=False).stdout
    except OSError:
        return b""


def at_commit(commit: str, names: list[str]) -> dict[str, bytes]:
    """Returns files of a commit by path; none where the history does not have it, or it is no commit."""
    if not re.fullmatch(r"[0-9a-f]{7,64}", commit):
        return {}
    there = _git("ls-tree", "-r", "--name-only", "-z", commit, "--", *names).decode().split("\0")
    paths = [path for path in there if path]
    if WORKFLOW not in paths:
        return {}
    with tarfile.open(fileobj=io.BytesIO(_git("archive", "--format=tar", commit, "--", *paths))) as tar:
        return {member.name: content.read() for member in tar if (content := tar.extractfile(member))}


def in_checkout(names: list[str]) -> dict[str, bytes]:
    """Returns files of the checkout by path. Raises KvasirError for one that is missing."""
    paths = [path for name in names for path in ([Path(name), *sorted(Path(name).rglob("*"))])]
    try:
        return {path.as_posix(): path.read_bytes() for path in paths if not path.is_dir()}
    except OSError as error:
        raise KvasirError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def collect(archives: Path, scale: str, citation: Citation, agent: Mapping[str, str] | None) -> Contents:
    """Returns what the crate of an archive is made of; the workflow is as it was when the last runs were made.

    Raises KvasirError when the archive is not what it says, or the workflow's files are not there.
    """
    origin, folder = read_provenance(archives, scale), archives / scale
    check_sums(folder)
    listed = [line.partition("  ")[2] for line in (folder / SUMS).read_text(encoding="utf-8").splitlines()]
    if foreign := [name for name in listed if not _inside(name)]:
        raise KvasirError(
            f"{folder / SUMS}: {foreign[0]}: expected files of the archive, found something else"
        )
    commit, names = (origin.commit.split() or [""])[-1], wanted(origin)
    workflow = at_commit(commit, names)
    own = {f"{scale}/{name}": (folder / name).read_bytes() for name in [*listed, SUMS]}
    return Contents(
        origin=origin,
        experiments=experiments(packed(folder / RECORDS)),
        files={**(workflow or in_checkout(names)), **own, README: readme(origin).encode()},
        citation=citation,
        commit=commit if workflow else "",
        agent=agent,
    )


def write(contents: Contents, target: Path) -> None:
    """Write a crate as one file, `target`; the same contents give the same bytes.

    Nothing is compressed, since what takes room is, and versions of a compressor differ in their bytes.
    """
    metadata = json.dumps(describe(contents), indent=1, ensure_ascii=False) + "\n"
    files = {METADATA: metadata.encode(), **{path: contents.files[path] for path in sorted(contents.files)}}
    with replacing(target) as scratch, zipfile.ZipFile(scratch, "w") as packing:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            packing.writestr(entry, content)
