"""The write-up's parts: any text is safe in LaTeX, and every verdict has its row."""

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.report.latex import escaped, verdict_table


@given(st.text())
def test_no_character_keeps_its_meaning_for_latex(text: str) -> None:
    safe = escaped(text)
    # Known commands, with their braces, and escaped single characters are all that may remain.
    rest = re.sub(r"\\[a-z]+\{\}|\$\\?[a-z-]+\$|\\[&%$#_{}]", "", safe)
    assert not re.search(r"[\\&%$#_{}~^]", rest), safe


def test_a_row_for_every_verdict() -> None:
    row = {"id": "A-1", "statement": "50 % & more", "paper": "x_1", "value": "1.25", "unit": "1", "n": "3"}
    table = verdict_table([{**row, "verdict": "direction"}, {**row, "value": "", "verdict": "not run"}])
    assert r"A-1 & 50 \% \& more & x\_1 & 1.25 (n = 3) & direction \\" in table
    assert r"A-1 & 50 \% \& more & x\_1 &  & not run \\" in table
