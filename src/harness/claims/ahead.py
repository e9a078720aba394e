"""Checks claim files before anything has run: over empty tables that have the columns which the plan will give them.

A misspelt key, metric, column or table is then found in seconds, and not after the runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from harness.claims.check import CheckError, bound, tables_used
from harness.claims.choices import name_of
from harness.claims.database import Table, build_empty, by_name, table_of
from harness.claims.files import all_checks, read_claims
from harness.config.cells_study import CellsStudy
from harness.core.errors import KvasirError
from harness.plan.planner import Planner
from harness.plan.spec import Plan
from harness.results.layout import outputs_table_of
from harness.results.tables import LISTED, columns_of


def _levels(plan: Plan) -> dict[str, set[object]]:
    """Returns all levels of each factor of a study."""
    found: dict[str, set[object]] = defaultdict(set)
    of_runs = [run.identity.factors for run in plan.runs]
    of_cells = [run.identity.factors for cell in plan.cells.values() for run in cell.runs]
    absent = [point.factors for table in plan.tables.values() for point in table.not_run]
    for factors in (*of_runs, *of_cells, *absent):
        for name, level in factors.items():
            found[name].add(level)
    return found


def planned_tables(planner: Planner, study: str) -> dict[Table, dict[str, Collection[object]]]:
    """Returns the tables that a study will have: their columns in order, with the known cells of each."""
    plan = planner.plan(study)
    levels = _levels(plan)
    tables: dict[Table, dict[str, Collection[object]]] = {}
    for name, spec in plan.tables.items():
        for kind in planner.config.studies[study].endings(name):
            table = table_of(Path(planner.config.results, "tables", study, f"{name}{kind}.csv"))
            tables[table] = {column: levels.get(column, ()) for column in columns_of(spec, kind)}
    model = planner.config.studies[study]
    if isinstance(model, CellsStudy) and model.lists_outputs:
        listed = table_of(Path(outputs_table_of(planner.config, study)))
        tables[listed] = {column: [0] if column in ("rep", "bytes") else () for column in LISTED}
    return tables


def mistakes(
    path: Path, tables: Mapping[Table, Mapping[str, Collection[object]]], key_claim: str = ""
) -> Iterator[str]:
    """Yields the mistakes of a claim file, one line each: `file: claim: why`. `key_claim`: one that its study names."""
    try:
        file = read_claims(path)
    except KvasirError as error:
        yield str(error)
        return
    if key_claim and key_claim not in {claim.id for claim in file.claims}:
        yield f"{path}: no claim {key_claim}, which key_claim of study {file.study} names"
    known = by_name(tables)
    for experiment in [
        name for pair in (file.choices.tables.items() if file.choices else ()) for name in pair
    ]:
        if name_of(file.study, experiment) not in known:
            yield f"{path}: choices: no experiment {experiment} in study {file.study}"
    checks = list(all_checks(file))
    used = {table: tables[table] for table in tables_used(checks, known)}
    database = build_empty(used, file.metrics)
    for check in checks:
        try:
            bound(database, known, check)
        except CheckError as error:
            yield f"{path}: {error}"


def refuse_wrong_claims(planner: Planner, folder: Path = Path("config/claims")) -> None:
    """Check the claim files of all chosen studies. Raises KvasirError with one line for each mistake."""
    found = [
        mistake
        for study in planner.config.studies
        for mistake in mistakes(
            folder / f"{study}.yaml",
            planned_tables(planner, study),
            planner.config.studies[study].key_claim,
        )
    ]
    if found:
        raise KvasirError("\n".join(found))
