"""What an image's content hashes to, whoever signed it and whenever it was built."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

from harness.core.errors import KvasirError
from harness.images import apptainer

_SYSTEM = re.compile(r"^\s*(\d+)\s*\|.*\|\s*FS \(Squashfs/\*System", re.MULTILINE)


def object_of(listing: str) -> str:
    """Number of the file system in what `apptainer sif list` prints. Raises KvasirError when there is none."""
    found = _SYSTEM.search(listing)
    if found is None:
        raise KvasirError(f"holds no file system of an image: {listing.strip()[:200]}")
    return found[1]


def content(image: Path) -> str:
    """SHA-256 of the image's file system, without its signatures and the times of its making."""
    try:
        number = object_of(apptainer.run(["sif", "list", str(image)]))
    except KvasirError as error:
        raise KvasirError(f"{image}: {error}") from None
    total = hashlib.sha256()
    with subprocess.Popen(
        [apptainer.PROGRAM, "sif", "dump", number, str(image)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        while block := process.stdout.read(1 << 20):
            total.update(block)
    if process.returncode:
        raise KvasirError(f"{image}: cannot be read by apptainer sif dump")
    return total.hexdigest()
