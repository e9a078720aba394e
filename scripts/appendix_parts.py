"""Write the parts of the artifact appendix that come from results: values.tex, claims.tex, experiments.tex."""

from pathlib import Path

import typer

from harness.claims.verdicts import read_csv
from harness.config.archive import read_provenance
from harness.core.cli import main
from harness.core.files import replacing
from harness.plan.planner import choose
from harness.report.appendix import Part, claims, experiments, values
from harness.report.provenance import origin_of
from harness.results.layout import verdicts_of


def appendix_parts(
    folder: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the parts into FOLDER."""
    planner = choose(choices)
    config, top = planner.config, planner.config.top
    origin = read_provenance(Path(top.replay), top.scale).model_dump() if top.replay else origin_of(planner)
    parts = [
        Part(
            study=study,
            rows=read_csv(Path(verdicts_of(config, name)), name),
            seconds=origin["seconds"].get(name, 0.0),
            memory=planner.plan(name).needs.memory,
            disk=planner.plan(name).needs.disk + planner.plan(name).needs.scratch,
        )
        for name, study in config.studies.items()
    ]
    texts = {
        "values": values(parts, origin),
        "claims": claims(parts),
        "experiments": experiments(parts, top.scale),
    }
    for name, text in texts.items():
        with replacing(folder / f"{name}.tex") as scratch:
            scratch.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(appendix_parts)
