"""The write-up's parts: any text is safe in LaTeX, and every verdict has its row."""

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.claims.verdicts import Row
from harness.report.latex import escaped, verdict_table


@given(st.text())
def test_no_character_keeps_its_meaning_for_latex(text: str) -> None:
    safe = escaped(text)
    # Known commands, with their braces, and escaped single characters are all that may remain.
    rest = re.sub(r"\\[a-z]+\{\}|\$\\?[a-z-]+\$|\\[&%$#_{}]", "", safe)
    assert not re.search(r"[\\&%$#_{}~^]", rest), safe


def test_a_row_for_every_verdict() -> None:
    row = Row(
        id="A-1", study="a", tier=1, where="", statement="50 % & more", verdict="direction", basis="measured",
        reason="", value=1.25, low=1, high=2, n=3, unit="1", paper="x_1", source="measured:clock", figure="",
        explanation="",
    )  # fmt: skip
    absent = row.model_copy(update={"value": None, "n": 0, "verdict": "not run"})
    table = verdict_table([row, absent])
    assert r"A-1 & 50 \% \& more & x\_1 & 1.25 (n = 3) & direction \\" in table
    assert r"A-1 & 50 \% \& more & x\_1 &  & not run \\" in table
