"""Each verdict, and what it says: by a claim of a few lines over a table of a few rows."""

from __future__ import annotations

from math import comb
from pathlib import Path
from statistics import median
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import RATIO, run, timed, verdict, write_claims, write_table

from harness.claims.check import check_claims
from harness.claims.criterion import finding, interval, outcome_of
from harness.claims.model import VERDICTS, Criterion, Verdict
from harness.claims.observe import Sample
from harness.claims.verdicts import headline

ENERGY = RATIO.format("energy_pkg")


def test_the_words_are_those_of_the_report() -> None:
    assert set(get_args(Verdict)) == set(VERDICTS)


def test_reproduced_shows_median_interval_count_and_source(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.4, 0.3, 0.45))
    assert (row.verdict, row.value, row.low, row.high, row.n) == ("reproduced", 0.4, 0.3, 0.45, 3)
    assert row.source == "measured:clock"
    assert "median 0.4, accepted: <= 0.5 (3 of 3 values)" in row.reason


def test_direction_when_the_paper_s_number_is_missed(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.7, 0.8, 0.75))
    assert row.verdict == "direction"
    assert (
        "median 0.75, accepted: <= 0.5 (0 of 3 values); direction: median 0.75, accepted: < 1" in row.reason
    )


def test_contradicted_when_the_direction_is_missed_as_well(tmp_path: Path) -> None:
    row = verdict(
        tmp_path,
        timed(1.2, 1.3, 1.25),
        explain={"contradicted": "Why.", "direction": "Not this."},
        note="Note.",
    )
    assert (row.verdict, row.explanation) == ("contradicted", "Note. Why.")


def test_a_difference_that_changes_its_sign_is_undecided(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.9, 0.95, 1.01))
    assert row.verdict == "undecided"
    assert "the median's interval, 0.9 to 1.01, includes both sides" in row.reason
    assert verdict(tmp_path, timed(*[0.9] * 9, 1.01)).verdict == "direction", "one of ten is chance"
    assert verdict(tmp_path, timed(0.4, 0.45, 0.55), direction=[]).verdict == "undecided"


def test_too_few_repetitions_of_a_measured_effect_are_undecided(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.4, 0.4))
    assert row.verdict == "undecided" and "2 of at least 3 repetitions" in row.reason
    assert verdict(tmp_path, timed(0.4, 0.4), least=2).verdict == "reproduced"
    assert verdict(tmp_path, timed(0.4), kind="capability").verdict == "reproduced"
    assert verdict(tmp_path, timed(0.4, source="simulated:netsim")).verdict == "reproduced"


def test_repetitions_that_failed_of_one_side_decide_nothing(tmp_path: Path) -> None:
    rows = [*run("a", 1, runtime=(10.0, "measured:clock")), *run("b", 1, runtime=(4.0, "measured:clock"))]
    for rep in (2, 3):
        rows += run("a", rep, runtime=(10.0, "measured:clock")) + run("b", rep, status="failed", reason="no")
    row = verdict(tmp_path, rows)
    assert row.verdict == "undecided" and "1 of at least 3 repetitions" in row.reason


def test_too_few_repetitions_of_an_answer_are_undecided_as_well(tmp_path: Path) -> None:
    faster: dict[str, Any] = {
        "check": RATIO.format("runtime").replace("AS value", "< 1 AS value"),
        "literal": {"op": "is true", "tolerance": "none"},
        "direction": [],
    }
    row = verdict(tmp_path, timed(0.4, 0.4), **faster)
    assert row.verdict == "undecided"
    assert row.reason == "true in 2 of 2 cases; 2 of at least 3 repetitions"
    assert verdict(tmp_path, timed(2.0), **faster).verdict == "undecided"
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4), **faster).verdict == "reproduced"
    assert verdict(tmp_path, timed(0.4, 0.4, 2.0), **faster).verdict == "contradicted"


