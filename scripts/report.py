"""Make the report: one self-contained page from verdicts, figures, records and run times."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.environment import git_state
from harness.plan.planner import choose
from harness.report.build import build, gather, shown_by


def report(
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the page of the chosen studies to OUTPUT."""
    planner = choose(choices)
    shown = shown_by(planner, git_state())
    build(shown, gather(planner, shown, output.parent), output)


if __name__ == "__main__":
    main(report)
