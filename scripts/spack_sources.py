"""Put the sources of our own Spack packages into a mirror, as archives that are the same on every machine."""

from dataclasses import asdict
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.files import dump_json
from harness.images.sources import PACKAGES, mirror, renew

ROOT = Path(__file__).parents[1]


def sources(
    target: Path = typer.Argument(help="the mirror's folder"),
    facts: Path = typer.Argument(help="file (.json) that gets version and SHA-256 of each package"),
    pin: bool = typer.Option(
        False, "--pin", help="first write the present sources' SHA-256 into the recipes"
    ),
) -> None:
    """Write the archives that the recipes of spack_repo/ pin into TARGET; it fails if the sources are others."""
    for package in PACKAGES:
        if pin and renew(package, ROOT):
            print(f"{package.name}: recipe renewed")
    pins = mirror(ROOT, target)
    dump_json({name: asdict(found) for name, found in pins.items()}, facts)
    print(f"{len(pins)} sources in {target}")


if __name__ == "__main__":
    main(sources)
