"""Formats the numbers, verdicts and figures of the write-up as LaTeX. Pure functions."""

from __future__ import annotations

from collections import Counter

from harness.claims.verdicts import Row, headline
from harness.config import Config, Study
from harness.core.numbers import number

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",
    "×": r"$\times$",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "≈": r"$\approx$",
    "−": r"$-$",
}


def escaped(text: str) -> str:
    """Returns text escaped for LaTeX; a character that the fonts lack becomes a question mark."""
    known = "".join(_SPECIAL.get(char, char) for char in text)
    return known.encode("latin-1", "replace").decode("latin-1")


def values(config: Config, runs: int, verdicts: list[Row]) -> str:
    """Returns definitions of the numbers that the text uses."""
    counts = Counter(row.verdict for row in verdicts)
    told = ", ".join(f"{n} {word}" for word, n in counts.most_common())
    pairs = {
        "KvScale": config.top.scale,
        "KvSite": config.top.site,
        "KvRuns": str(runs),
        "KvCounts": told,
        "KvHeadline": headline(verdicts),
    }
    return "".join(f"\\newcommand{{\\{name}}}{{{escaped(text)}}}\n" for name, text in pairs.items())


def value_text(row: Row) -> str:
    """Returns the median found here with the number of its values."""
    if row.value is None:
        return ""
    unit = "" if row.unit == "1" else f" {row.unit}"
    return f"{number(row.value)}{unit} (n = {row.n})"


def verdict_table(verdicts: list[Row]) -> str:
    """Returns all verdicts as a table that may run over pages."""
    widths = ("0.36", "0.18", "0.13", "0.13")
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width}\linewidth}}" for width in widths)
    head = rf"""{{\small
\begin{{longtable}}{{@{{}}l{columns}@{{}}}}
\toprule
claim & statement & paper & here & verdict \\
\midrule
\endhead
"""
    rows = [
        " & ".join(escaped(text) for text in (row.id, row.statement, row.paper, value_text(row), row.verdict))
        for row in verdicts
    ]
    return head + "".join(f"{row} \\\\\n" for row in rows) + "\\bottomrule\n\\end{longtable}}\n"


def figure_list(studies: list[Study]) -> str:
    """Returns all figures with their titles, the papers' statements and the discussion."""
    lines = [
        f"\\studyfigure{{{study.id}/{figure.id}.pdf}}{{{escaped(figure.title)}}}{{{escaped(figure.paper_says)}}}"
        f"{{{escaped(figure.discussion)}}}\n"
        for study in studies
        for figure in study.figures
    ]
    return "".join(lines)
