"""Assembles the content of the page from checked inputs. No file is read here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from harness.claims.verdicts import Row, headline
from harness.report import best_framework, claims, environments, numbers, runs
from harness.report.best_framework import Choice, Measure
from harness.report.claims import Claim, VerdictCount
from harness.report.environments import Environment
from harness.report.overview import Command, Figure, Overview, Study
from harness.report.runs import Job, Run
from harness.report.svg import InlineSvg


@dataclass
class Inputs:
    """The results that were read for an overview. None where there are none yet."""

    claims: dict[str, list[Row]] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)
    """The SQL of checks by claim."""
    runs: dict[str, list[Run]] = field(default_factory=dict)
    svgs: dict[str, InlineSvg] = field(default_factory=dict)
    """By the figure's link target."""
    links: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By the figure's link target: (PDF or PNG, address relative to the page)."""
    data: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By the figure's link target: (table, address relative to the page)."""
    images: dict[str, str] = field(default_factory=dict)
    """By the figure's link target: the figure as the address of an image."""
    environments: list[Environment] | None = None
    jobs: list[Job] | None = None
    choice: list[Measure] | None = None


@dataclass(frozen=True)
class FigureView:
    """A figure beside its words; `svg` is None where it is not drawn."""

    figure: Figure
    anchor: str
    svg: InlineSvg | None
    links: list[tuple[str, str]]
    data: list[tuple[str, str]]
    claims: list[Claim]


@dataclass(frozen=True)
class StudyView:
    """One study; None where there is no table of claims or runs for it."""

    id: str
    title: str
    paper: str
    figures: list[FigureView]
    claims: list[Claim] | None
    experiments: list[runs.Experiment] | None
    problems: list[runs.Problem]

    @property
    def run_seconds(self) -> float:
        """Returns the wall time of all runs together."""
        return sum(one.seconds for one in self.experiments or [])

    @property
    def complete(self) -> bool:
        """Returns whether runs are known and none is missing."""
        return self.experiments is not None and not self.problems


@dataclass(frozen=True)
class Card:
    """A study at a glance: its question, the claim that answers it best, its verdicts and the claim's figure."""

    study: str
    title: str
    question: str
    key: Claim | None
    """None where the claims have not been checked."""
    counts: list[VerdictCount]
    claims: int
    figure: FigureView | None
    """None where it is not drawn."""
    image: str
    """The figure as the address of an image; '' without one."""


@dataclass(frozen=True)
class Page:
    """The whole page."""

    title: str
    scale: str
    site: str
    generated: str
    commit: str
    dirty: bool
    cards: list[Card]
    studies: list[StudyView]
    claims: list[Claim]
    counts: list[VerdictCount]
    headline: str
    """The number of claims reproduced, by what that rests on."""
    environment: environments.Table | None
    jobs: list[runs.JobGroup] | None
    commands: list[Command]
    choices: list[Choice] | None
    """None where no study runs on clusters."""
    links: list[tuple[str, str]]
    together: FigureView | None
    """None where the figure of all studies is not drawn."""
    replayed: str
    """Where the records are from, if nothing was run for this page."""
    unmeasured: list[str]
    """Reasons that the table of choices refers to by their place."""

    @property
    def emulated(self) -> int:
        """Returns the number of claims that rest on emulated numbers."""
        return sum(claim.emulated for claim in self.claims)

    @property
    def contradicted(self) -> list[Claim]:
        """Returns the claims that what was run here contradicts."""
        return [claim for claim in self.claims if claim.verdict.word == "contradicted"]

    @property
    def of_papers(self) -> bool:
        """Returns whether the page is about claims; that of a comparison without any paper is not."""
        return bool(self.claims or self.unchecked or not self.studies)

    @property
    def unchecked(self) -> list[StudyView]:
        """Returns the studies without a table of verdicts."""
        return [study for study in self.studies if study.claims is None]

    @property
    def job_seconds(self) -> float:
        """Returns the wall time of all jobs together."""
        return sum(group.seconds for group in self.jobs or [])

    @property
    def run_seconds(self) -> float:
        """Returns the wall time of all runs together."""
        return sum(study.run_seconds for study in self.studies)


