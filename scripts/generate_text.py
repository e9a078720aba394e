"""Generate one text by the engine's generator."""

import subprocess
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.kernel.linux import die_with_parent


def generate(
    program: Path,
    text: Path,
    report: Path,
    law: str = typer.Option(..., help="interleaved, zipf or superkey"),
    words: int = typer.Option(...),
    unique: int = typer.Option(...),
    parameter: float = typer.Option(..., help="exponent of the Zipf law or share of the superkey"),
    seed: int = typer.Option(...),
    threads: int = typer.Option(1),
) -> None:
    """Write TEXT and its REPORT by PROGRAM."""
    own = {"zipf": [f"--exponent={parameter}"], "superkey": [f"--share={parameter}"]}.get(law, [])
    command = [
        str(program),
        f"--distribution={law}",
        f"--words={words}",
        f"--unique={unique}",
        f"--seed={seed}",
    ]
    command += [*own, f"--threads={threads}", f"--output={text}", f"--report={report}"]
    done = subprocess.run(command, check=False, preexec_fn=die_with_parent)
    if done.returncode:
        raise KvasirError(f"{text}: the generator failed (exit code {done.returncode}): {' '.join(command)}")


if __name__ == "__main__":
    main(generate)
