"""Builds an image from its definition, rootless, from nothing but the ingredients of its identity.

Two builds of one identity and one commit are the same bytes, whoever builds and wherever.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.config.site import SiteSpack
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.images import apptainer, pack, packages, spack_mounts
from harness.images.recipe import BASE, Recipe

BASE_FILE = "base.sif"
"""Name, in the build's folder, of the image that an image begins with; definitions say it, and so do labels."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The last change of an image's ingredients."""

    commit: str
    when: int
    """Seconds since 1970: the date of everything in the image."""

    @property
    def created(self) -> str:
        """Format the date as RFC 3339 has it."""
        return datetime.fromtimestamp(self.when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def origin(recipe: Recipe) -> Origin:
    """Return the last commit of an ingredient; its date is SOURCE_DATE_EPOCH where that is set.

    Without a history, or where a shallow clone ends before it, the commit is `unknown` and its date 1970. Raises
    KvasirError: SOURCE_DATE_EPOCH is no number.
    """
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told and not re.fullmatch(r"[0-9]{1,10}", told):
        raise KvasirError(f"SOURCE_DATE_EPOCH: found {told!r}: expected seconds since 1970")
    paths = [recipe.file, packages.LOCK, *recipe.sources]
    if recipe.base:
        paths += [recipe.base.file, *recipe.base.sources]
    if recipe.part:
        paths += [recipe.part.environment.file, recipe.part.environment.lock, *recipe.part.files]
    command = ["git", "log", "-1", "--format=%H %ct", "--", *map(str, paths)]
    done = subprocess.run(command, cwd=recipe.root, capture_output=True, text=True, check=False)
    found = re.fullmatch(r"([0-9a-f]+) ([0-9]+)", done.stdout.strip())
    if done.returncode or found is None or _is_boundary(found[1], recipe.root):
        return Origin(commit="unknown", when=int(told or 0))
    return Origin(commit=found[1], when=int(told or found[2]))


def _is_boundary(commit: str, root: Path) -> bool:
    """Returns whether a shallow clone ends at a commit: all files older than it seem to be of it."""
    command = ["git", "rev-parse", "--git-path", "shallow"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    file = root / done.stdout.strip()
    return done.returncode == 0 and file.is_file() and commit in file.read_text(encoding="utf-8").split()


def arguments(recipe: Recipe, archive: str, source: Origin) -> dict[str, str]:
    """Return the build arguments: values of the names between double braces in the definition."""
    pins = packages.digest(packages.read_lock(recipe.root), [BASE, *recipe.packages])
    stack = json.dumps(recipe.part.lock, sort_keys=True) if recipe.part else ""
    given = {
        "mirror": archive,
        "identity": recipe.identity,
        "packages": recipe.way,
        "lock": hashlib.sha256(f"{pins} {stack}".encode()).hexdigest() if stack else pins,
        "revision": source.commit,
        "created": source.created,
    }
    return {name: value for name, value in given.items() if f"{{{{ {name} }}}}" in recipe.text}


def gather(recipe: Recipe, folder: Path) -> None:
    """Copy the files that the definition copies into the image, and nothing else, into `folder`."""
    for path in recipe.sources:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(recipe.root / path, folder / path)
    (folder / recipe.file).parent.mkdir(parents=True, exist_ok=True)
    (folder / recipe.file).write_text(recipe.text, encoding="utf-8")
    for path in recipe.made:
        if not (recipe.root / path).exists():
            raise KvasirError(f"{recipe.file}: %files: {path} has not been made yet")
        shutil.copytree(recipe.root / path, folder / path, copy_function=_link)


def _link(source: str, target: str) -> None:
    """Hard link a file where possible, else copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def workshop(beside: Path) -> Path | None:
    """Create the build folder, on the image's file system, as one in memory may be too small.

    None, where temporary files go, if its name has blanks: debootstrap and definition files take names apart there.
    """
    return beside if re.fullmatch(r"[\w/.+-]+", str(beside.resolve()), re.ASCII) else None


def lend_all(
    recipe: Recipe, folder: Path, found: list[packages.Source], spack: SiteSpack | None, when: int
) -> list[str]:
    """Write the build's inputs into `folder`; return the bind mounts, `folder` first."""
    packages.lend(folder, found)
    (folder / "epoch").write_text(f"{when}\n", encoding="utf-8")
    (folder / "pins").mkdir()
    pins = packages.read_lock(recipe.root)
    for stage in {BASE, *recipe.packages}:
        (folder / "pins" / stage).write_text("\n".join(packages.words(pins, stage)) + "\n", encoding="utf-8")
    binds = [f"{folder}:{spack_mounts.LENT}"]
    if recipe.part and spack:
        spack_mounts.lend(recipe.part, spack, folder)
        binds += spack_mounts.binds(spack)
    return binds


def build(
    recipe: Recipe, target: Path, base: Path | None, archive: str | None, spack: SiteSpack | None = None
) -> None:
    """Build the image into the file `target`, beginning with the image `base`.

    `archive` is a Debian mirror, None: what this machine's apt is set up with; an image by Spack needs `spack`. Raises
    KvasirError when a package is not to be had at its pinned version, Spack is not there as it is pinned, or Apptainer
    fails; its messages go where ours go.
    """
    if (recipe.base is None) != (base is None):
        raise KvasirError(f"{recipe.file}: needs {'no' if base else 'a'} base image")
    if recipe.part:
        if spack is None:
            raise KvasirError(
                f"{recipe.file}: needs Spack: name it by images: {{spack: ...}} in the site file"
            )
        spack_mounts.check(recipe.part, spack)
    found = packages.sources(archive)
    source = origin(recipe)
    target.parent.mkdir(parents=True, exist_ok=True)
    place = workshop(target.parent)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=place) as name, replacing(target) as scratch:
        folder = Path(name).resolve()
        gather(recipe, folder / "context")
        if base is not None:
            (folder / "context" / BASE_FILE).symlink_to(base.resolve())
        words = ["build", "--fakeroot", "--sandbox"]
        for bind in lend_all(recipe, folder / "lent", found, spack, source.when):
            words += ["--bind", bind]
        (folder / "tmp").mkdir()
        for key, value in arguments(recipe, packages.main_archive(found), source).items():
            words += ["--build-arg", f"{key}={value}"]
        environment = {
            "SOURCE_DATE_EPOCH": str(source.when),
            "APPTAINER_TMPDIR": str(folder / "tmp"),
            "APPTAINER_CACHEDIR": str(folder / "cache"),
            # Of all ids, as packages give files to other groups; Snakemake's own containers have one.
            "APPTAINER_USERNS": "false",
        }
        root = folder / "root"
        apptainer.run([*words, str(root), str(recipe.file)], folder / "context", environment, quiet=False)
        pack.settle(root, recipe.text, source.created)
        pack.pack(root, scratch.resolve(), folder, source.when)
