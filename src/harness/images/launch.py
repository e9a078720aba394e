"""Programs of an image under their usual names: small shell scripts that start them in it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.errors import KvasirError
from harness.files import dump_json, replacing
from harness.images import apptainer
from harness.images.describe import ImageFacts

INSIDE = "/opt/kvasir"
PROGRAMS = f"{INSIDE}/bin"
MARK = b"#!/bin/sh\n# Starts "


def launcher(program: str, image: Path, identity: str, places: Sequence[Path]) -> str:
    """The script that starts `program`, a path inside the image, with all of this process's environment.

    `places` are folders seen inside as outside, where they are there; so are the working folder, /tmp and /dev/shm.
    Inside the image the script starts the program itself: Hadoop's daemons start other Javas by the path they know.
    Raises KvasirError for a folder that Apptainer cannot be told.
    """
    for place in places:
        if set(str(place)) & set(":,\n"):
            raise KvasirError(f"{place}: images cannot be used in a folder with a colon or comma in its name")
    return f"""#!/bin/sh
# Starts {program} in the image {image.stem}; written when the image was chosen, see src/harness/images.
if [ -r {INSIDE}/identity ] && read -r found < {INSIDE}/identity && [ "$found" = {identity} ]; then
  exec {program} "$@"
fi
set -- {shlex.quote(str(image))} {program} "$@"
for place in {shlex.join(map(str, places))}; do
  [ ! -d "$place" ] || set -- --bind "$place" "$@"
done
# Root, too, gets a user namespace of its own.
[ "$(id -u)" -ne 0 ] || set -- --userns "$@"
exec {apptainer.PROGRAM} --quiet exec --no-home "$@"
"""


def write_launcher(path: Path, text: str) -> None:
    """Write a launcher as a program."""
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")
        scratch.chmod(0o755)


def is_launcher(path: Path) -> bool:
    """Whether a file is a launcher, and not the program itself."""
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def read_facts(path: Path) -> ImageFacts:
    """What is known of an image. Raises KvasirError when its file is missing or something else."""
    try:
        return ImageFacts.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise KvasirError(f"{path}: expected what is known of an image: {error}") from None


def short(facts: ImageFacts) -> dict[str, str]:
    """What a record of a run says of the image."""
    return {"name": f"{facts.name}-{facts.identity}", "sha256": facts.sha256}


def sums(image: Path) -> dict[str, str]:
    """SHA-256 of our programs in an image, by name."""
    lines = apptainer.inside(image, "cat", f"{INSIDE}/programs").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def versions(image: Path, tools: Sequence[str]) -> dict[str, str]:
    """What programs say of their version that built what is in the image, or are in it."""
    return {tool: apptainer.inside(image, "cat", f"{INSIDE}/{tool}").strip() for tool in tools}


def take_programs(
    image: Path, facts: ImageFacts, programs: Sequence[str], tools: Sequence[str], target: Path, root: Path
) -> dict[str, Any]:
    """Put launchers of `programs` into the folder bin beside `target`, which gets what is known of them.

    It looks like what building them here leaves (scripts/build_programs.py), and says besides which image they are in.
    Raises KvasirError when the image lacks one.
    """
    there = sums(image)
    if missing := [name for name in programs if name not in there]:
        raise KvasirError(f"{image}: has no program {', '.join(missing)}, only {', '.join(there)}")
    for name in programs:
        text = launcher(f"{PROGRAMS}/{name}", image.resolve(), facts.identity, [root.resolve()])
        write_launcher(target.parent / "bin" / name, text)
    known = {
        "versions": versions(image, tools),
        "native": False,
        "sha256": {name: there[name] for name in programs},
        "image": short(facts),
    }
    dump_json(known, target)
    return known
