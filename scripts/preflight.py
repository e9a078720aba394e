"""Check a cluster against its site file: first what the login node can ask, then two nodes, in a short job."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.plan.planner import Planner, choose
from harness.slurm.jobs import wanted_by
from harness.slurm.nodes import on_nodes
from harness.slurm.preflight import Check, allocation, on_login


def told(checks: Iterable[Check]) -> list[Check]:
    """Print each answer as it comes."""
    answers = []
    for check in checks:
        print(check.line, flush=True)
        answers.append(check)
    return answers


def examine(planner: Planner, words: list[str], folder: Path, images: bool) -> list[Check]:
    """All checks; those of the nodes are made by this same script in a job."""
    batch = planner.config.site.batch
    if batch is None:
        raise KvasirError(
            f"site {planner.config.top.site} has no section batch: its jobs run on this machine"
        )
    wanted = wanted_by(planner)
    answers = told(on_login(batch, wanted))
    if not all(check.passed for check in answers):
        return answers
    (folder / "token").write_text(os.urandom(8).hex(), encoding="utf-8")
    nodes = min(2, wanted.nodes)
    print(f"      waiting for {nodes} nodes", flush=True)
    inside = [sys.executable, __file__, str(folder / "nodes.json"), *words, f"--nodes={nodes}"]
    inside += ["--images"] if images else []
    done = subprocess.run(
        ["salloc", *allocation(batch, nodes), *inside], stdin=subprocess.DEVNULL, check=False
    )
    there = (folder / "nodes.json").is_file()
    if not there:
        advice = "its messages are above"
        return [*answers, *told([Check("job on two nodes", False, f"ended with {done.returncode}", advice)])]
    rows = json.loads((folder / "nodes.json").read_text(encoding="utf-8"))
    return [*answers, *(Check(**row) for row in rows)]


def preflight(
    output: Path,
    choices: list[str] = typer.Argument(help="scale=NAME, site=NAME, seed=N, studies=A,B"),
    nodes: int = typer.Option(0, help="within a job: ask these nodes only"),
    images: bool = typer.Option(False, "--images", help="programs will run in images of Apptainer"),
) -> None:
    """Write OUTPUT when all is well; otherwise say what is not and end with 1."""
    planner = choose(choices)
    folder = output.parent / f"{output.stem}.preflight" if not nodes else output.parent
    folder.mkdir(parents=True, exist_ok=True)
    if nodes:
        token = (folder / "token").read_text(encoding="utf-8")
        answers = told(on_nodes(planner.config.site, nodes, folder.resolve(), token, images))
    else:
        try:
            answers = examine(planner, choices, folder, images)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        failed = sum(not check.passed for check in answers)
        if failed:
            raise KvasirError(f"{failed} of {len(answers)} checks failed: nothing was queued")
    dump_json([asdict(check) for check in answers], output)


if __name__ == "__main__":
    main(preflight)
