"""Reads claim files: strictly before the first run, claim by claim when the verdicts are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.claims.model import Claim, ClaimFile
from harness.config.load import parse, read_yaml
from harness.core.errors import KvasirError


@dataclass(frozen=True)
class Check:
    """One SQL text of a claim file and where it stands: `claim MIMIR-01: direction 1`."""

    where: str
    text: str


@dataclass(frozen=True)
class Broken:
    """An invalid entry of a claim file: its name, the fields that can be read, and the mistake."""

    id: str
    entry: dict[str, Any]
    mistake: str


@dataclass(frozen=True)
class Entries:
    """A claim file by its entries, in the file's order. `file` holds the good ones; None: there are none."""

    study: str
    entries: list[Claim | Broken]
    file: ClaimFile | None


def read_claims(path: Path) -> ClaimFile:
    """Returns the claim file at `path`. Raises KvasirError naming file, key, what was found and what is allowed."""
    return parse(ClaimFile, read_yaml(path), str(path))


def read_entries(path: Path) -> Entries:
    """Returns the claims of a file, with a mistake in the place of each that is wrong.

    A file that holds no list of claims at all is one entry, named like the file. Raises nothing.
    """
    study = path.stem
    try:
        data = read_yaml(path)
    except KvasirError as error:
        return Entries(study, [Broken(study, {}, str(error))], None)
    try:
        whole = parse(ClaimFile, data, str(path))
        return Entries(whole.study, [*whole.claims], whole)
    except KvasirError as error:
        given = data.get("claims") if isinstance(data, dict) else None
        if not isinstance(given, list) or not given:
            return Entries(study, [Broken(study, {}, str(error))], None)
    names = Counter(_name(entry, place, study) for place, entry in enumerate(given, 1))
    entries: dict[str, Claim | Broken] = {}
    for place, entry in enumerate(given, 1):
        name = _name(entry, place, study)
        try:
            if names[name] > 1:
                raise KvasirError(f"{path}: claim {name} is there {names[name]} times")
            entries[name] = parse(ClaimFile, {**data, "claims": [entry]}, str(path)).claims[0]
        except KvasirError as error:
            entries[name] = Broken(name, entry if isinstance(entry, dict) else {}, str(error))
    good = [entry.model_dump() for entry in entries.values() if isinstance(entry, Claim)]
    file = parse(ClaimFile, {**data, "claims": good}, str(path)) if good else None
    return Entries(file.study if file else study, list(entries.values()), file)


def _name(entry: object, place: int, study: str) -> str:
    """Returns the name of an entry: its id, or its place in the file."""
    known = entry.get("id") if isinstance(entry, dict) else None
    return known if isinstance(known, str) and known else f"{study}, entry {place}"


def checks_of(claim: Claim) -> Iterator[Check]:
    """Returns every SQL text of a claim."""
    yield Check(f"claim {claim.id}: check", claim.check)
    for place, direction in enumerate(claim.direction, 1):
        if direction.check:
            yield Check(f"claim {claim.id}: direction {place}", direction.check)
    if claim.inconsistent:
        yield Check(f"claim {claim.id}: inconsistent", claim.inconsistent.check)


def tag_check(file: ClaimFile, name: str) -> Check | None:
    """Returns the SQL text that proves a tag; None where a site has to say that it has it."""
    text = file.tags[name].check
    return Check(f"tag {name}: check", text) if text else None


def all_checks(file: ClaimFile) -> Iterator[Check]:
    """Returns every SQL text of a claim file."""
    for claim in file.claims:
        yield from checks_of(claim)
    for name in file.tags:
        if check := tag_check(file, name):
            yield check
