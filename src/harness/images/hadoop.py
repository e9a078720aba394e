"""Hadoop from its image: a Java that runs in it, and what that Java runs, laid where Hadoop is put together."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from harness.core.errors import KvasirError
from harness.hadoop.assembly import Taken
from harness.images import apptainer
from harness.images.launch import INSIDE, launcher, places_of, read_facts, short, write_launcher

PARTS = "parts"


def take_hadoop(image: Path, root: Path, project: Path) -> Taken:
    """Take Hadoop out of `image` into folders of `root`; Java stays inside, and is started there.

    The jars have to lie outside as well: the class archive, which halves the time that a Java needs to start, knows
    the paths and times of the jars that it was made from. Raises KvasirError when the image cannot be started, or YARN
    could not start a Java in `root`.
    """
    if not re.fullmatch(r"[\w/.+-]+", str(root.resolve()), re.ASCII):
        raise KvasirError(
            f"{root.resolve()}: YARN starts Java by its unquoted path, and an image's Java lies in this folder: move "
            f"the project to a folder without blanks and quotes, make {root.parent} a link to one, or leave out "
            "--sdm apptainer"
        )
    facts = read_facts(image.with_suffix(".json"))
    identity = facts.identity
    home = (root / f"image-{identity}").resolve()
    inside = apptainer.inside(image, "readlink", "-f", "/usr/bin/java").strip()
    text = launcher(inside, image.resolve(), identity, places_of(project))
    parts = home / PARTS
    if not parts.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        scratch = home / f".{PARTS}"
        shutil.rmtree(scratch, ignore_errors=True)
        bind = ["--bind", str(home), *apptainer.flags()]
        copy = ["cp", "-r", "--no-preserve=mode", f"{INSIDE}/lib", f"{INSIDE}/workloads.jar"]
        scratch.mkdir()
        apptainer.run(["exec", *bind, "--cleanenv", "--no-home", str(image), *copy, str(scratch)])
        scratch.rename(parts)
    write_launcher(home / "bin/java", text)
    return Taken(java=home, lib=parts / "lib", jobs=parts / "workloads.jar", image=short(facts))
