"""Make the runs of one cell that are not there yet: start its cluster, run, watch, check, record."""

import sys
from pathlib import Path

import typer

from harness.cells.driver import Driver
from harness.cells.measure import programs_of
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.hosts.slurm import require_nodes
from harness.plan.planner import choose
from harness.runs.run import Interrupted, install_signal_handlers
from harness.slurm.attempts import noted
from harness.slurm.jobs import job_of_cell


def run_cell(
    cell: str,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Make all runs of CELL and write OUTPUT (its cell.json) when they are there."""
    install_signal_handlers()
    planner = choose(choices)
    spec = planner.cell(cell)
    if output.parent != Path(spec.folder):
        raise KvasirError(f"{output}: cell {cell} has its results in {spec.folder}")
    site = planner.config.site
    nodes = require_nodes(job_of_cell(spec, site).nodes) if site.batch is not None else []
    try:
        with noted(output, Path(planner.config.results), nodes) as batch:
            Driver(spec, programs_of(spec), batch).make()
    except OSError as error:
        raise KvasirError(f"{error.filename or output}: {error.strerror}: the cell is not complete") from None
    except Interrupted as error:
        print(f"error: {output}: {error}: runs that were complete are kept", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main(run_cell)
