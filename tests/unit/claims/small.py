"""Small hand-made tables and claim files, for one verdict at a time."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import yaml

from harness.claims.check import check_claims
from harness.claims.verdicts import Row

COLUMNS = ["study", "experiment", "point", "rep", "order", "status", "reason", "app", "cap_w",
           "metric", "value", "unit", "source"]  # fmt: skip
RATIO = (
    "SELECT b.{0} / a.{0} AS value FROM s_e_runs AS a JOIN s_e_runs AS b USING (cap_w, rep) "
    "WHERE a.app = 'a' AND b.app = 'b'"
)

Cell = tuple[float | None, str]
"""A value and its source; with no value the source is the reason."""


def run(
    app: str, rep: int, cap_w: int = 215, status: str = "ok", reason: str = "", **metrics: Cell
) -> list[Any]:
    """Rows of one run; `runtime=(1.5, "measured:clock")`, with _ for the dots of a metric."""
    head = {"study": "s", "experiment": "e", "point": f"{app}_{cap_w}W", "rep": rep, "order": rep,
            "status": status, "reason": reason, "app": app, "cap_w": cap_w}  # fmt: skip
    if status != "ok":
        return [{**head, "source": "none"}]
    rows = []
    for name, (value, source) in metrics.items():
        known = {"source": source} if value is not None else {"source": "none", "reason": source}
        rows.append({**head, "metric": name.replace("_", "."), "value": value, "unit": "1", **known})
    return rows


def write_table(folder: Path, rows: list[dict[str, Any]], name: str = "e") -> Path:
    """Write table `s/<name>.csv` below `folder`; returns `folder`."""
    (folder / "s").mkdir(parents=True, exist_ok=True)
    with (folder / "s" / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def claim(**changes: Any) -> dict[str, Any]:
    """A claim that b's runtime is at most half of a's, in direction that it is less."""
    return {
        "id": "S-1", "tier": 1, "where": "Sec. 1", "statement": "b is faster.", "kind": "ratio",
        "paper": {"text": "half", "value": 0.5}, "unit": "1", "check": RATIO.format("runtime"),
        "literal": {"op": "<=", "value": 0.5, "tolerance": "none"}, "direction": {"op": "<", "value": 1},
        **changes,
    }  # fmt: skip


def write_claims(path: Path, *claims: dict[str, Any], **changes: Any) -> Path:
    """A claim file of study s."""
    head = {"study": "s", "metrics": {"runtime": "seconds", "energy.pkg": "joules", "cpu.mean": "cores"}}
    tags = {"big": {"meaning": "a big machine"}, "long": {"meaning": "long runs", "check": LONG}}
    path.write_text(yaml.safe_dump({**head, "tags": tags, "claims": list(claims), **changes}))
    return path


LONG = "SELECT min(runtime) > 100 AS value FROM s_e_runs"


def verdict(folder: Path, rows: list[dict[str, Any]], have: list[str] | None = None, **changes: Any) -> Row:
    """The verdict on `claim(**changes)` by one table with `rows`."""
    tables = write_table(folder / "tables", rows)
    return check_claims(write_claims(folder / "s.yaml", claim(**changes)), tables, have or []).rows[0]


def timed(*ratios: float, source: str = "measured:clock", first: float = 10.0) -> list[dict[str, Any]]:
    """Runs of a and b, one repetition for each ratio of their runtimes."""
    rows = []
    for rep, ratio in enumerate(ratios, 1):
        rows += run("a", rep, runtime=(first, source)) + run("b", rep, runtime=(first * ratio, source))
    return rows
