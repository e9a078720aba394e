"""One's own verdicts against those of reference runs: what counts as agreement, and what is said without it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.claims.agreement import TOLERANCE, agreements, close, judge, summary
from harness.claims.verdicts import Row


def row(verdict: str = "reproduced", value: float | None = 2.0, **more: Any) -> Row:
    known = {name: "" for name in Row.model_fields} | {
        "id": "A-01",
        "study": "mimir",
        "tier": 1,
        "reason": "why",
    }
    numbers = {"value": value, "low": value, "high": value, "n": 0 if value is None else 3, "basis": None}
    source = {"source": "measured:clock"}
    return Row.model_validate({**known, **numbers, **source, "verdict": verdict, **more})


@given(st.floats(0.01, 1e6), st.floats(0.9, 1.1))
def test_measured_values_within_the_spread_of_machines_agree_in_both_directions(
    value: float, factor: float
) -> None:
    one, other = row(value=value), row(value=value * factor)
    assert close(one, other) and close(other, one)
    assert judge(one, other) == ("agrees", "")


@given(st.floats(0.01, 1e6), st.floats(1 + 2 * TOLERANCE, 50))
def test_other_values_do_not(value: float, factor: float) -> None:
    one, other = row(value=value), row(value=value * factor)
    assert not close(one, other) and not close(other, one)
    outcome, words = judge(one, other)
    assert outcome == "value" and "depend on the machine" in words


@given(st.floats(0.01, 1e6), st.sampled_from(["simulated:netsim", "analytic", "simulated:netsim, analytic"]))
def test_a_simulated_number_has_no_tolerance(value: float, source: str) -> None:
    one, other = row(value=value, source=source), row(value=value * 1.001, source=source)
    assert judge(one, one)[0] == "agrees"
    assert judge(one, other)[0] == "unexpected"
    measured = row(value=value * 1.001)
    assert judge(measured, other)[0] == "agrees", "it is measured in one of them"


@pytest.mark.parametrize(
    ("here", "reference", "outcome", "words"),
    [
        (
            row("direction", 3.0),
            row("reproduced", 2.0),
            "verdict",
            "its size meets the tolerance in one of them",
        ),
        (row("undecided"), row("reproduced"), "verdict", "open here: why"),
        (row("contradicted"), row("undecided"), "verdict", "open in the reference: why"),
        (row("contradicted", 2.0), row("reproduced", 2.1), "verdict", "the claim's limit lies between them"),
        (row("contradicted", -2.0), row("reproduced", 2.0), "unexpected", "other sign"),
        (row("contradicted", 20.0), row("direction", 2.0), "unexpected", "10 times"),
        (row("not testable here", None), row("reproduced"), "lost", "why"),
        (row("not run", None), row("not testable here", None), "lost", "why"),
        (row("not testable here", None), row("not testable here"), "lost", "why"),
        (row("not testable here"), row("not testable here", None), "gained", "the reference: why"),
        (row("reproduced"), row("not testable here", None), "gained", "the reference: why"),
        (row("not run", None), row("not run", None), "agrees", ""),
    ],
)
def test_every_difference_has_its_words(here: Row, reference: Row, outcome: str, words: str) -> None:
    found, said = judge(here, reference)
    assert found == outcome and words in said


def test_claims_of_one_side_only_are_listed() -> None:
    found = list(agreements([row(id="A-01"), row(id="A-02")], [row(id="A-01"), row(id="A-03")]))
    assert [(one.id, one.outcome) for one in found] == [("A-01", "agrees"), ("A-02", "new"), ("A-03", "lost")]
    assert summary(found).startswith("1 same verdict, same value within tolerance; 1 tested in the reference")
