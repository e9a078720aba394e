"""After a workflow on a cluster: record the runs whose every job was ended by SLURM, and say why."""

import sys

import typer

from harness.core.cli import main
from harness.plan.planner import choose
from harness.slurm.attempts import record_lost


def lost(
    choices: list[str] = typer.Argument(None, help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Record lost runs of the chosen scale and site as failed, so that tables can say so."""
    found = list(record_lost(choose(choices or [])))
    for run in found:
        print(f"lost: {run.name}: {run.reason}", file=sys.stderr)
    if found:
        print(
            f"{len(found)} runs or cells are recorded as failed: the same command goes on without them,"
            " `make retry` forgets them first",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main(lost)
