"""Formats the artifact description and evaluation that SC asks for, as LaTeX. Pure functions.

A contribution is the answer to a study's question, an artifact the study with its experiments, a task a step of it with
its parameters and repetitions.
"""

from __future__ import annotations

from harness.claims.terminal import value_of
from harness.claims.verdicts import counts
from harness.report.appendix import minutes
from harness.report.latex import command
from harness.report.numbers import count
from harness.report.parts import Part
from harness.results.layout import TableSpec


def contributions(parts: list[Part]) -> str:
    """Returns a line for each contribution with the artifact that supports it and the paper's figures it redraws."""
    lines = []
    for place, part in enumerate(parts, 1):
        theirs = [figure for figure in part.study.figures if not figure.own]
        tables = sum(figure.id.startswith("table") for figure in theirs)
        drawn = count(len(theirs) - tables, "figure")
        elements = f"{drawn} and {count(tables, 'table')}" if tables else drawn
        lines.append(
            command(
                "contribution", (f"C{place}", part.study.question, f"A{place}", part.study.paper, elements)
            )
        )
    return "\n".join(lines) + "\n"


def _task(place: int, part: Part, table: TableSpec) -> str:
    """Returns a task: an experiment with what it varies, its points and repetitions, and how many cannot be run."""
    known = part.study.experiments.get(table.experiment)
    runs = f"{count(len(table.runs), 'point')}, {count(table.repetitions, 'repetition')} each"
    if table.not_run:
        runs += f"; {len(table.not_run)} more cannot be run here"
    varied = ", ".join(known.factors) if known else ", ".join(table.factors)
    title, where = (known.title, known.where) if known else (table.experiment, part.study.id)
    return command("task", (f"T{place}", title, where, varied, runs)) + "\n"


def artifacts(parts: list[Part], scale: str) -> str:
    """Returns a section for each artifact: relation, expected results, times, set-up, tasks and analysis."""
    sections = []
    for place, part in enumerate(parts, 1):
        key = part.key
        words = ", ".join(f"{n} {word}" for word, n in counts(part.rows).items())
        cells = (
            f"A{place}",
            part.study.title,
            f"{key.statement} ({key.id}; the paper: {key.paper}; our runs: {value_of(key)}, {key.verdict})",
            words,
            str(minutes(part.seconds)),
            f"{part.memory / 1e9:.1f}",
            f"{part.disk / 1e9:.1f}",
            f"make reproduce STUDIES={part.study.id} SCALE={scale}",
        )
        tasks = "".join(_task(number, part, table) for number, table in enumerate(part.tables, 2))
        last = len(part.tables) + 2
        sections.append(
            command("artifact", cells)
            + "\n"
            + tasks
            + command("analysis", (f"T{last}", part.study.id))
            + "\n"
        )
    return "".join(sections)
