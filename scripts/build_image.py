"""Build one image, and sign it where the site has a key for that."""

from pathlib import Path

import typer
import yaml

from harness.config.load import parse
from harness.config.site import SiteImages
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.hadoop.assembly.jars import provide
from harness.images import apptainer
from harness.images.build import build
from harness.images.recipe import Recipe
from harness.images.spack_mounts import VARIABLE

DIST = Path("src/hadoop/dist")


def image(
    name: str,
    output: Path,
    base: Path = typer.Option(None, help="the image it begins with"),
    site: str = typer.Option("{}", envvar=VARIABLE, help="section images of the site file, as JSON"),
) -> None:
    """Build image NAME into OUTPUT, as an ordinary user."""
    if refused := apptainer.refusal():
        raise KvasirError(f"no image can be built: {refused}")
    section = parse(SiteImages, yaml.safe_load(site), f"--site, or {VARIABLE}")
    recipe = Recipe(name, environment=section.environment)
    for folder in recipe.made:
        version = folder.parent.name
        provide(DIST / "pom.xml", version, DIST / f"{version}.lock", folder.resolve())
    build(recipe, output, base, section.mirror, section.spack)
    if section.sign_key:
        apptainer.sign(output, Path(section.sign_key))


if __name__ == "__main__":
    main(image)
