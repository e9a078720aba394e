"""Check an image's signature where a key is configured, and write down what is known of it and what is in it."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.files import dump_json
from harness.images.describe import describe
from harness.images.recipe import Recipe


def image(
    name: str,
    file: Path,
    facts: Path,
    sbom: Path,
    spack_environment: str = typer.Option(
        None,
        help="folder of the environment of Spack that images are made of; default: none, of Debian packages",
    ),
    verify_key: Path = typer.Option(None, help="public key, a PEM file, that the image must be signed with"),
) -> None:
    """Write FACTS and SBOM (SPDX) of image NAME in FILE."""
    known, document = describe(Recipe(name, environment=spack_environment), file, verify_key)
    dump_json(document, sbom)
    dump_json(known.model_dump(mode="json"), facts)


if __name__ == "__main__":
    main(image)
