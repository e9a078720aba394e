"""The end of a run on one screen: it counts all claims, fits the terminal and names what differs."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.claims.agreement import Agreement
from harness.claims.model import VERDICTS
from harness.claims.screen import cut, screen, table, untested
from harness.claims.verdicts import Row

VERDICT = st.sampled_from([word for word in VERDICTS if word not in ("check failed",)])


def row(number: int, verdict: str, reason: str = "why", **more: Any) -> Row:
    judged = verdict in ("reproduced", "direction", "undecided", "contradicted")
    numbers = (
        {"value": 1.0, "low": 1.0, "high": 1.0, "n": 1}
        if judged
        else {"value": None, "low": None, "high": None, "n": 0}
    )
    known = {name: "" for name in Row.model_fields} | {
        "id": f"A-{number}",
        "study": "s",
        "tier": 1,
        "basis": None,
    }
    return Row.model_validate({**known, **numbers, "verdict": verdict, "reason": reason, **more})


@given(st.dictionaries(st.sampled_from(["mimir", "eee", "mrev"]), st.lists(VERDICT, min_size=1), min_size=1))
def test_every_claim_is_counted_once(chosen: dict[str, list[str]]) -> None:
    rows = {study: [row(i, word) for i, word in enumerate(words)] for study, words in chosen.items()}
    head, *lines = table(rows, {})
    assert head.split() == ["verdict", *rows, *(["all"] if len(rows) > 1 else [])]
    counted = [line for line in lines if not line.startswith("  ")]
    for place, words in enumerate(chosen.values()):
        numbers = [int(line.split()[place - len(head.split()) + 1]) for line in counted]
        assert sum(numbers) == len(words)
    assert max(map(len, [head, *lines])) <= 80
    open_ = sum(word in ("not testable here", "not run") for words in chosen.values() for word in words)
    said = untested(rows, 80)
    assert said == ([] if open_ == 0 else [f"{open_} claims were not tested:", f"  {open_:>3}  why"])


@given(st.text(min_size=1), st.integers(10, 100))
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    assert len(cut(text, width)) <= width and "\n" not in cut(text, width)


def test_a_screen_names_what_is_not_as_in_the_reference_and_groups_reasons() -> None:
    rows = {"s": [row(1, "reproduced"), *(row(i, "not run", f"reason {i % 11}") for i in range(2, 60))]}
    compared = {
        "s": [
            Agreement("A-1", "unexpected", "contradicted, 2", "reproduced, 1", "the effect goes another way"),
            Agreement("A-2", "agrees", "not run, -", "not run, -", ""),
        ]
    }
    lines = screen(rows, compared, 80)
    assert len(lines) < 24, "one screen"
    assert all(len(line) <= 80 for line in lines if line.startswith("  "))
    text = "\n".join(lines)
    assert "A-1: here contradicted, 2; there reproduced, 1: the effect goes another way" in text
    assert "1/2" in text and "for other reasons: the report has them" in text


def test_what_reproductions_rest_on_stands_below_them() -> None:
    rows = {
        "a": [row(1, "reproduced", basis="measured"), row(2, "reproduced", basis="arithmetic")],
        "b": [row(3, "reproduced", basis="simulated"), row(4, "direction", basis="implementation")],
    }
    lines = [" ".join(line.split()) for line in table(rows, {"b": []})]
    assert lines[:5] == [
        "verdict a b all",
        "reproduced 2 1 3",
        "by runs 1 1 2",
        "arithmetic of the paper 1 0 1",
        "direction 0 1 1",
    ]
    assert lines[-1] == "as in the reference - 0/0 0/0"