def test_every_scenario_must_hold_by_its_own_median(tmp_path: Path) -> None:
    check = RATIO.format("runtime").replace("AS value", "AS value, IF(rep > 9, 'late', 'early') AS label")
    many = [0.4] * 9
    assert verdict(tmp_path, timed(*many, 0.4, 0.4, 0.4), check=check).verdict == "reproduced"
    row = verdict(tmp_path, timed(*many, 0.7, 0.7, 0.7), check=check)
    assert row.verdict == "direction" and "(in 1 of 2 scenarios)" in row.reason
    assert verdict(tmp_path, timed(*many, 1.2, 1.2, 1.2), check=check).verdict == "contradicted"
    assert verdict(tmp_path, timed(*many, 0.9, 1.0, 1.2), check=check).verdict == "undecided"


def test_an_effect_by_construction_is_no_verdict(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.4, 0.4, 0.4), construction="an emulator sets both rates", needs=["big"])
    assert (row.verdict, row.n) == ("not testable here", 3)
    assert (
        row.reason == "a literal check needs big; here it holds by construction: an emulator sets both rates"
    )
    literal = {"construction": "an emulator sets both rates", "needs": ["big"]}
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4), ["big"], **literal).verdict == "reproduced"


def test_what_a_reproduction_rests_on_is_counted_apart(tmp_path: Path) -> None:
    rows = [
        verdict(tmp_path / "a", timed(0.4, 0.4, 0.4)),
        verdict(tmp_path / "b", timed(0.4, source="simulated:netsim")),
        verdict(tmp_path / "c", [], check="SELECT 0.2 AS value"),
        verdict(tmp_path / "d", timed(0.4, 0.4, 0.4), about="implementation"),
    ]
    assert [row.basis for row in rows] == ["measured", "simulated", "arithmetic", "implementation"]
    told = "2 reproduced by runs (1 measured, 1 simulated); apart from these 1 as arithmetic of the paper"
    assert headline(rows) == f"{told} and 1 as property of this implementation"


@given(values=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40))
def test_an_interval_holds_the_median_and_lies_within_the_values(values: list[float]) -> None:
    low, high = interval(values)
    assert min(values) <= low <= median(values) <= high <= max(values)
    assert (low, high) == (min(values), max(values)) or len(values) > 8


@pytest.mark.parametrize("n", range(6, 41))
def test_an_interval_is_the_narrowest_that_covers_the_median_with_95_percent(n: int) -> None:
    low, high = interval([float(place) for place in range(n)])
    assert low + high == n - 1

    def covered(cut: int) -> float:
        """By the binomial distribution: fewer than `cut` + 1 of n values below the median, or above it."""
        return 1 - 2 * sum(comb(n, k) for k in range(cut + 1)) / 2**n

    assert covered(int(low)) >= 0.95 > covered(int(low) + 1)


def test_without_direction_a_missed_number_is_contradicted(tmp_path: Path) -> None:
    assert verdict(tmp_path, timed(0.7, 0.7, 0.7), direction=[]).verdict == "contradicted"


def test_a_literal_check_that_lacks_something_gives_a_direction_at_most(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.4, 0.4, 0.4), needs=["big"], scaled="Smaller here.")
    assert row.verdict == "direction"
    assert row.reason.startswith("a literal check needs big; direction: median 0.4")
    assert row.explanation == "Smaller here."
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4), ["big"], needs=["big"]).verdict == "reproduced"
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4), needs=["big"], direction=[]).verdict == "not testable here"


def test_the_tables_themselves_can_prove_what_a_literal_check_needs(tmp_path: Path) -> None:
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4, first=1000.0), needs=["long"]).verdict == "reproduced"
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4, first=10.0), needs=["long"]).verdict == "direction"


def test_a_metric_that_could_not_be_measured_gives_its_reason(tmp_path: Path) -> None:
    rows = run("a", 1, energy_pkg=(None, "no meter")) + run("b", 1, energy_pkg=(None, "no meter"))
    row = verdict(tmp_path, rows, check=ENERGY)
    assert (row.verdict, row.reason, row.value, row.n) == ("not testable here", "no meter", None, 0)
    assert row.source == "none"


