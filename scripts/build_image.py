"""Build one image, and sign it where the site has a key for that."""

from pathlib import Path

import typer

from harness.command import main
from harness.config.site import SiteSpack
from harness.errors import KvasirError
from harness.hadoop.assembly.jars import provide
from harness.images import apptainer, signing
from harness.images.build import build
from harness.images.lend import VARIABLE
from harness.images.recipe import Recipe

DIST = Path("src/hadoop/dist")


def image(
    name: str,
    output: Path,
    base: Path = typer.Option(None, help="the image it begins with"),
    mirror: str = typer.Option(None, help="address of a Debian mirror; default: what apt is set up with"),
    spack: str = typer.Option(None, envvar=VARIABLE, help="section images: spack of the site file, as JSON"),
    sign_key: Path = typer.Option(None, help="private key, a PEM file without a password"),
) -> None:
    """Build image NAME into OUTPUT, as an ordinary user."""
    if refused := apptainer.refusal():
        raise KvasirError(f"no image can be built: {refused}")
    section = SiteSpack.model_validate_json(spack) if spack else None
    recipe = Recipe(name, environment=section.environment if section else None)
    for folder in recipe.made:
        version = folder.parent.name
        provide(DIST / "pom.xml", version, DIST / f"{version}.lock", folder.resolve())
    build(recipe, output, base, mirror, section)
    if sign_key:
        signing.sign(output, sign_key)


if __name__ == "__main__":
    main(image)
