"""Signatures: made with the site's private key, asked for with its public key before an image is used."""

from __future__ import annotations

from pathlib import Path

from harness.core.errors import KvasirError
from harness.images import apptainer


def sign(image: Path, key: Path) -> None:
    """Sign with a private key in a PEM file that asks for no password. Raises KvasirError when that fails."""
    apptainer.run(["sign", "--key", str(key), str(image)])


def verify(image: Path, key: Path) -> None:
    """Raise KvasirError unless all of the image is signed with the private part of `key`, a PEM file."""
    try:
        apptainer.run(["verify", "--all", "--key", str(key), str(image)])
    except KvasirError as error:
        raise KvasirError(
            f"{image}: is not signed with {key}, so it is not used: delete it to have it built again, or get it "
            f"from who has that key ({error})"
        ) from None