def test_a_metric_that_no_run_has_is_named(tmp_path: Path) -> None:
    row = verdict(tmp_path, timed(0.4), check=ENERGY)
    assert (row.verdict, row.reason) == ("not testable here", "no run has metric energy.pkg")


def test_a_level_that_cannot_be_run_gives_its_reason(tmp_path: Path) -> None:
    check = "SELECT max(runtime) AS value FROM s_e_runs WHERE cap_w = 120"
    rows = timed(0.4) + run("a", 1, 120, "not-run", "no 120 W cap: not allowed")
    row = verdict(tmp_path, rows, check=check)
    assert (row.verdict, row.reason) == ("not testable here", "no 120 W cap: not allowed")


def test_a_level_that_cannot_be_run_is_no_reason_where_the_check_does_not_name_it(tmp_path: Path) -> None:
    check = "SELECT max(runtime) AS value FROM s_e_runs WHERE app = 'c'"
    rows = timed(0.4) + run("a", 1, 120, "not-run", "no 120 W cap: not allowed")
    assert "no run has what the check selects" in verdict(tmp_path, rows, check=check).reason
    assert verdict(tmp_path, rows, check=check, absent="c is not here").reason == "c is not here"


def test_failed_runs_are_not_run_and_say_why(tmp_path: Path) -> None:
    rows = run("a", 1, runtime=(1.0, "measured:clock")) + run("b", 1, 215, "failed", "exit code 9: no memory")
    row = verdict(tmp_path, rows)
    assert row.verdict == "not run"
    assert "exit code 9: no memory" in row.reason


def test_nothing_run_at_all(tmp_path: Path) -> None:
    assert verdict(tmp_path, []).verdict == "not run"
    row = verdict(tmp_path, run("a", 1, 120, "not-run", "no 120 W cap: not allowed"))
    assert (row.verdict, row.n) == ("not run", 0)
    assert "no 120 W cap: not allowed" in row.reason


def test_only_emulated_numbers_are_shown_and_are_no_evidence(tmp_path: Path) -> None:
    source = "emulated:box"
    rows = run("a", 1, energy_pkg=(10.0, source)) + run("b", 1, energy_pkg=(4.0, source))
    row = verdict(tmp_path, rows, check=ENERGY)
    assert (row.verdict, row.value, row.source) == ("not testable here", 0.4, source)
    assert "only emulated numbers (emulated:box)" in row.reason


def test_a_proxy_is_named_when_it_decides(tmp_path: Path) -> None:
    proxy = {
        "op": "<",
        "value": 1,
        "check": RATIO.format("cpu_mean"),
        "proxy": "CPU use for energy",
        "unit": "cores",
    }
    cells = {"energy_pkg": (None, "no meter")}
    rows = []
    for rep in (1, 2, 3):
        rows += run("a", rep, **cells, cpu_mean=(2.0, "measured:procfs"))
        rows += run("b", rep, **cells, cpu_mean=(1.0, "measured:procfs"))
    row = verdict(tmp_path, rows, check=ENERGY, direction=[{"op": "<", "value": 1}, proxy])
    assert (row.verdict, row.source, row.unit) == ("direction", "measured:procfs", "cores")
    assert row.reason.startswith("no meter; by a proxy, CPU use for energy: median 0.5")


def test_paper_inconsistent_computes_and_shows_and_tells_the_verdict_of_the_claim_alone(
    tmp_path: Path,
) -> None:
    against = {"text": "The sum is wrong", "check": "SELECT 2 + 2 AS value, '2 + 2' AS label"}
    row = verdict(
        tmp_path, timed(0.4, 0.4, 0.4), inconsistent={**against, "expected": {"op": "=", "value": 5}}
    )
    assert (row.verdict, row.value) == ("paper inconsistent", 0.4)
    assert "The sum is wrong: computed 4 (2 + 2); expected = 5" in row.reason
    assert "the claim alone would read reproduced" in row.reason
    consistent = {**against, "expected": {"op": "=", "value": 4}}
    assert verdict(tmp_path, timed(0.4, 0.4, 0.4), inconsistent=consistent).verdict == "reproduced"


