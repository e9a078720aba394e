"""Take programs from an image: under their usual names, and started in it."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.images.launch import read_facts, take_programs


def take(
    image: Path,
    facts: Path,
    programs: list[str],
    tools: list[str] = typer.Option(
        [], "--tool", help="programs whose version belongs to what is in the image"
    ),
    mpirun: bool = typer.Option(
        False, "--mpirun", help="the image's own mpirun as well, for runs on one machine"
    ),
) -> None:
    """Write launchers of PROGRAMS in IMAGE into the folder bin beside FACTS; FACTS (.json) tells what they are."""
    known = read_facts(image.with_suffix(".json"))
    take_programs(image, known, programs, ["c++", *tools], facts, Path(), mpirun)


if __name__ == "__main__":
    main(take)
