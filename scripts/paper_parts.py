"""Write the parts of the paper that come from results: values, studies, figures, verdicts and references as LaTeX."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.files import write_text
from harness.plan.planner import choose
from harness.report import paper
from harness.report.parts import origin_and_parts


def paper_parts(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the parts into FOLDER."""
    origin, parts = origin_and_parts(choose(choices))
    texts = {
        "values": paper.values(parts, origin),
        "studies": paper.studies(parts),
        "figures": paper.figures(parts),
        "references": paper.references(parts),
        "verdicts": paper.verdict_table([row for part in parts for row in part.rows]),
    }
    for name, text in texts.items():
        write_text(text, folder / f"{name}.tex")


if __name__ == "__main__":
    main(paper_parts)
