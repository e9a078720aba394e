"""Writes launchers: small shell scripts that start programs of an image under their usual names."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.images import apptainer
from harness.images.describe import ImageFacts

if TYPE_CHECKING:
    from harness.hadoop.assembly import Taken

INSIDE = "/opt/kvasir"
PROGRAMS = f"{INSIDE}/bin"
MPIRUN = "mpirun"
ALONE = "OMPI_MCA_btl_vader_single_copy_mechanism=none"
"""For ranks that a launcher of the host starts: each has a user namespace of its own, and Linux lets none read
another's memory. Without this Open MPI 4 finds out by itself, with a warning of every rank; Open MPI 5 finds out
silently and does not know the name."""
MARK = b"#!/bin/sh\n# Starts "


def launcher(program: str, image: Path, identity: str, places: Sequence[Path], setting: str = "") -> str:
    """Render the script that starts `program`, a path inside the image, with the caller's environment.

    `setting` (NAME=value) is added to it. `places` are folders seen inside as outside, where they are there; so are the
    working folder, /tmp and /dev/shm.
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
{f"export {setting}" if setting else "# The environment is that of the caller."}
set -- {shlex.quote(str(image))} {program} "$@"
for place in {shlex.join(map(str, places))}; do
  [ ! -d "$place" ] || set -- --bind "$place" "$@"
done
# Root, too, gets a user namespace of its own.
[ "$(id -u)" -ne 0 ] || set -- --userns "$@"
exec {apptainer.PROGRAM} --quiet exec --no-home "$@"
"""


def places_of(project: Path) -> list[Path]:
    """Return the bind mounts of programs in an image: the project, and targets of links in it or in build.

    People put data, results or programs on other disks that way.
    """
    root = project.resolve()
    links = [path for folder in (root, root / "build") if folder.is_dir() for path in folder.iterdir()]
    led = {path.resolve() for path in links if path.is_symlink() and path.is_dir()}
    return [root, *sorted(path for path in led if not path.is_relative_to(root))]


def write_launcher(path: Path, text: str) -> None:
    """Write a launcher as a program."""
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")
        scratch.chmod(0o755)


def is_launcher(path: Path) -> bool:
    """Return whether a file is a launcher, and not the program itself."""
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def remove_launchers(folder: Path) -> None:
    """Remove all launchers in a folder; programs stay."""
    for path in sorted(folder.glob("*")):
        if is_launcher(path):
            path.unlink()


def mpi_launcher(launching: Sequence[str], program: str) -> list[str]:
    """Return the MPI launch command; prefers the launcher installed in the image."""
    own = Path(program).with_name(launching[0]) if launching else None
    return [str(own), *launching[1:]] if own is not None and is_launcher(own) else list(launching)


def read_facts(path: Path) -> ImageFacts:
    """Read an image's facts. Raises KvasirError when the file is missing or something else."""
    try:
        return ImageFacts.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise KvasirError(f"{path}: expected what is known of an image: {error}") from None


def short(facts: ImageFacts) -> dict[str, str]:
    """Summarise the image for a run record."""
    return {"name": f"{facts.name}-{facts.identity}", "sha256": facts.sha256, "packages": facts.packages}


def sums(image: Path) -> dict[str, str]:
    """Return the SHA-256 of our programs in an image, by name."""
    lines = apptainer.inside(image, "cat", f"{INSIDE}/programs").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def versions(image: Path, tools: Sequence[str]) -> dict[str, str]:
    """Return versions of the compilers and libraries in the image."""
    return {tool: apptainer.inside(image, "cat", f"{INSIDE}/{tool}").strip() for tool in tools}


def take_programs(
    image: Path,
    facts: ImageFacts,
    programs: Sequence[str],
    tools: Sequence[str],
    target: Path,
    root: Path,
    mpirun: bool,
) -> dict[str, Any]:
    """Put launchers of `programs` into the folder bin beside `target`, which gets their facts.

    It looks like what building them here leaves (scripts/build_programs.py), and says besides which image they are in.
    With `mpirun` a launcher of the image's own mpirun lies beside them: on one machine it starts all ranks in one
    container, where they share memory as outside. Raises KvasirError when the image lacks a program.
    """
    bin_ = target.parent / "bin"
    remove_launchers(bin_)
    there = sums(image)
    if missing := [name for name in programs if name not in there]:
        raise KvasirError(f"{image}: has no program {', '.join(missing)}, only {', '.join(there)}")
    for name in programs:
        text = launcher(f"{PROGRAMS}/{name}", image.resolve(), facts.identity, places_of(root), ALONE)
        write_launcher(bin_ / name, text)
    if mpirun:
        text = launcher(f"/usr/bin/{MPIRUN}", image.resolve(), facts.identity, places_of(root))
        write_launcher(bin_ / MPIRUN, text)
    known = {
        "versions": versions(image, tools),
        "native": False,
        "sha256": {name: there[name] for name in programs},
        "image": short(facts),
    }
    dump_json(known, target)
    return known


PARTS = "parts"


def take_hadoop(image: Path, root: Path, project: Path) -> Taken:
    """Take Hadoop out of `image` into folders of `root`; Java stays inside, and is started there.

    The jars have to lie outside as well: the class archive, which halves the time that a Java needs to start, knows
    the paths and times of the jars that it was made from. Raises KvasirError when the image cannot be started, or YARN
    could not start a Java in `root`.
    """
    from harness.hadoop.assembly import Taken  # only here: every job of a run imports this module

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
        copy = [
            "cp",
            "-r",
            "--no-preserve=mode",
            f"{INSIDE}/lib",
            f"{INSIDE}/workloads.jar",
            f"{INSIDE}/plugins",
        ]
        scratch.mkdir()
        apptainer.run(["exec", *bind, "--cleanenv", "--no-home", str(image), *copy, str(scratch)])
        scratch.rename(parts)
    write_launcher(home / "bin/java", text)
    return Taken(
        java=home,
        lib=parts / "lib",
        jobs=parts / "workloads.jar",
        plugins=parts / "plugins",
        image=short(facts),
    )
