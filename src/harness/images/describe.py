"""Describes a built image: digest, labels, packages. Rules that use an image depend on this file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from harness.core.errors import KvasirError
from harness.core.models import Strict
from harness.images import apptainer, sif
from harness.images.sbom import sbom

if TYPE_CHECKING:
    from harness.images.recipe import Recipe


class ImageFacts(Strict):
    """One image, as its file `<name>-<identity>.json` and every record of a run in it say."""

    name: str
    identity: str
    """Hash of what it was made from; part of its file name."""
    sha256: str
    """Hash of its content."""
    megabytes: float
    """Size of its file, 10^6 bytes."""
    packages: Literal["debian", "spack"]
    """What it was made of."""
    labels: dict[str, str]
    signed_with: str | None
    """Public key that it was found to be signed with; None: nobody asked."""


def describe(recipe: Recipe, image: Path, key: Path | None) -> tuple[ImageFacts, dict[str, object]]:
    """Describe an image and list its bill of materials; with a `key`, verify its signature first.

    Raises KvasirError when the signature is missing or wrong, or the file is another image.
    """
    if key is not None:
        apptainer.verify(image, key)
    labels = apptainer.labels(image)
    if (found := labels.get("kvasir.identity", "")) != recipe.identity:
        raise KvasirError(
            f"{image}: expected the image {recipe.name}-{recipe.identity}, found {found or 'another'}"
        )
    sha256 = sif.hash_system(image)
    facts = ImageFacts(
        name=recipe.name,
        identity=recipe.identity,
        sha256=sha256,
        megabytes=round(image.stat().st_size / 1e6, 1),
        packages=recipe.way,
        labels={
            name: value
            for name, value in labels.items()
            if name.startswith(("org.opencontainers", "kvasir."))
        },
        signed_with=str(key) if key else None,
    )
    created = labels.get("org.opencontainers.image.created", "")
    return facts, sbom(image, f"{recipe.name}-{recipe.identity}", sha256, created)
