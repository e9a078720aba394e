"""Reads documents, figures and tables, and writes the pages of the site with the settings by which MkDocs builds it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import polars
import yaml

from harness.core.errors import KvasirError
from harness.core.files import replacing, write_text
from harness.report.claims import sources
from harness.report.runs import Job
from harness.report.site.documents import DOCUMENTS, FILES, converted, found, navigation, page_of
from harness.report.site.results import (
    TOGETHER,
    Files,
    TableFile,
    drawn_sources,
    gallery,
    gallery_index,
    times,
    together,
    verdicts,
)
from harness.report.view import FigureView, Page

LARGEST_TABLE = 2_000_000
"""Bytes of the largest table that is copied into the site."""
PAGES = "pages"
"""The folder of the pages, beside the settings."""


def source_column(path: Path) -> list[str]:
    """Returns the different sources in a table, sorted; none where it has no such column. Raises KvasirError."""
    try:
        lazy = polars.scan_csv(path, infer_schema=False)
        if "source" not in lazy.collect_schema().names():
            return []
        names = lazy.select(polars.col("source").unique()).collect().to_series().drop_nulls()
    except (OSError, polars.exceptions.PolarsError) as error:
        raise KvasirError(f"{path}: the table cannot be read: {error}; make it again") from None
    # A cell of a number that rests on several has several.
    return sorted({one.text for cell in names for one in sources(cell)})


def copied(source: Path, pages: Path, place: str) -> str:
    """Copy a file to its place on the site; returns the place. Raises KvasirError."""
    with replacing(pages / place) as scratch:
        shutil.copyfile(source, scratch)
    return place


def files_of(study: str, view: FigureView, pages: Path) -> Files:
    """Copy a figure and its tables; returns what there is of them, and the sources of their numbers."""
    svg = view.figure.stem.with_name(f"{view.figure.stem.name}.svg")
    there = [path for path in view.figure.tables if path.is_file()]
    tables = []
    for path in view.figure.tables:
        size = path.stat().st_size if path in there else None
        fits = size is not None and size <= LARGEST_TABLE
        target = copied(path, pages, f"tables/{study}/{path.name}") if fits else ""
        tables.append(TableFile(path=path.as_posix(), size=size, target=target))
    return Files(
        image=copied(svg, pages, f"figures/{study}/{svg.name}") if view.svg else "",
        drawn=drawn_sources(svg.read_text(encoding="utf-8")) if view.svg else (),
        tabled=tuple(sorted({name for path in there for name in source_column(path)})),
        tables=tuple(tables),
    )


def repository_of(citation: Path) -> str:
    """Returns the address of the repository that CITATION.cff names; '' where it names none. Raises KvasirError."""
    try:
        return str(yaml.safe_load(citation.read_text(encoding="utf-8")).get("repository-code", ""))
    except (OSError, yaml.YAMLError) as error:
        raise KvasirError(f"{citation}: cannot be read: {error}") from None


def write_site(
    root: Path, folder: Path, view: Page, jobs: Iterable[Job], seconds: Mapping[str, float]
) -> None:
    """Write pages and settings into `folder`, which is emptied; documents are those of the checkout `root`.

    `seconds`: wall time of the jobs that made a study's runs. Raises KvasirError.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / PAGES
    files = {one.anchor: files_of(study.id, one, pages) for study in view.studies for one in study.figures}
    if view.together:
        files[view.together.anchor] = files_of(TOGETHER, view.together, pages)
    documents, loaded = found(root, DOCUMENTS), found(root, FILES)
    repository = repository_of(root / "CITATION.cff")
    for source in documents:
        text = (root / source).read_text(encoding="utf-8")
        # The home page has no neighbours to navigate to.
        head = "---\nhide: [navigation]\n---\n\n" if source == "README.md" else ""
        write_text(head + converted(text, source, [*documents, *loaded], repository), pages / page_of(source))
    for source in loaded:
        copied(root / source, pages, page_of(source))
    drawn = [study for study in view.studies if study.figures]
    for study in drawn:
        write_text(gallery(study, files), pages / f"gallery/{study.id}.md")
    if view.together:
        write_text(together(view.together, files[view.together.anchor]), pages / f"gallery/{TOGETHER}.md")
    write_text(gallery_index(view, files), pages / "gallery/index.md")
    write_text(verdicts(view), pages / "verdicts.md")
    write_text(times(view, jobs, seconds), pages / "times.md")
    settings = {
        "INHERIT": os.path.relpath(root / "docs/mkdocs.yml", folder),
        "docs_dir": PAGES,
        "nav": navigation(
            documents, [*([TOGETHER] if view.together else []), *(study.id for study in drawn)]
        ),
    }
    write_text(yaml.safe_dump(settings, sort_keys=False), folder / "mkdocs.yml")
