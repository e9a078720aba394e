"""Write the pages of the project's site and the settings by which MkDocs builds it."""

from datetime import UTC, datetime
from pathlib import Path

import typer

from harness.config.archive import read_provenance
from harness.config.load import read_levers
from harness.core.cli import main
from harness.plan.planner import choose
from harness.report.build import benchmark_folders, gather
from harness.report.overview import overview
from harness.report.provenance import job_seconds
from harness.report.runs import read_jobs
from harness.report.site.build import write_site
from harness.report.view import page

OWN_JOBS = ("site_pages", "site")
"""They tell of the site before this one."""


def site_pages(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write pages and settings into FOLDER, which is emptied."""
    planner = choose(choices)
    top = planner.config.top
    origin = read_provenance(Path(top.replay), top.scale) if top.replay else None
    levers = read_levers(Path("config/levers.yaml"))
    shown = overview(planner.config, {}, datetime.now(UTC), origin, levers)
    view = page(shown, gather(planner, shown, folder))
    jobs = [
        job
        for label, place in benchmark_folders(planner.config).items()
        for job in read_jobs(place, label, OWN_JOBS)
    ]
    write_site(Path(), folder, view, jobs, job_seconds(planner))


if __name__ == "__main__":
    main(site_pages)
