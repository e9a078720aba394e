"""Packs results into an archive, and unpacks one: records of all runs with their tables, deterministic and checked."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from harness.config.archive import PROVENANCE, RECORDS, Provenance, digest_of, read_provenance
from harness.core.errors import KvasirError
from harness.core.files import replacing, write_text
from harness.results.layout import TableSpec, run_files
from harness.results.records import Record

KEPT = ("run.json", "trace.csv", "events.csv", "tasks.csv", "counters.csv", "stages.csv")
"""Files of a run that tables are made from; its log and configuration stay behind."""
OF_MACHINE = ("parameters", "directory.files")
"""Tables that need programs or folders of the machine that ran: they are taken as they are."""
SUMS = "SHA256SUMS"
STAMP = ".unpacked"
VERDICTS = "claims"


def contents(results: Path, tables: Sequence[TableSpec], cells: Iterable[str]) -> Iterator[Path]:
    """Yields the files of an archive, sorted within each kind. `cells`: folders of the cells of these tables.

    Raises KvasirError when a run has no record yet.
    """
    wanted = {
        Path(runs.folder) / str(rep) / "run.json"
        for table in tables
        for runs in table.runs.values()
        for rep in range(1, runs.repetitions + 1)
    }
    records = run_files(tables)
    if absent := sorted(wanted - set(records)):
        raise KvasirError(
            f"{absent[0]}: no such record, and {len(absent) - 1} more: `make reproduce` makes them"
        )
    for record in records:
        yield from (record.with_name(name) for name in KEPT if record.with_name(name).is_file())
    declared = {file for table in tables for runs in table.runs.values() for file in runs.declared}
    yield from (Path(file) for file in sorted(declared))
    for cell in sorted(cells):
        names = ("cell.json", "studies.json", "events.log")
        yield from (path for name in names if (path := Path(cell, name)).is_file())
    for kind in ("runs", "batches", "cells"):
        yield from sorted((results / "benchmarks" / kind).rglob("*.tsv"))
    for study in sorted({table.study for table in tables}):
        folder = results / "tables" / study
        yield from (path for name in OF_MACHINE if (path := folder / f"{name}.csv").is_file())


def machine_of(environment: dict[str, Any]) -> str:
    """Returns the machine of a run in one line: processor, cores, memory, system."""
    memory = float(environment.get("memory_bytes") or 0) / 1e9
    known = (environment.get("cpu"), environment.get("os"), environment.get("kernel"))
    cores = environment.get("cores", "?")
    return ", ".join([f"{known[0]}, {cores} cores", f"{memory:.0f} GB", *map(str, filter(None, known[1:]))])


def history(records: Iterable[Record]) -> dict[str, Any]:
    """Returns what provenance says of the runs: commits, machines, outcomes, and when they were made."""
    made = sorted(records, key=lambda record: record.outcome.started)
    states = [record.environment.get("git") or {} for record in made]
    return {
        "commit": " ".join(dict.fromkeys(str(git["commit"]) for git in states if git.get("commit"))),
        "dirty": any(git.get("dirty") for git in states),
        "began": made[0].outcome.started if made else "",
        "ended": made[-1].outcome.started if made else "",
        "runs": dict(Counter(record.outcome.status for record in made)),
        "machines": list(dict.fromkeys(machine_of(record.environment) for record in made)),
    }


def pack(files: Iterable[Path], results: Path, target: Path, origin: dict[str, Any]) -> Provenance:
    """Write an archive as folder `target`: packed records, verdicts, provenance and checksums.

    It takes the place of an older one as a whole. The same files give the same bytes. `origin` is the provenance but
    for the checksum. Raises KvasirError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        scratch.chmod(0o755)
        provenance = _pack(files, results, scratch, origin)
        shutil.rmtree(target, ignore_errors=True)
        scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return provenance


def _pack(files: Iterable[Path], results: Path, target: Path, origin: dict[str, Any]) -> Provenance:
    """Write the files of an archive into an empty folder."""
    verdicts = sorted((results / VERDICTS).glob("*.csv"))
    with (
        replacing(target / RECORDS) as scratch,
        lzma.open(scratch, "wb", preset=9) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in dict.fromkeys(files):
            entry = tarfile.TarInfo(path.relative_to(results).as_posix())
            entry.size, entry.mode = path.stat().st_size, 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)
    (target / VERDICTS).mkdir()
    for path in verdicts:
        if path.stem in origin["studies"]:
            shutil.copyfile(path, target / VERDICTS / path.name)
    provenance = Provenance.model_validate({**origin, "sha256": digest_of(target / RECORDS)})
    write_text(provenance.model_dump_json(indent=1) + "\n", target / PROVENANCE)
    listed = [path for path in sorted(target.rglob("*")) if path.is_file() and path.name != SUMS]
    lines = [f"{digest_of(path)}  {path.relative_to(target).as_posix()}\n" for path in listed]
    write_text("".join(lines), target / SUMS)
    return provenance


def check_sums(folder: Path) -> None:
    """Check the files of an archive against its checksums. Raises KvasirError for one that is missing or differs."""
    path = folder / SUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    for line in lines:
        digest, _, name = line.partition("  ")
        if digest_of(folder / name) != digest:
            raise KvasirError(f"{folder / name}: not the file that {SUMS} names: fetch it again")


def members(tar: tarfile.TarFile, name: str) -> Iterator[tarfile.TarInfo]:
    """Yields the members of an archive. Raises KvasirError for one that is no file inside of it."""
    for member in tar:
        parts = PurePosixPath(member.name).parts
        if not member.isfile() or member.name.startswith("/") or ".." in parts:
            raise KvasirError(f"{name}: {member.name}: expected files of results, found something else")
        yield member


def packed(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields name and content of each file of packed records. Raises KvasirError when they are broken."""
    try:
        with tarfile.open(path, "r:xz") as tar:
            for member in members(tar, str(path)):
                content = tar.extractfile(member)
                yield member.name, content.read() if content else b""
    except (OSError, tarfile.TarError, lzma.LZMAError) as error:
        raise KvasirError(f"{path}: cannot be read: {error}") from None


def unpack(archives: Path, scale: str, results: Path) -> None:
    """Unpack the records of a scale into folder `results`, unless they are there; what it held before goes.

    Raises KvasirError, leaving `results` as it was, when the archive is not the one that its provenance names.
    """
    origin = read_provenance(archives, scale)
    stamp = results / STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == origin.sha256:
        return
    packed = archives / scale / RECORDS
    if (found := digest_of(packed)) != origin.sha256:
        raise KvasirError(
            f"{packed}: SHA-256 {found[:12]}..., {PROVENANCE} says {origin.sha256[:12]}...: fetch it again"
        )
    results.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{results.name}.", dir=results.parent))
    try:
        with tarfile.open(packed, "r:xz") as tar:
            for member in members(tar, str(packed)):
                tar.extract(member, scratch, set_attrs=False)
        (scratch / STAMP).write_text(origin.sha256 + "\n", encoding="utf-8")
        shutil.rmtree(results, ignore_errors=True)
        scratch.rename(results)
        results.chmod(0o755)
    except (OSError, tarfile.TarError, lzma.LZMAError) as error:
        raise KvasirError(f"{packed}: cannot be unpacked into {results}: {error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
