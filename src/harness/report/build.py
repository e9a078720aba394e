"""From a manifest to a page on disk: the rim that reads and writes."""

from __future__ import annotations

import base64
import hashlib
import os
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.report import inputs as read
from harness.report.claims import anchor_of_figure
from harness.report.manifest import Figure, ReportManifest
from harness.report.svg import inline_svg
from harness.report.view import FILTERS, Inputs, Page, page


def build(manifest: ReportManifest, output: Path) -> None:
    """Write the page of `manifest` to `output`, under a temporary name first.

    Raises KvasirError, leaving `output` as it was, when an input is broken or the page cannot be written.
    """
    text = render(page(manifest, load(manifest, output.parent)))
    with replacing(output) as scratch:
        scratch.write_text(text, encoding="utf-8")


def load(manifest: ReportManifest, page_folder: Path) -> Inputs:
    """Read all that the manifest names; links will be relative to `page_folder`."""
    found = Inputs()
    for study in manifest.studies:
        if study.claims_csv:
            found.claims[study.id] = read.read_claims(study.claims_csv, study.id)
        if study.runs_csv:
            found.runs[study.id] = read.read_runs(study.runs_csv)
        for figure in study.figures:
            _load_figure(figure, anchor_of_figure(study.id, figure.id), page_folder, found)
    if manifest.environment_json:
        found.environments = read.read_environments(manifest.environment_json)
    if manifest.choice_csv:
        found.choice = read.read_choice(manifest.choice_csv)
    folders = {"": manifest.benchmarks_dir, **manifest.shared_benchmarks}
    found.jobs = [job for label, folder in folders.items() if folder for job in read.read_jobs(folder, label)]
    return found


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
    found.links[anchor] = [
        (ending.upper(), quote(Path(os.path.relpath(files[ending], page_folder)).as_posix()))
        for ending in ("pdf", "png", "svg")
        if files[ending].is_file()
    ]


def render(view: Page) -> str:
    """The page as HTML: everything inside, nothing fetched."""
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
    """A file of the templates that goes into the page as it is."""
    text = resources.files("harness.report").joinpath("templates", name).read_text(encoding="utf-8")
    if "</" in text:
        raise KvasirError(f"templates/{name}: '</' would end the element that holds it")
    return text
