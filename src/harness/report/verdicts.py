"""The six verdicts: the words of the verdict tables, and how the page shows and explains them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """One verdict. `slug` is its CSS class; the symbol tells it apart without colour."""

    word: str
    slug: str
    symbol: str
    order: int
    meaning: str


VERDICTS: dict[str, Verdict] = {
    word: Verdict(word, word.replace(" ", "-"), symbol, order, meaning)
    for order, (word, symbol, meaning) in enumerate(
        [
            ("reproduced", "✓", "the paper's number or statement holds here, within the stated tolerance"),
            ("direction", "↗", "the effect goes the way the paper says; its size is another one here"),
            ("contradicted", "✗", "what was measured here says otherwise"),
            ("paper inconsistent", "≠", "the paper's own numbers disagree with each other"),
            ("not testable here", "–", "needs hardware or a size that this machine or scale does not have"),
            ("not run", "○", "the runs that the check needs have not been made, or failed"),
        ]
    )
}
