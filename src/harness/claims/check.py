"""Checks all claims of a file against the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from harness.claims import query as sql
from harness.claims.choices import database_under, levels, mapped, under_all
from harness.claims.database import Database, Table, build, by_name, discover, table_of
from harness.claims.files import Broken, Check, all_checks, checks_of, read_entries, tag_check
from harness.claims.judge import Judged, Observations, judge
from harness.claims.model import Claim, ClaimFile
from harness.claims.observe import COLUMNS, Observed, bind, link_rates, observe
from harness.claims.verdicts import Row, row_of, row_of_broken


class CheckError(Exception):
    """A check that cannot run: where it stands and why."""


def tables_used(checks: Iterable[Check], known: Mapping[str, Table]) -> list[Table]:
    """Returns tables among the known ones that the checks name, as far as the checks can be read."""
    used: dict[str, Table] = {}
    for check in checks:
        used |= {known[name].name: known[name] for name in sorted(tables_in(check)) if name in known}
    return list(used.values())


def tables_in(check: Check) -> frozenset[str]:
    """Returns the names of the tables that a check reads; none if it cannot be read itself."""
    try:
        return sql.parse(check.text).tables
    except sql.SqlError:
        return frozenset()


def _one_line(error: Exception) -> str:
    """Returns an error of DuckDB in one line; its picture of the SQL with a caret says nothing more on one line."""
    return " ".join(str(error).split("\nLINE ")[0].split())


def _refused(database: Database, query: sql.Query, check: Check, error: duckdb.Error) -> CheckError:
    lists = [f"{name}({', '.join(database.columns[name])})" for name in sorted(query.tables)]
    available = f"; available: {'; '.join(lists)}" if lists else ""
    return CheckError(f"{check.where}: {_one_line(error)}{available}")


def bound(database: Database, known: Collection[str], check: Check) -> sql.Query:
    """Returns the query of a check that can run over the database's tables; `known` are all tables there are.

    Raises CheckError for SQL that is no SELECT, names what is not there, or gives other columns than a check may.
    """
    try:
        query = sql.parse(check.text)
    except sql.SqlError as error:
        raise CheckError(f"{check.where}: {_one_line(error)}") from None
    for name in sorted(query.tables):
        if name not in known:
            raise CheckError(
                f"{check.where}: no table {name}; there are: {', '.join(sorted(known)) or 'none'}"
            )
    try:
        given = bind(database, query)
    except duckdb.Error as error:
        raise _refused(database, query, check, error) from None
    if "value" not in given or set(given) - set(COLUMNS) or len(set(given)) < len(given):
        raise CheckError(
            f"{check.where}: gives columns {', '.join(given)}; expected value and, if wanted, source, label"
        )
    return query


@dataclass(frozen=True)
class Checked:
    """The verdicts on a claim file: rows in the file's order, the values that decided each, and the tags that held."""

    rows: list[Row]
    judged: list[Judged]
    tags: set[str]


@dataclass
class _Tables:
    """The database that the checks of a file query, with the file's tags that hold."""

    file: ClaimFile
    known: Mapping[str, Table]
    database: Database
    have: Collection[str]
    """Tags that the site declares."""
    tags: set[str] = field(default_factory=set)
    wrong_tags: dict[str, str] = field(default_factory=dict)
    """Tags whose own check cannot run, and why."""
    framework: str = ""
    """Framework that made all runs of these tables; empty for the engine."""

    def __post_init__(self) -> None:
        self.tags |= set(self.have)

    def hold(self, *checks: Check) -> bool:
        """Returns whether these are all the tables that checks read; False for checks that read none."""
        named = {name for check in checks for name in tables_in(check)}
        return bool(named) and named <= set(self.known)

    def observed(self, check: Check, absent: str | None, pending: Collection[str]) -> Observed:
        """Runs a check and returns its values. Raises CheckError."""
        query = bound(self.database, self.known, check)
        try:
            return observe(self.database, query, absent, pending)
        except duckdb.Error as error:
            raise _refused(self.database, query, check, error) from None

    def prove_tags(self) -> None:
        """Add the tags whose SQL says that the tables prove them."""
        for name in self.file.tags:
            check = tag_check(self.file, name)
            if check is not None and (not self.framework or self.hold(check)):
                try:
                    seen = self.observed(check, None, {})
                except CheckError as error:
                    self.wrong_tags[name] = str(error)
                    continue
                if seen.evidence and all(seen.values):
                    self.tags.add(name)

    def observations(self, claim: Claim) -> Observations:
        """Runs all checks of a claim. Raises CheckError, also for a wrong check of a tag it needs."""
        for name in claim.needs:
            if name in self.wrong_tags and name not in self.tags:
                raise CheckError(self.wrong_tags[name])
        seen = {
            check.where: self.observed(check, claim.absent, self.file.pending) for check in checks_of(claim)
        }
        return Observations(
            main=seen[f"claim {claim.id}: check"],
            directions=tuple(
                seen.get(f"claim {claim.id}: direction {place}")
                for place in range(1, len(claim.direction) + 1)
            ),
            inconsistent=seen.get(f"claim {claim.id}: inconsistent"),
        )

    def judged(self, claim: Claim) -> Judged:
        """Returns the verdict on a claim; `check failed` where one of its checks cannot run."""
        try:
            found = judge(claim, self.observations(claim), self.tags)
        except CheckError as error:
            return failed(str(error))
        return replace(found, reason=f"on {self.framework}: {found.reason}") if self.framework else found

    def rates(self, claim: Claim) -> set[float]:
        """Returns the rates of emulated links in the runs that a claim's checks read, Mbit/s."""
        named = frozenset(name for check in checks_of(claim) for name in tables_in(check))
        return link_rates(self.database, named)

    def under_choices(self) -> dict[str, _Tables]:
        """Returns the same for the runs under each open choice. Raises KvasirError."""
        choices = self.file.choices
        if choices is None:
            return {}
        used = tables_used(all_checks(self.file), self.known)
        found = {}
        for level in levels(self.file, self.known):
            database = database_under(choices, level, self.file, used, self.known)
            found[level] = _Tables(self.file, self.known, database, self.have)
            found[level].prove_tags()
        return found

    def depends(self, claim: Claim) -> bool:
        """Returns whether a claim about an effect reads a table that open choices change."""
        changed = mapped(self.file)
        used = tables_used(checks_of(claim), self.known)
        return claim.about == "effect" and any(table.name in changed for table in used)


