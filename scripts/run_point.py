"""Run one point of an experiment once and write its record."""

import json
import signal
import sys
from pathlib import Path

import typer

from harness.command import main
from harness.errors import KvasirError
from harness.planning import choose
from harness.processes import die_with_parent
from harness.records import remove_leftovers
from harness.run import CapUnavailable, Interrupted, PowerError, on_signal, run


def run_point(
    study: str,
    experiment: str,
    point: str,
    rep: int,
    output: Path,
    choices: list[str] = typer.Option([], "--choose", help="scale=NAME, site=NAME, seed=N, studies=A,B"),
) -> None:
    """Run repetition REP of POINT and write OUTPUT (a run.json) with its trace and log beside it."""
    die_with_parent()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    spec = choose(choices).run(study, experiment, point, rep)
    target = output.parent
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent, target.name)
    try:
        built = Path(spec.built)
        facts = {built.stem: json.loads(built.read_text(encoding="utf-8"))}
        outcome = run(spec, facts, target)
    except (PowerError, CapUnavailable) as error:
        raise KvasirError(f"{output}: the power source refuses: {error}") from None
    except OSError as error:
        raise KvasirError(f"{error.filename or target}: {error.strerror}: nothing was recorded") from None
    except Interrupted as error:
        print(f"error: {output}: {error}: nothing was recorded", file=sys.stderr)
        sys.exit(1)
    print(f"{outcome.status} after {outcome.seconds:.2f} s {outcome.reason}")


if __name__ == "__main__":
    main(run_point)
