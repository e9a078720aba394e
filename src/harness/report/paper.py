"""Formats the numbers, verdicts and figures of the paper as LaTeX. Pure functions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from harness.claims.model import VERDICTS, Verdict
from harness.claims.screen import UNTESTED
from harness.claims.terminal import mark_of, value_of
from harness.claims.verdicts import Row, counts, figures_of, headline
from harness.report.latex import command, definitions, escaped
from harness.report.numbers import number
from harness.report.parts import Part, of_runs

_COLOURS = {
    **{word: word for word in ("reproduced", "direction", "undecided", "contradicted")},
    "paper inconsistent": "inconsistent",
}
"""Names of colours in the paper's text; a verdict that is not among them is `open`."""
_SHORT = {"statement": 72, "paper": 24, "here": 30}
"""Characters that a column of the list of all claims holds."""


_AS: dict[Verdict, str] = {
    "reproduced": "hold",
    "direction": "hold in direction",
    "undecided": "are undecided",
    "contradicted": "are contradicted",
    "paper inconsistent": "are inconsistent with their own paper",
    "not testable here": "cannot be tested here",
    "not run": "were not run",
}
"""Verdicts as the end of a sentence about claims."""


def colour(verdict: str) -> str:
    """Returns the name of a verdict's colour in the paper."""
    return _COLOURS.get(verdict, "open")


def _median(row: Row, value: float, scale: float) -> str:
    """Returns a median; digits far below the spread of its values are none."""
    spread = 0.0 if row.low is None or row.high is None else scale * (row.high - row.low)
    if abs(value) >= spread / 20:
        return number(value)
    decimals = max(0, 1 - math.floor(math.log10(spread)))
    return f"{abs(round(value, decimals)) if round(value, decimals) == 0 else value:.{decimals}f}"


def here(row: Row) -> str:
    """Returns the median found here with its unit, and a mark where it is emulated."""
    if row.value is None:
        return "no value"
    unit = "" if row.unit in ("", "1") else f" {row.unit}"
    return f"{_median(row, row.value, 1)}{unit}{mark_of(row)}"


def share(row: Row) -> str:
    """Returns the median found here, a plain number, as a percentage, with the same mark."""
    return "no value" if row.value is None else f"{_median(row, 100 * row.value, 100)} %{mark_of(row)}"


def _protected(text: str) -> str:
    """Returns escaped text whose numbers are not parted from their units."""
    return escaped(text).replace(r" \%", r"~\%")


def claims(rows: Sequence[Row]) -> str:
    """Returns a definition for each claim: statement, paper's value, value here, verdict and its colour."""
    return "".join(
        "\\kvclaim"
        + "".join(
            f"{{{_protected(cell)}}}"
            for cell in (
                row.id,
                row.statement,
                row.paper,
                here(row),
                share(row),
                value_of(row),
                row.verdict,
                colour(row.verdict),
            )
        )
        + "\n"
        for row in rows
    )


def _bar(rows: Sequence[Row]) -> str:
    """Returns a bar of the verdicts' shares."""
    found = counts(list(rows))
    return "".join(
        f"\\Bar{{{colour(word)}}}{{{found[word] / len(rows):.4f}}}" for word in VERDICTS if found.get(word)
    )


def verdict_counts(parts: Sequence[Part]) -> str:
    """Returns the table of verdicts by study, as the definition of a command, with what each verdict means."""
    named = [word for word in VERDICTS if any(row.verdict == word for part in parts for row in part.rows)]
    columns = "r" * (len(parts) + 1)
    heads = " & ".join([*(part.study.id for part in parts), "all"])
    lines = []
    for word in named:
        found = [sum(row.verdict == word for row in part.rows) for part in parts]
        numbers = " & ".join(map(str, [*found, sum(found)]))
        lines.append(
            f"\\textcolor{{{colour(word)}}}{{{escaped(word)}}} & {numbers} & {escaped(VERDICTS[word].meaning)} \\\\\n"
        )
    table = (
        "\\begin{table*}[t]\\centering\\small\\caption{Verdicts by study, and what they mean.}\\label{verdicts}\n"
        f"\\begin{{tabular}}{{@{{}}l{columns}>{{\\raggedright\\arraybackslash}}p{{0.48\\textwidth}}@{{}}}}\\toprule\n"
        f"verdict & {heads} & meaning \\\\\\midrule\n{''.join(lines)}\\bottomrule\\end{{tabular}}\\end{{table*}}"
    )
    return f"\\newcommand{{\\KvVerdicts}}{{{table}}}\n"


def values(parts: Sequence[Part], origin: Mapping[str, Any]) -> str:
    """Returns definitions of the numbers that the paper's text uses. `origin`: provenance of the runs."""
    rows = [row for part in parts for row in part.rows]
    found = Counter(row.verdict for row in rows)
    unjudged = sum(n for word, n in found.items() if word in UNTESTED)
    judged = [f"{found[word]} {_AS[word]}" for word in _AS if found[word]]
    pairs = {
        **of_runs(parts, origin),
        "KvRuns": f"{sum(origin['runs'].values()):,}",
        "KvCounts": ", ".join(judged),
        "KvInconsistent": f"{found['paper inconsistent']} {'claim' if found['paper inconsistent'] == 1 else 'claims'}",
        "KvOpen": str(unjudged),
        "KvHeadline": headline(rows),
    }
    return definitions(pairs) + verdict_counts(parts) + claims(rows)


def studies(parts: Sequence[Part]) -> str:
    """Returns a section for each study: question, runs, minutes and a bar of its verdicts."""
    lines = []
    for part in parts:
        minutes = f"{part.seconds / 60:.0f}"
        cells = (part.study.id, part.study.title, part.study.question, f"{part.runs:,}", minutes)
        lines.append(command("Study", cells) + f"{{{_bar(part.rows)}}}\n")
    return "".join(lines)


def figures(parts: Sequence[Part]) -> str:
    """Returns a definition for each figure: title, the claims that it shows with their verdicts, how it was made."""
    lines = []
    for part in parts:
        for figure in part.study.figures:
            shown = [row for row in part.rows if figure.id in figures_of(row)]
            judged = [f"{row.id} ({row.verdict})" for row in shown if row.verdict not in UNTESTED]
            claims = ", ".join(judged) or "none was judged"
            if rest := len(shown) - len(judged):
                claims += f"; {rest} more could not be tested"
            lines.append(
                command("kvfigure", (f"{part.study.id}/{figure.id}", figure.title, f"{claims}.", figure.how))
            )
    return "\n".join(lines) + "\n"


def references(parts: Sequence[Part]) -> str:
    """Returns the bibliography: the papers of the studies."""
    items = "".join(f"\\bibitem{{{part.study.id}}} {escaped(part.study.paper)}\n" for part in parts)
    return f"\\begin{{thebibliography}}{{{len(parts)}}}\\small\n{items}\\end{{thebibliography}}\n"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def verdict_table(rows: Sequence[Row]) -> str:
    """Returns a line for each claim: verdict, what the paper states, what was found."""
    return "".join(
        command(
            "Row",
            (
                row.id,
                _cut(row.statement, _SHORT["statement"]),
                _cut(row.paper, _SHORT["paper"]),
                _cut(value_of(row), _SHORT["here"]),
                row.verdict,
                colour(row.verdict),
            ),
        )
        + "\n"
        for row in rows
    )
