"""Effects of all studies side by side: a claim's number becomes what is left, and a wrong name is an error."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.claims.files import read_claims
from harness.claims.levers import COLUMNS, effects
from harness.claims.model import Claim
from harness.claims.verdicts import Row, read_csv
from harness.config.levers import Effect, Lever, Reading
from harness.config.load import read_levers
from harness.core.errors import KvasirError

PROJECT = Path(__file__).parents[2]
CLAIMS = {
    claim.id: claim
    for path in (PROJECT / "config/claims").glob("*.yaml")
    for claim in read_claims(path).claims
}


def row(claim: str, value: float | None, source: str = "measured:clock") -> Row:
    known = {} if value is None else {"value": value, "low": value * 0.9, "high": value * 1.1, "n": 3}
    empty = {"value": None, "low": None, "high": None, "n": 0}
    return Row.model_validate(
        {
            "id": claim, "study": "mimir", "tier": 1, "where": "", "statement": "", "basis": None, "reason": "r",
            "verdict": "not testable here", "unit": "%", "paper": "", "source": source, "figure": "",
            "explanation": "", **empty, **known,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reads", "value", "left"),
    [
        ("percent less", 46, 0.54),
        ("percent more", 33, 1.33),
        ("percent of it", 55, 0.55),
        ("times", 2, 2),
        ("times less", 8, 0.125),
    ],
)
def test_what_is_left(reads: Reading, value: float, left: float) -> None:
    assert Effect(claim="A-1", reads=reads).left(value) == pytest.approx(left)


@given(st.sampled_from(get_args(Reading)), st.floats(0.1, 90))
def test_a_range_keeps_its_order(reads: Reading, value: float) -> None:
    lever = Lever(label="x", study="mimir", time=Effect(claim="MIMIR-15", reads=reads))
    (found,) = effects({"x": lever}, CLAIMS, {"MIMIR-15": row("MIMIR-15", value)})
    assert found["low"] <= found["value"] <= found["high"]  # type: ignore[operator]
    assert found["paper_low"] == found["paper_high"]


def test_emulated_joules_and_claims_without_values_stay_empty() -> None:
    lever = Lever(label="x", study="mimir", energy=Effect(claim="MIMIR-16", reads="percent less"))
    for verdict in (row("MIMIR-16", 50, "emulated:knm"), row("MIMIR-16", None)):
        (found,) = effects({"x": lever}, CLAIMS, {"MIMIR-16": verdict})
        assert found["value"] is None and found["low"] is None
        assert found["paper_low"] == 0.5
    (found,) = effects({"x": lever}, CLAIMS, {})
    assert found["verdict"] == "not run"


def test_an_unknown_claim_is_an_error() -> None:
    lever = Lever(label="x", study="mimir", time=Effect(claim="MIMIR-99", reads="times"))
    with pytest.raises(KvasirError, match=r"x\.time\.claim: no claim is called 'MIMIR-99'"):
        list(effects({"x": lever}, CLAIMS, {}))


def test_a_lever_without_an_effect_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "levers.yaml"
    path.write_text("x: {label: a, study: mimir}\n", encoding="utf-8")
    with pytest.raises(KvasirError, match="needs time or energy"):
        read_levers(path)


def test_each_lever_names_claims_of_its_study_whose_paper_states_a_number() -> None:
    levers = read_levers(PROJECT / "config/levers.yaml")
    rows: dict[str, Row] = {}
    for study in {lever.study for lever in levers.values()}:
        found = read_csv(PROJECT / f"reference/laptop/claims/{study}.csv", study)
        rows |= {one.id: one for one in found}
    table: list[dict[str, object]] = list(effects(levers, CLAIMS, rows))
    for line in table:
        assert tuple(line) == COLUMNS
        assert rows[str(line["claim"])].study == line["study"]
        assert isinstance(line["paper_low"], float), line["claim"]


def test_the_paper_of_a_claim_is_a_number_or_a_range() -> None:
    claim: Claim = CLAIMS["MIMIR-12"]
    lever = Lever(label="x", study="mimir", time=Effect(claim=claim.id, reads="percent more"))
    (found,) = effects({"x": lever}, CLAIMS, {})
    assert (found["paper_low"], found["paper_high"]) == pytest.approx((1.05, 1.33))
