"""Make the report: one self-contained page from verdicts, figures, records and run times."""

from datetime import UTC, datetime
from pathlib import Path

import typer

from harness.config.archive import read_provenance
from harness.config.load import read_levers
from harness.core.cli import main
from harness.core.environment import git_state
from harness.plan.planner import choose
from harness.report.build import build, gather
from harness.report.overview import overview


def report(
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the page of the chosen studies to OUTPUT."""
    planner = choose(choices)
    top = planner.config.top
    origin = read_provenance(Path(top.replay), top.scale) if top.replay else None
    levers = read_levers(Path("config/levers.yaml"))
    shown = overview(planner.config, git_state(), datetime.now(UTC), origin, levers)
    build(shown, gather(planner, shown, output.parent), output)


if __name__ == "__main__":
    main(report)
