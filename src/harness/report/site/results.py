"""Writes the pages of results: the gallery of figures, the verdicts on all claims, the times of runs and jobs."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.report import numbers
from harness.report.claims import Claim, sources
from harness.report.runs import Experiment, Job
from harness.report.site.markdown import blocks, code, escaped, fenced, heading, mark, page, table
from harness.report.view import FigureView, Page, StudyView

_SOURCE = re.compile(r"\b(?:measured|emulated|simulated|analytic)(?::[a-z0-9-]+)?(?=[,.;\s]|$)")
_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
SLOWEST = 3
"""How many of a study's experiments the table of times names."""

KINDS: dict[str, tuple[str, ...]] = {
    "build": ("programs",),
    "text": ("texts",),
    "run": ("runs",),
    "batch of simulations": ("batches",),
    "cell": ("cells",),
    "table": ("tables",),
    "figure": ("figures",),
    "verdicts of a study": ("claims",),
    "summary or graphs of a cell": ("mrev",),
}
"""Jobs by the folder of their benchmark files; all others make pages, as the report is one."""
PAGE = "report, or another page"
TOGETHER = "together"
"""The page of the figure of all studies."""


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A table that a figure is drawn from. `target` is its place on the site, '' where it is too large for it."""

    path: str
    size: int | None
    """Bytes; None where there is no such file."""
    target: str = ""


@dataclass(frozen=True, kw_only=True)
class Files:
    """What was read of a figure's files."""

    image: str
    """Its place on the site; '' where it is not drawn."""
    drawn: tuple[str, ...]
    """Sources of the numbers that it shows, as its caption names them."""
    tabled: tuple[str, ...]
    """Sources of all numbers of its tables."""
    tables: tuple[TableFile, ...]


def drawn_sources(svg: str) -> tuple[str, ...]:
    """Returns the sources that the caption of a figure names, sorted: it ends in `Sources: measured:clock.`."""
    words = " ".join(_TAG.sub("", text) for text in _TEXT.findall(svg))
    named = re.split(r"\bSources?:", words)[1:]
    return tuple(sorted({name for part in named for name in _first_list(part)}))


def _first_list(text: str) -> list[str]:
    """Returns the sources at the beginning of a text: names with commas between, and then a full stop."""
    return _SOURCE.findall(re.split(r"\.(?:\s|$)", text, maxsplit=1)[0])


def marks(names: Iterable[str]) -> str:
    """Returns sources as marks, in colours by their kinds."""
    return " ".join(mark("mark", one.kind, one.text) for one in sources(" ".join(names)))


def _labelled(label: str, text: str) -> str:
    return f"**{label}.** {text}" if text else ""


def _table_line(one: TableFile) -> str:
    if one.size is None:
        return f"{code(one.path)} (not there)"
    name = one.path.rpartition("/")[2]
    shown = f"[{escaped(name)}](../{one.target})" if one.target else code(one.path)
    return f"{shown} ({numbers.size(one.size)})"


def _verdict(claim: Claim) -> str:
    return mark("verdict", claim.verdict.slug, f"{claim.verdict.symbol} {claim.verdict.word}")


def _claims(named: Sequence[Claim]) -> str:
    """Returns links to claims, those with the same verdict together."""
    groups: dict[str, list[str]] = {}
    for one in sorted(named, key=lambda claim: claim.verdict.order):
        groups.setdefault(_verdict(one), []).append(f"[{escaped(one.id)}](../verdicts.md#{one.anchor})")
    return "; ".join(f"{verdict} {', '.join(links)}" for verdict, links in groups.items())


def _sentence(text: str) -> str:
    """Returns a text with a full stop at its end."""
    return escaped(text) if text.endswith((".", "?", "!")) else f"{escaped(text)}."