def failed(why: str) -> Judged:
    """Returns the verdict `check failed`, of a check that is itself wrong, with the reason in one line."""
    return Judged("check failed", "; ".join(why.splitlines()), Observed((), "none"), "")


def on_framework(known: Mapping[str, Table], framework: str) -> dict[str, Table]:
    """Returns the tables `<experiment>_on_<framework>`, which hold its runs, by the names of those they stand for."""
    ending = f"_on_{framework.replace('-', '_')}."
    found = {}
    for table in {one.name: one for one in known.values()}.values():
        if ending in table.path.name:
            stands_for = table_of(table.path.with_name(table.path.name.replace(ending, ".", 1)))
            found[stands_for.name] = replace(stands_for, path=table.path)
    return by_name(found.values())


def _over_framework(
    file: ClaimFile, known: Mapping[str, Table], tag: str, have: Collection[str]
) -> _Tables | None:
    """Returns the tables over which claims that need `tag` are judged in place of the engine's; None without any."""
    theirs = on_framework(known, tag)
    if not theirs:
        return None
    checks = [check for claim in file.claims if tag in claim.needs for check in checks_of(claim)]
    proofs = [check for name in file.tags if (check := tag_check(file, name))]
    over = {**known, **theirs}
    return _Tables(
        file, theirs, build(tables_used([*checks, *proofs], over), file.metrics), {*have, tag}, framework=tag
    )


def check_claims(path: Path, tables: Path, have: Collection[str]) -> Checked:
    """Judge every claim of the file `path` by the tables below `tables`; `have` are the tags that the site declares.

    A claim that reads what open choices change is judged under each of them.
    A claim that is wrong, or whose SQL cannot run, gets `check failed` and the reason; the others their verdicts.
    One that needs a tag called like a framework is judged over runs of that framework, where all it reads is there.
    Raises KvasirError, one message, for a table that is not whole.
    """
    found = read_entries(path)
    known = discover(tables)
    over: _Tables | None = None
    beside: dict[str, _Tables] = {}
    if found.file is not None:
        database = build(tables_used(all_checks(found.file), known), found.file.metrics)
        over = _Tables(found.file, known, database, have)
        over.prove_tags()
        for tag in sorted({tag for claim in found.file.claims for tag in claim.needs}):
            if other := _over_framework(found.file, known, tag, have):
                other.prove_tags()
                beside[tag] = other
    others = over.under_choices() if over else {}
    rows, every = [], []
    tags = over.tags if over else set(have)
    for entry in found.entries:
        if isinstance(entry, Broken):
            judged = failed(entry.mistake)
            rows.append(row_of_broken(found.study, entry, judged))
        else:
            assert over is not None, "a file with a good claim has been read"
            fitting = (beside[tag] for tag in entry.needs if tag in beside)
            chosen = next((one for one in fitting if one.hold(*checks_of(entry))), over)
            claim = entry.model_copy(update={"about": "effect"}) if chosen.framework else entry
            judged = chosen.judged(claim)
            if others and chosen is over and over.file.choices and over.depends(entry):
                under = {level: other.judged(entry) for level, other in others.items()}
                judged = under_all(judged, under, over.file.choices.base)
            rows.append(row_of(found.study, claim, judged, chosen.tags, chosen.rates(entry)))
        every.append(judged)
    return Checked(rows, every, tags)
