"""Write the parts of the forms for reviewers that come from the plan and from results, as LaTeX."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.files import write_text
from harness.plan.planner import choose
from harness.report.adae import artifacts, contributions
from harness.report.appendix import claims, experiments, values
from harness.report.parts import origin_and_parts
from harness.report.review import read_timed


def appendix_parts(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the parts into FOLDER."""
    origin, parts = origin_and_parts(choose(choices))
    texts = {
        "values": values(parts, origin, read_timed(Path("reference/review.csv"))),
        "claims": claims(parts),
        "experiments": experiments(parts, origin["scale"]),
        "contributions": contributions(parts),
        "artifacts": artifacts(parts, origin["scale"]),
    }
    for name, text in texts.items():
        write_text(text, folder / f"{name}.tex")


if __name__ == "__main__":
    main(appendix_parts)
