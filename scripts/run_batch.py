"""Make the runs of one batch of simulations that are not there yet, side by side."""

import os
import sys
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.runs.batch import BatchDriver
from harness.runs.run import Interrupted, install_signal_handlers
from harness.slurm.attempts import noted


def run_batch(
    study: str,
    batch: str,
    output: Path,
    cores: int = typer.Option(1, min=1, help="simulations side by side"),
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Make all runs of BATCH and write OUTPUT (its batch.json) when they are there."""
    install_signal_handlers()
    planner = choose(choices)
    spec = planner.batch(study, batch)
    if output != Path(spec.file):
        raise KvasirError(f"{output}: batch {batch} of study {study} has its file at {spec.file}")
    nodes: list[str] = []
    if planner.config.site.batch is not None:
        from harness.hosts.slurm import require_nodes

        nodes = require_nodes(1)
    try:
        with noted(output, Path(planner.config.results), nodes) as job:
            BatchDriver.of(spec, job).make(cores)
    except OSError as error:
        raise KvasirError(
            f"{error.filename or output}: {error.strerror}: the batch is not complete"
        ) from None
    except Interrupted as error:
        print(f"error: {output}: {error}: runs that were complete are kept", file=sys.stderr, flush=True)
        os._exit(1)  # at once, and with it the programs: sys.exit would wait for all that run


if __name__ == "__main__":
    main(run_batch)
