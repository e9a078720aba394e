"""Write the pages of the project's site and the settings by which MkDocs builds it."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.plan.planner import choose
from harness.report.build import gather, shown_by
from harness.report.provenance import job_seconds
from harness.report.site.build import write_site
from harness.report.view import page

OWN_JOBS = ("site_pages", "site")


def site_pages(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write pages and settings into FOLDER, which is emptied."""
    planner = choose(choices)
    shown = shown_by(planner, {})
    found = gather(planner, shown, folder, OWN_JOBS)
    write_site(Path(), folder, page(shown, found), found.jobs or [], job_seconds(planner))


if __name__ == "__main__":
    main(site_pages)
