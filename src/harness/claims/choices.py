"""Judges claims once more under every choice that a paper leaves open, over the runs of each choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.claims.database import Database, Table, build, quoted
from harness.claims.judge import Judged
from harness.claims.model import Choices, ClaimFile
from harness.core.rows import read_rows

HOLDS = ("reproduced", "direction")
"""Verdicts under which a claim holds."""
JUDGED = (*HOLDS, "undecided", "contradicted")
"""Verdicts that rest on values."""


def name_of(study: str, experiment: str) -> str:
    """Returns the name in SQL of an experiment's table of runs."""
    return f"{study}_{experiment}"


def levels(file: ClaimFile, known: Mapping[str, Table]) -> list[str]:
    """Returns the choices that have runs, the base among them, in the order of the tables. Raises KvasirError."""
    choices = file.choices
    if choices is None:
        return []
    found: dict[str, None] = {}
    for experiment in choices.tables.values():
        table = known.get(name_of(file.study, experiment))
        rows = read_rows(table.path, "a table of runs", ()) if table else ()
        found |= {cells.get(choices.factor, ""): None for _, cells in rows if cells.get("status") == "ok"}
    return [level for level in found if level]


def mapped(file: ClaimFile) -> set[str]:
    """Returns the names in SQL of the tables of runs that the open choices change."""
    return {name_of(file.study, experiment) for experiment in (file.choices.tables if file.choices else ())}


def database_under(
    choices: Choices, level: str, file: ClaimFile, used: Sequence[Table], known: Mapping[str, Table]
) -> Database:
    """Returns a database of the used tables with the runs under one choice. Raises KvasirError.

    A table that no choice changes stays as it is; one whose runs under the choices are not there is empty.
    """
    others = {name_of(file.study, own): name_of(file.study, of) for own, of in choices.tables.items()}
    tables = [
        replace(table, path=known[others[table.name]].path) if others.get(table.name) in known else table
        for table in used
    ]
    wanted = f"{quoted(choices.factor)} = '{level.replace(chr(39), chr(39) * 2)}'"
    only = {table.name: wanted for table in used if table.name in others}
    return build(tables, file.metrics, only)


def under_all(own: Judged, under: Mapping[str, Judged], base: str) -> Judged:
    """Returns a verdict that all choices share in: its reason says under how many the claim holds.

    `under` are the verdicts over the runs of each choice, `base` among them; these may be fewer than those of `own`.
    A claim that is contradicted, but not under every choice, is undecided: the paper does not say which of them is its
    own. One that the choices' runs cannot contradict, as those of the base do not, is judged by its own runs alone.
    """
    every = {level: other.verdict for level, other in under.items() if other.verdict in JUDGED}
    if own.verdict not in JUDGED:
        return own
    apart = own.verdict == "contradicted" and every.get(base, own.verdict) in HOLDS
    if len(every) < 2 or apart:
        alone = f"{own.reason}; no runs under the other open choices tell"
        return replace(own, reason=alone) if own.verdict == "contradicted" else own
    holding = [level for level, verdict in every.items() if verdict in HOLDS]
    failing = [level for level in every if level not in holding]
    named = ""
    if holding and failing:
        few, word = (failing, "not under") if len(failing) <= len(holding) else (holding, "under")
        named = f", {word} {', '.join(few)}"
    words = f"by the runs of {len(every)} open choices it holds under {len(holding)}{named}"
    open_under = [level for level in failing if every[level] == "undecided"]
    words += f", undecided under {', '.join(open_under)}" if open_under else ""
    if own.verdict != "contradicted":
        return replace(own, reason=f"{own.reason}; {words}")
    depends = len(holding) + len(open_under) > 0
    return replace(own, verdict="undecided" if depends else own.verdict, reason=f"{own.reason}; {words}")
