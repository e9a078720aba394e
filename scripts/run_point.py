"""Run one point of an experiment once and write its record."""

import json
import sys
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.results.records import remove_leftovers
from harness.runs.run import Interrupted, install_signal_handlers, run
from harness.slurm.attempts import noted


def run_point(
    study: str,
    experiment: str,
    point: str,
    rep: int,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Run repetition REP of POINT and write OUTPUT (a run.json) with its trace and log beside it."""
    install_signal_handlers()
    planner = choose(choices)
    spec = planner.run(study, experiment, point, rep)
    nodes: list[str] = []
    if planner.config.site.batch is not None:
        from harness.hosts.slurm import require_nodes

        nodes = require_nodes(spec.nodes)
    target = output.parent
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent, target.name)
    try:
        built = Path(spec.built)
        facts = {built.stem: json.loads(built.read_text(encoding="utf-8"))}
        with noted(output, Path(planner.config.results), nodes) as batch:
            outcome = run(spec, facts, target, batch)
    except OSError as error:
        raise KvasirError(f"{error.filename or target}: {error.strerror}: nothing was recorded") from None
    except Interrupted as error:
        print(f"error: {output}: {error}: nothing was recorded", file=sys.stderr)
        sys.exit(1)
    print(f"{outcome.status} after {outcome.seconds:.2f} s {outcome.reason}")


if __name__ == "__main__":
    main(run_point)