def when(moment: datetime) -> str:
    """Returns a moment for people, in UTC: `21 November 2025, 11:22 UTC`."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"


def page(overview: Overview, inputs: Inputs) -> Page:
    """Returns the page of an overview and its results."""
    studies = [_study(study, inputs) for study in overview.studies if _has_anything(study, inputs)]
    table = None if inputs.choice is None else best_framework.choices(inputs.choice)
    every = [claim for study in studies for claim in study.claims or []]
    return Page(
        title=overview.title,
        scale=overview.scale,
        site=overview.site,
        generated=when(overview.generated),
        commit=overview.git.commit if overview.git else "",
        dirty=overview.git.dirty if overview.git else False,
        cards=[
            _card(study, view, inputs)
            for study in overview.studies
            for view in studies
            if view.id == study.id and study.question and view.claims != []
        ],
        studies=studies,
        claims=every,
        counts=claims.counts(every),
        headline=headline([row for study in studies for row in inputs.claims.get(study.id, [])]),
        environment=environments.table(inputs.environments, overview.git) if inputs.environments else None,
        jobs=runs.job_groups(inputs.jobs) if inputs.jobs else None,
        commands=overview.commands,
        choices=table,
        links=best_framework.links(inputs.choice or []),
        together=_together(overview, inputs, every),
        replayed=overview.replayed,
        unmeasured=best_framework.reasons(table or []),
    )


TOGETHER = "figure-together"
"""Link target of the figure of all studies."""


def _together(overview: Overview, inputs: Inputs, every: list[Claim]) -> FigureView | None:
    if overview.together is None or TOGETHER not in inputs.svgs:
        return None
    shown = [claim for claim in every if claim.id in overview.together_claims]
    if not shown:
        return None
    return _figure(overview.together, TOGETHER, inputs, shown)


def _figure(figure: Figure, anchor: str, inputs: Inputs, shown: list[Claim]) -> FigureView:
    return FigureView(
        figure=figure,
        anchor=anchor,
        svg=inputs.svgs.get(anchor),
        links=inputs.links.get(anchor, []),
        data=inputs.data.get(anchor, []),
        claims=shown,
    )


def _card(study: Study, view: StudyView, inputs: Inputs) -> Card:
    own = view.claims or []
    key = next((claim for claim in own if claim.id == study.key_claim), None)
    named = [link.anchor for link in key.figures] if key else []
    figure = next((one for one in view.figures if one.anchor in named and one.svg), None)
    return Card(
        study=study.id,
        title=study.title,
        question=study.question,
        key=key,
        counts=claims.counts(own),
        claims=len(own),
        figure=figure,
        image=inputs.images.get(figure.anchor, "") if figure else "",
    )


def _has_anything(study: Study, inputs: Inputs) -> bool:
    return bool(study.id in inputs.claims or study.id in inputs.runs or study.figures)


def _study(study: Study, inputs: Inputs) -> StudyView:
    titles = {figure.id: figure.title for figure in study.figures}
    mine = (
        [claims.claim(row, titles, inputs.queries.get(row.id, "")) for row in inputs.claims[study.id]]
        if study.id in inputs.claims
        else None
    )
    figures = []
    for figure in study.figures:
        anchor = claims.anchor_of_figure(study.id, figure.id)
        named = [one for one in mine or [] if any(link.anchor == anchor for link in one.figures)]
        figures.append(_figure(figure, anchor, inputs, named))
    known = inputs.runs.get(study.id)
    return StudyView(
        id=study.id,
        title=study.title,
        paper=study.paper,
        figures=figures,
        claims=mine,
        experiments=None if known is None else runs.experiments(known),
        problems=runs.problems(known or []),
    )


FILTERS: dict[str, Callable[..., str]] = {"duration": numbers.duration, "count_of": numbers.count}
