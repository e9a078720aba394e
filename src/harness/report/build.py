"""Reads results and writes the report's page."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Collection
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.claims.files import read_entries
from harness.claims.model import Claim
from harness.claims.verdicts import read_csv
from harness.config import CellsStudy, Config
from harness.config.archive import read_provenance
from harness.config.load import read_levers
from harness.core.errors import KvasirError
from harness.core.files import write_text
from harness.plan.planner import Planner
from harness.report.claims import anchor_of_figure
from harness.report.environments import environment
from harness.report.overview import Figure, Overview, environments, measures, overview, runs_of
from harness.report.runs import read_jobs
from harness.report.svg import inline_svg
from harness.report.view import FILTERS, TOGETHER, Inputs, Page, page
from harness.results.layout import records, verdicts_of
from harness.results.records import read


def build(overview: Overview, inputs: Inputs, output: Path) -> None:
    """Write the page to `output`, under a temporary name first.

    Raises KvasirError, leaving `output` as it was, when the page cannot be written.
    """
    text = render(page(overview, inputs))
    write_text(text, output)


def shown_by(planner: Planner, git: dict[str, Any]) -> Overview:
    """Read what the page says besides results: where records are from, and what the studies change."""
    top = planner.config.top
    origin = read_provenance(Path(top.replay), top.scale) if top.replay else None
    levers = read_levers(Path("config/levers.yaml"))
    return overview(planner.config, git, datetime.now(UTC), origin, levers)


def gather(
    planner: Planner, shown: Overview, page_folder: Path, own: Collection[str] = ("report",)
) -> Inputs:
    """Read the results of all studies of the planner; links will be relative to `page_folder`.

    `own`: the jobs that make the page itself, whose times are those of the page before this one.

    Raises KvasirError, one message, for a verdict table, record, figure or benchmark file that is broken.
    """
    config, found = planner.config, Inputs()
    for study in config.studies:
        found.claims[study] = read_csv(Path(verdicts_of(config, study)), study)
        entries = read_entries(Path("config/claims", f"{study}.yaml")).entries
        found.queries |= {one.id: one.check for one in entries if isinstance(one, Claim)}
        tables = list(planner.plan(study).tables.values())
        found.runs[study] = runs_of(list(records(tables)), tables)
    read_figures(shown, page_folder, found)
    groups = environments(list(records(planner.tables)))
    found.environments = [environment(group) for group in groups]
    if clusters := [study.id for study in config.studies.values() if isinstance(study, CellsStudy)]:
        specs = [table for study in clusters for table in planner.plan(study).tables.values()]
        labels = {name: entry.label for name, entry in config.frameworks.items()}
        found.choice = measures(specs, read, labels)
    found.jobs = [
        job for label, folder in benchmark_folders(config).items() for job in read_jobs(folder, label, own)
    ]
    return found


def benchmark_folders(config: Config) -> dict[str, Path]:
    """Returns the folders that Snakemake's `benchmark:` writes into, by the name of their part that scales share."""
    own = Path(config.results, "benchmarks")
    return {"": own, "programs": Path("build/benchmarks"), "texts": Path("data/benchmarks")}


def read_figures(shown: Overview, page_folder: Path, found: Inputs) -> None:
    """Read all figures that are drawn. Raises KvasirError naming one that is broken."""
    for study in shown.studies:
        for figure in study.figures:
            _load_figure(figure, anchor_of_figure(study.id, figure.id), page_folder, found)
    if shown.together is not None:
        _load_figure(shown.together, TOGETHER, page_folder, found)


def _load_figure(figure: Figure, anchor: str, page_folder: Path, found: Inputs) -> None:
    files = {
        ending: figure.stem.with_name(f"{figure.stem.name}.{ending}") for ending in ("svg", "pdf", "png")
    }
    if files["svg"].is_file():
        try:
            text = files["svg"].read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise KvasirError(f"{files['svg']}: the figure cannot be read: {error}; draw it again") from None
        found.svgs[anchor] = inline_svg(text, str(files["svg"]), anchor, figure.title)
        encoded = base64.b64encode(text.encode()).decode()
        found.images[anchor] = f"data:image/svg+xml;base64,{encoded}"
    found.links[anchor] = [
        (ending.upper(), quote(Path(os.path.relpath(files[ending], page_folder)).as_posix()))
        for ending in ("pdf", "png", "svg")
        if files[ending].is_file()
    ]
    found.data[anchor] = [
        (table.name, quote(Path(os.path.relpath(table, page_folder)).as_posix()))
        for table in figure.tables
        if table.is_file()
    ]


def render(view: Page) -> str:
    """Returns the page as HTML: everything inside, nothing fetched."""
    environment = Environment(
        loader=PackageLoader("harness.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(FILTERS)
    style, script = _part("style.css"), _part("page.js")
    return environment.get_template("page.html.j2").render(
        page=view,
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _part(name: str) -> str:
    """Returns a file of the templates that goes into the page as it is."""
    text = resources.files("harness.report").joinpath("templates", name).read_text(encoding="utf-8")
    if "</" in text:
        raise KvasirError(f"templates/{name}: '</' would end the element that holds it")
    return text