def figure(view: FigureView, files: Files) -> str:
    """Returns a figure with its words, sources, claims, command, tables and script."""
    shown = view.figure
    title = escaped(shown.title)
    others = [name for name in files.tabled if name not in files.drawn]
    none = "" if files.drawn or files.tabled else "None: no numbers of runs."
    return blocks(
        heading(2, f"{shown.id}: {shown.title}", view.anchor),
        f"![{title}](../{files.image}){{ loading=lazy }}" if files.image else "Not drawn.",
        _labelled("Sources of what it shows", marks(files.drawn)),
        _labelled("Also in its tables" if files.drawn else "Sources of its tables", marks(others) or none),
        _labelled("The paper", escaped(shown.paper_says)),
        _labelled("Here", escaped(shown.how)),
        _labelled("Discussion", escaped(shown.discussion)),
        _labelled("Claims", _claims(view.claims)),
        _labelled("Tables", ", ".join(map(_table_line, files.tables))),
        _labelled("Script", code(shown.script)),
        "**Draw it again,** with all that it needs:",
        fenced(shown.command),
    )


def gallery(study: StudyView, files: Mapping[str, Files]) -> str:
    """Returns the page of a study's figures; `files` by the figures' link targets."""
    return page(
        heading(1, f"{study.id}: {study.title}"),
        f"{_sentence(study.paper)} [Verdicts on its claims](../verdicts.md#{study.id}).",
        *(figure(one, files[one.anchor]) for one in study.figures),
    )


def together(view: FigureView, files: Files) -> str:
    """Returns the page of the figure of all studies."""
    about = "What each change of the system leaves of a job's time and energy, by the papers and here."
    return page("# The studies together", about, figure(view, files))


def _small(study: str, view: FigureView, files: Files) -> str:
    """Returns a figure, small, as a link to it with its words."""
    title = f"{escaped(view.figure.id)}: {escaped(view.figure.title)}"
    image = f"![{escaped(view.figure.title)}](../{files.image}){{ loading=lazy }}" if files.image else ""
    return f"[{image}{title}]({study}.md#{view.anchor})"


def gallery_index(view: Page, files: Mapping[str, Files]) -> str:
    """Returns the page with all figures of all studies, small, each a link to the figure with its words."""
    parts = []
    every = [one for study in view.studies for one in study.figures]
    if view.together:
        every.append(view.together)
        small = [_small(TOGETHER, view.together, files[view.together.anchor])]
        parts += ["## The studies together", blocks('<div class="gallery" markdown>', *small, "</div>")]
    for study in view.studies:
        if not study.figures:
            continue
        small = [_small(study.id, one, files[one.anchor]) for one in study.figures]
        parts += [
            heading(2, f"{study.id}: {study.title}", study.id),
            blocks('<div class="gallery" markdown>', *small, "</div>"),
        ]
    return page(
        "# Gallery",
        f"{numbers.count(len(every), 'figure')} of scale {code(view.scale)}. {origin(view)}",
        *parts,
    )


def origin(view: Page) -> str:
    """Returns where the records are from, as a sentence; '' where they are this machine's own."""
    return f"Records of {escaped(view.replayed)}." if view.replayed else ""


def found_value(claim: Claim) -> str:
    """Returns what was found for a claim: value, unit, range, number of values, and a mark where it is emulated."""
    if not claim.value:
        return ""
    words = " ".join(filter(None, (claim.value, claim.unit)))
    spread = (f" [{claim.interval}]" if claim.interval else "") + f", n = {claim.n}"
    return escaped(words + spread) + (f" {mark('mark', 'emulated', 'emulated')}" if claim.emulated else "")


def _claim_row(claim: Claim) -> list[str]:
    return [
        f'<span id="{claim.anchor}">{escaped(claim.id)}</span>',
        escaped(claim.statement),
        escaped(" ".join(filter(None, (claim.paper, claim.unit if not claim.paper_in_words else "")))),
        found_value(claim),
        _verdict(claim),
        escaped(claim.reason),
    ]