def test_an_analytic_claim_needs_no_tables(tmp_path: Path) -> None:
    row = verdict(tmp_path, [], check="SELECT 2 * 0.2 AS value")
    assert (row.verdict, row.source) == ("reproduced", "analytic")


def test_a_new_claim_over_tables_that_are_there_needs_no_code(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    new: dict[str, Any] = {
        "id": "NEW-7", "tier": 3, "where": "a talk", "statement": "Runs of a take ten seconds.", "kind": "number",
        "paper": {"text": "10 s"}, "unit": "s",
        "check": "SELECT runtime AS value, app AS label FROM s_e_runs WHERE app = 'a'",
        "literal": {"op": "between", "low": 9, "high": 11, "tolerance": "1 s"},
    }  # fmt: skip
    row = check_claims(write_claims(tmp_path / "new.yaml", new, study="new"), tables, []).rows[0]
    assert (row.id, row.study, row.verdict, row.value, row.n) == ("NEW-7", "new", "reproduced", 10.0, 3)


def test_a_check_may_read_the_raw_table_and_name_its_source(tmp_path: Path) -> None:
    check = "SELECT value, source || ' by hand' AS source FROM s_e WHERE metric = 'runtime' AND app = 'b'"
    row = verdict(tmp_path, timed(0.04, 0.04, 0.04), check=check)
    assert (row.verdict, row.source) == ("reproduced", "measured:clock by hand")


@pytest.mark.parametrize(
    ("op", "bounds", "values", "expected"),
    [
        ("between", {"low": 1, "high": 2}, [1.1, 1.5, 1.9], "holds"),
        ("between", {"low": 1, "high": 2}, [0.0, 1.5, 1.6], "undecided"),
        ("between", {"low": 1, "high": 2}, [0.0, 2.5, 9.0], "undecided"),
        ("between", {"low": 1, "high": 2}, [2.5, 2.6, 9.0], "fails"),
        ("between", {"low": 0.1, "high": 0.3}, [0.1 + 0.2], "holds"),
        ("=", {"value": 3}, [3.0], "holds"),
        ("=", {"value": 3}, [3.01], "fails"),
        ("=", {"value": 3}, [2.0, 4.0], "undecided"),
        ("is true", {}, [1.0, 1.0, 0.0], "fails"),
        ("is true", {}, [1.0], "holds"),
        (">", {"value": 1}, [1.0, 1.0], "fails"),
        (">=", {"value": 1}, [1.0, 1.0], "holds"),
        ("<", {"value": 1}, [0.5, 0.5, 0.5, 7.0], "undecided"),
        ("<", {"value": 1}, [*[0.5] * 9, 7.0], "holds"),
        ("<", {"value": 1, "spread": 0.01}, [0.995, 0.98], "undecided"),
        ("<", {"value": 1, "spread": 0.01}, [1.005], "undecided"),
        ("<", {"value": 1, "spread": 0.01}, [1.02], "fails"),
        ("<", {"value": 1, "spread": 0.01}, [0.98], "holds"),
        ("<", {"value": 1, "spread": 0.01}, [0.995, 0.996, 0.997], "holds"),
        ("between", {"low": 1, "high": 2, "spread": 0.01}, [1.005], "undecided"),
    ],
)
def test_criteria(op: str, bounds: dict[str, float], values: list[float], expected: str) -> None:
    criterion = Criterion.model_validate({"op": op, **bounds})
    assert outcome_of(values, criterion) == expected
    told = finding([Sample(value) for value in values], criterion)
    assert str(len(values)) in told or len(values) == 1
    assert ("both sides" in told) == (expected == "undecided")
