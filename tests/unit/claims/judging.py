"""Checks the claims of a study against the tables of made-up worlds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from harness.claims.check import Checked, check_claims
from harness.claims.model import Verdict
from harness.claims.verdicts import Row


class Judge:
    """Verdicts by worlds, each made and checked once. `write` makes a world's tables below a folder."""

    def __init__(self, claims: Path, write: Callable[[Path, Any], Path], folder: Path) -> None:
        self.claims = claims
        self.write = write
        self.folder = folder
        self.checked = cache(self._checked)

    def _checked(self, world: Any, have: tuple[str, ...] = ()) -> Checked:
        place = self.folder / str(len(list(self.folder.iterdir())))
        return check_claims(self.claims, self.write(place, world), have)

    def rows(self, world: Any, have: tuple[str, ...] = ()) -> dict[int, Row]:
        """The rows by their claims' numbers."""
        return {int(row.id.rpartition("-")[2]): row for row in self.checked(world, have).rows}


def with_verdict(rows: dict[int, Row], verdict: Verdict) -> set[int]:
    return {number for number, row in rows.items() if row.verdict == verdict}
