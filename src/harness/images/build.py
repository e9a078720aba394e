"""Builds an image from its definition, rootless, from nothing but the ingredients of its identity."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from harness.config.site import SiteSpack
from harness.core.environment import git_state
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.images import apptainer, packages, spack_mounts
from harness.images.recipe import BASE, Recipe


def epoch(recipe: Recipe) -> int:
    """Return the image's date, seconds since 1970: SOURCE_DATE_EPOCH, or the last commit of an ingredient."""
    if told := os.environ.get("SOURCE_DATE_EPOCH", ""):
        if not told.isdigit():
            raise KvasirError(f"SOURCE_DATE_EPOCH: found {told!r}: expected seconds since 1970")
        return int(told)
    paths = [recipe.file, packages.LOCK, *recipe.sources]
    if recipe.part:
        paths += [recipe.part.environment.file, recipe.part.environment.lock, *recipe.part.files]
    command = ["git", "log", "-1", "--format=%ct", "--", *map(str, paths)]
    done = subprocess.run(command, cwd=recipe.root, capture_output=True, text=True, check=False)
    said = done.stdout.strip()
    return int(said) if done.returncode == 0 and said.isdigit() else 0


def arguments(recipe: Recipe, base: Path, archive: str, when: int) -> dict[str, str]:
    """Return the build arguments: values of the names between double braces in the definition."""
    pins = packages.digest(packages.read_lock(recipe.root), [BASE, *recipe.packages])
    stack = json.dumps(recipe.part.lock, sort_keys=True) if recipe.part else ""
    given = {
        "base": str(base),
        "mirror": archive,
        "identity": recipe.identity,
        "packages": recipe.way,
        "lock": hashlib.sha256(f"{pins} {stack}".encode()).hexdigest() if stack else pins,
        "revision": str(git_state().get("commit", "unknown")),
        "created": datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
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
    recipe: Recipe, folder: Path, found: list[packages.Source], spack: SiteSpack | None
) -> list[str]:
    """Write the build's inputs into `folder`; return the bind mounts, `folder` first."""
    packages.lend(folder, found)
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
    when = epoch(recipe)
    target.parent.mkdir(parents=True, exist_ok=True)
    place = workshop(target.parent)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=place) as name, replacing(target) as scratch:
        folder = Path(name).resolve()
        if base is not None:
            (folder / "base.sif").symlink_to(base.resolve())
        gather(recipe, folder / "context")
        words = ["build", "--fakeroot"]
        for bind in lend_all(recipe, folder / "lent", found, spack):
            words += ["--bind", bind]
        (folder / "tmp").mkdir()
        for key, value in arguments(recipe, folder / "base.sif", packages.main_archive(found), when).items():
            words += ["--build-arg", f"{key}={value}"]
        environment = {
            "SOURCE_DATE_EPOCH": str(when),
            "APPTAINER_TMPDIR": str(folder / "tmp"),
            "APPTAINER_CACHEDIR": str(folder / "cache"),
            # Of all ids, as packages give files to other groups; Snakemake's own containers have one.
            "APPTAINER_USERNS": "false",
        }
        apptainer.run(
            [*words, str(scratch.resolve()), str(recipe.file)], folder / "context", environment, quiet=False
        )