def verdicts(view: Page) -> str:
    """Returns the page of all verdicts: how many there are of each, then a table a study."""
    words = [one.verdict for one in view.counts]
    judged = [study for study in view.studies if study.claims is not None]
    by_study = [
        [
            f"[{escaped(study.id)}](#{study.id})",
            *(str(sum(one.verdict is word for one in study.claims or [])) for word in words),
        ]
        for study in judged
    ]
    total = ["all", *(str(one.count) for one in view.counts)]
    parts = []
    for study in judged:
        head = ("claim", "statement", "the paper", "here", "verdict", "reason")
        rows = [_claim_row(claim) for claim in study.claims or []]
        parts += [
            heading(2, f"{study.id}: {study.title}", study.id),
            f"{_sentence(study.paper)} [Figures](gallery/{study.id}.md)."
            if study.figures
            else escaped(study.paper),
            blocks('<div class="verdicts" markdown>', table(head, rows), "</div>"),
        ]
    meanings = [
        [mark("verdict", word.slug, f"{word.symbol} {word.word}"), escaped(word.meaning)] for word in words
    ]
    return page(
        "---\nhide: [toc]\n---",
        "# Verdicts",
        f"{escaped(view.headline)}. {origin(view)}",
        table(("study", *(escaped(word.word) for word in words)), [*by_study, total]),
        table(("verdict", "the paper's claim"), meanings),
        *parts,
    )


def _duration(seconds: float) -> str:
    return numbers.duration(seconds) if seconds else ""


def _experiment_row(one: Experiment) -> list[str]:
    amounts = (one.ok, one.failed + one.timeout, one.not_run)
    return [code(one.name), *map(str, amounts), one.median, one.spread, one.total]


def _slowest(experiments: Sequence[Experiment]) -> str:
    ranked = sorted(experiments, key=lambda one: -one.seconds)[:SLOWEST]
    return ", ".join(f"{code(one.name)} {one.total}" for one in ranked if one.seconds)


def job_rows(jobs: Iterable[Job]) -> list[list[str]]:
    """Returns a row for each kind of job that there was: count, median, longest, total."""
    kinds = {folder: kind for kind, folders in KINDS.items() for folder in folders}
    took: dict[str, list[float]] = {kind: [] for kind in (*KINDS, PAGE)}
    for job in jobs:
        took[kinds.get(job.path[0], PAGE)].append(job.seconds)
    return [
        [kind, str(len(all_)), *map(numbers.duration, (statistics.median(all_), max(all_), sum(all_)))]
        for kind, all_ in took.items()
        if all_
    ]


def times(view: Page, jobs: Iterable[Job], seconds: Mapping[str, float]) -> str:
    """Returns the page of times; `seconds`: wall time of the jobs that made a study's runs."""
    run = [study for study in view.studies if study.experiments]
    rows = [
        [
            code(study.id),
            str(sum(one.ok + one.failed + one.timeout for one in study.experiments or [])),
            _duration(study.run_seconds),
            _duration(seconds.get(study.id, 0.0)),
            _slowest(study.experiments or []),
        ]
        for study in run
    ]
    head = ("experiment or cell", "ok", "failed", "not run", "median", "range", "all runs")
    details = [
        blocks(heading(3, study.id), table(head, map(_experiment_row, study.experiments or [])))
        for study in run
    ]
    kinds = job_rows(jobs)
    about = "Runs, batches and cells as the records have them; all others on the machine that made this page."
    return page(
        "# Times",
        f"From the records of scale {code(view.scale)}. {origin(view)}",
        "## Studies",
        "Runs go one at a time, so that none disturbs another, but simulations side by side in batches. Jobs are those "
        "that make the runs of a study; a cluster that studies share counts for each.",
        table(
            ("study", "runs", "time of all runs", "time of their jobs", "slowest experiments or cells"), rows
        ),
        *(("## Jobs", about, table(("job", "number", "median", "longest", "all"), kinds)) if kinds else ()),
        "## Experiments and cells",
        *details,
    )
