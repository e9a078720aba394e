"""Claims that need a framework's own runs: judged over these where they are, over the engine's and weaker elsewhere."""

from pathlib import Path

import pytest
import yaml

from harness.claims.check import check_claims
from harness.claims.verdicts import Row

HEAD = "study,experiment,point,rep,app,order,status,reason,metric,value,unit,source"
CLAIM = {
    "id": "MIMIR-99",
    "tier": 1,
    "where": "Sec. 3",
    "statement": "It takes a second.",
    "kind": "number",
    "paper": {"text": "1 s"},
    "needs": ["mimir"],
    "unit": "s",
    "check": "SELECT runtime AS value FROM mimir_combiner_runs",
    "literal": {"op": "between", "low": 0.9, "high": 1.1, "tolerance": "a tenth"},
    "direction": {"op": "<", "value": 10},
}


def table(folder: Path, experiment: str, seconds: float, status: str = "ok") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        f"mimir,{experiment},a,{rep},a,{rep},{status},{'' if status == 'ok' else 'it broke'},"
        + (f"runtime,{seconds},s,measured:clock" if status == "ok" else ",,,")
        for rep in (1, 2, 3)
    ]
    (folder / f"{experiment}.csv").write_text("\n".join([HEAD, *rows, ""]))


def row(folder: Path, **changes: object) -> Row:
    file = folder / "mimir.yaml"
    tags = {"mimir": {"meaning": "Mimir"}, "quick": {"meaning": "q", "check": QUICK}}
    content = {"study": "mimir", "metrics": {"runtime": "seconds"}, "tags": tags}
    file.write_text(yaml.safe_dump({**content, "claims": [{**CLAIM, **changes}]}))
    (found,) = check_claims(file, folder / "tables", []).rows
    return found


QUICK = "SELECT bool_and(runtime < 2) AS value FROM mimir_combiner_runs"


def test_on_the_engine_alone_it_is_at_most_a_direction(tmp_path: Path) -> None:
    table(tmp_path / "tables/mimir", "combiner", 1.0)
    found = row(tmp_path)
    assert found.verdict == "direction" and "a literal check needs mimir" in found.reason


def test_with_runs_of_the_framework_these_are_judged_and_the_reason_says_so(tmp_path: Path) -> None:
    table(tmp_path / "tables/mimir", "combiner", 5.0)
    table(tmp_path / "tables/mimir", "combiner_on_mimir", 1.0)
    found = row(tmp_path, about="implementation")
    assert (found.verdict, found.value, found.basis) == ("reproduced", 1.0, "measured")
    assert found.reason.startswith("on mimir: ")


def test_a_claim_that_needs_no_framework_stays_with_the_engine(tmp_path: Path) -> None:
    table(tmp_path / "tables/mimir", "combiner", 1.0)
    table(tmp_path / "tables/mimir", "combiner_on_mimir", 7.0)
    assert row(tmp_path, needs=[]).value == 1.0


def test_a_table_that_was_not_made_on_the_framework_leaves_all_to_the_engine(tmp_path: Path) -> None:
    table(tmp_path / "tables/mimir", "combiner", 1.0)
    table(tmp_path / "tables/mimir", "stages", 1.0)
    table(tmp_path / "tables/mimir", "combiner_on_mimir", 7.0)
    both = "SELECT a.runtime AS value FROM mimir_combiner_runs AS a JOIN mimir_stages_runs AS b USING (rep)"
    found = row(tmp_path, check=both)
    assert (found.verdict, found.value) == ("direction", 1.0)


def test_failed_runs_of_the_framework_are_not_hidden_behind_the_engine(tmp_path: Path) -> None:
    table(tmp_path / "tables/mimir", "combiner", 1.0)
    table(tmp_path / "tables/mimir", "combiner_on_mimir", 1.0, status="failed")
    found = row(tmp_path)
    assert found.verdict == "not run" and "it broke" in found.reason


@pytest.mark.parametrize(("seconds", "verdict"), [(1.0, "reproduced"), (5.0, "direction")])
def test_other_tags_are_proven_by_the_frameworks_tables(tmp_path: Path, seconds: float, verdict: str) -> None:
    table(tmp_path / "tables/mimir", "combiner", 6.0 - seconds)
    table(tmp_path / "tables/mimir", "combiner_on_mimir", seconds)
    literal = {"op": ">", "value": 0, "tolerance": "none"}
    assert row(tmp_path, needs=["mimir", "quick"], literal=literal).verdict == verdict
