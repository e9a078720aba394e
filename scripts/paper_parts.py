"""Write the parts of the write-up that come from results: values.tex, verdicts.tex, figures.tex."""

from pathlib import Path

import typer

from harness.claims.verdicts import read_csv
from harness.core.cli import main
from harness.core.files import replacing
from harness.plan.planner import choose
from harness.report.latex import figure_list, values, verdict_table
from harness.results.layout import run_files


def paper_parts(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the parts into FOLDER."""
    planner = choose(choices)
    config = planner.config
    results = Path(config.results)
    verdicts = [row for study in config.studies for row in read_csv(results / "claims" / f"{study}.csv")]
    runs = len(run_files(planner.tables))
    parts = {
        "values": values(config, runs, verdicts),
        "verdicts": verdict_table(verdicts),
        "figures": figure_list(list(config.studies.values())),
    }
    for name, text in parts.items():
        with replacing(folder / f"{name}.tex") as scratch:
            scratch.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(paper_parts)
