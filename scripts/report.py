"""Make the report: one self-contained page from verdicts, figures, records and run times."""

from datetime import UTC, datetime
from pathlib import Path

import typer

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
    shown = overview(planner.config, git_state(), datetime.now(UTC))
    build(shown, gather(planner, shown, output.parent), output)


if __name__ == "__main__":
    main(report)
