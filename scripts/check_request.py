"""Checks what `make reproduce` was asked for, before Snakemake starts."""

from pathlib import Path

import typer
from snakemake.cli import parse_args

from harness.config.request import check_choices, check_targets, rule_names
from harness.core.cli import main


def request(
    scale: str = typer.Option("", help="as SCALE of make; empty: what config.yaml says"),
    site: str = typer.Option("", help="as SITE of make"),
    studies: str = typer.Option("", help="as STUDIES of make"),
    replay: str = typer.Option("", help="as REPLAY of make"),
    arguments: list[str] = typer.Argument(None, help="of Snakemake, after --"),
) -> None:
    """Check configuration and targets; print `dry` if the ARGUMENTS ask for a dry run, else `run`."""
    config = check_choices(scale, site, studies, replay)
    if not arguments:
        print("run")
        return
    _, parsed = parse_args(arguments)
    check_targets(sorted(parsed.targets), config, rule_names(Path()))
    print("dry" if parsed.dryrun else "run")


if __name__ == "__main__":
    main(request)
