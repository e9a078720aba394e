"""The paper's parts: any text is safe in LaTeX, and every verdict has its line."""

import re
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.claims.verdicts import Row
from harness.report.latex import escaped
from harness.report.paper import claims, figures, here, share, verdict_table


def verdict(**other: Any) -> Row:
    """A row of a verdict table with these fields."""
    known: dict[str, Any] = {
        "id": "A-1", "study": "a", "tier": 1, "where": "", "statement": "Less.", "basis": "measured", "reason": "",
        "value": 1, "low": 1, "high": 1, "n": 3, "unit": "1", "paper": "1", "source": "measured:clock", "figure": "",
        "explanation": "",
    }  # fmt: skip
    return Row(**{**known, **other})


@given(st.text())
def test_no_character_keeps_its_meaning_for_latex(text: str) -> None:
    safe = escaped(text)
    # Known commands, with their braces, and escaped single characters are all that may remain.
    rest = re.sub(r"\\[a-z]+\{\}|\$\\?[a-z-]+\$|\$\^\{[-0-9]\}\$|\\[&%$#_{}]", "", safe)
    assert not re.search(r"[\\&%$#_{}~^]", rest), safe


def test_a_row_for_every_verdict() -> None:
    row = verdict(statement="50 % & more", verdict="direction", value=1.25, low=1, high=2, paper="x_1")
    absent = row.model_copy(update={"value": None, "n": 0, "verdict": "not run"})
    table = verdict_table([row, absent])
    assert r"\Row{A-1}{50 \% \& more}{x\_1}{1.25 [1, 2] n=3}{direction}{direction}" in table
    assert r"\Row{A-1}{50 \% \& more}{x\_1}{-}{not run}{open}" in table


def test_the_text_knows_a_claim_by_its_value_and_its_share() -> None:
    row = verdict(verdict="paper inconsistent", reason="r", value=0.26838, low=0.1, high=0.3, paper="25 %")
    assert claims([row]) == (
        r"\kvclaim{A-1}{Less.}{25~\%}{0.268}{26.8~\%}{0.2684 [0.1, 0.3] n=3}{paper inconsistent}{inconsistent}"
        + "\n"
    )
    assert "{no value}{no value}{-}{not run}{open}" in claims(
        [row.model_copy(update={"value": None, "low": None, "high": None, "n": 0, "verdict": "not run"})]
    )


def test_digits_far_below_the_spread_are_none_and_emulated_values_say_so() -> None:
    row = verdict(
        verdict="reproduced", basis="simulated", value=2.95e-6, low=-0.079, high=0.026, unit="%",
        source="simulated:netsim",
    )  # fmt: skip
    assert here(row) == "0.00 %"
    assert here(row.model_copy(update={"value": 0.0123})) == "0.0123 %"
    emulated = {"source": "emulated:knm-like", "verdict": "not testable here", "reason": "joules of a model"}
    assert here(row.model_copy(update={"value": 0.0123, **emulated})) == "0.0123 % (emulated)"
    assert share(row.model_copy(update={"value": 0.0123, **emulated})) == "1.23 % (emulated)"


def part_of(rows: list[Row]) -> Any:
    figures = [SimpleNamespace(id=name, title="T", how="H") for name in ("fig03", "table1")]
    return SimpleNamespace(rows=rows, study=SimpleNamespace(id="a", figures=figures))


def test_a_caption_names_every_claim_that_its_figure_shows() -> None:
    row = verdict(verdict="contradicted", figure="a/fig03")
    both = row.model_copy(update={"id": "A-2", "verdict": "direction", "figure": "table1;fig03"})
    open_ = row.model_copy(
        update={
            "id": "A-3",
            "verdict": "not run",
            "reason": "r",
            "n": 0,
            "value": None,
            "figure": "fig03, table1",
        }
    )
    assert figures([part_of([row, both, open_])]).splitlines() == [
        r"\kvfigure{a/fig03}{T}{A-1 (contradicted), A-2 (direction); 1 more could not be tested.}{H}",
        r"\kvfigure{a/table1}{T}{A-2 (direction); 1 more could not be tested.}{H}",
    ]
