"""Write the effects of what the studies change, side by side: what is left of time and energy."""

import csv
from pathlib import Path

import typer

from harness.claims.files import read_claims
from harness.claims.levers import COLUMNS, effects
from harness.claims.verdicts import read_csv, text_of
from harness.config.load import read_levers
from harness.core.cli import main
from harness.core.files import replacing
from harness.plan.planner import choose
from harness.results.layout import verdicts_of


def levers(
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Write the table to OUTPUT; the effects of studies that were not chosen stay empty."""
    config = choose(choices).config
    files = [read_claims(path) for path in sorted(Path("config/claims").glob("*.yaml"))]
    claims = {claim.id: claim for file in files for claim in file.claims}
    verdicts = [row for study in config.studies for row in read_csv(Path(verdicts_of(config, study)), study)]
    rows = effects(read_levers(Path("config/levers.yaml")), claims, {row.id: row for row in verdicts})
    with replacing(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows({name: text_of(value) for name, value in row.items()} for row in rows)


if __name__ == "__main__":
    main(levers)
