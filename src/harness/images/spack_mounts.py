"""Bind mounts and configuration for a Spack image build: Spack, its packages, the project, a build cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

from harness.config.site import SiteImages, SiteSpack
from harness.core.errors import KvasirError
from harness.images.sources import mirror
from harness.images.spack_stack import Part

LENT = "/mnt"
"""Where a build finds what does not stay in the image; a folder of every Debian."""
CHECKOUT = f"{LENT}/spack"
PACKAGES = f"{LENT}/packages"
CACHE = f"{LENT}/cache"
SOURCES = f"{LENT}/sources"
STORE = "/opt/kvasir/store"
WORK = "/opt/spack"
"""Where Spack works in a build; thrown away with its stage."""
MIRROR = Path("build/spack/mirror")
VARIABLE = "KVASIR_IMAGES"
"""Environment variable that holds the site's section images as JSON."""
BUILTIN = "repos/spack_repo/builtin"


def tell_builds(images: SiteImages) -> None:
    """Export the site's image settings (mirror, Spack, key) to every image build below this process.

    It is no parameter of the rule, so that no image is old when they lie elsewhere.
    """
    os.environ[VARIABLE] = images.model_dump_json()


def check_checkout(folder: Path, key: str, what: str, commit: str) -> None:
    """Raise KvasirError unless `folder`, which the site file names under `key`, is a checkout at that commit."""
    command = ["git", "-c", "safe.directory=*", "-C", str(folder)]

    def ask(*words: str) -> str:
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    expected = f"site file: images: {key}: {folder}: expected a checkout of {what} at commit {commit}"
    if ask("rev-parse", "--show-toplevel") != str(folder.resolve()):
        raise KvasirError(
            f"{expected}, found no checkout: git clone it there, git -C {folder} checkout {commit}"
        )
    if (found := ask("rev-parse", "HEAD")) != commit:
        raise KvasirError(f"{expected}, found {found}: git -C {folder} checkout {commit}")
    if changed := ask("status", "--porcelain", "--untracked-files=no"):
        raise KvasirError(
            f"{expected}, found it changed ({changed.splitlines()[0].strip()}): git stash there"
        )


def check(part: Part, site: SiteSpack) -> None:
    """Raise KvasirError when something that the site names for Spack is not there, or another than is pinned."""
    check_checkout(Path(site.checkout), "spack: checkout", "Spack 1.2", part.spack_commit)
    if site.packages_checkout:
        folder, key = Path(site.packages_checkout), "spack: packages_checkout"
        check_checkout(folder, key, "Spack's packages", part.packages_commit)
    cache = site.build_cache
    named = {"source_mirror": site.source_mirror, "build_cache: url": cache and cache.url}
    for key, place in named.items():
        if place and (path := local(place)) and not path.is_dir():
            raise KvasirError(f"site file: images: spack: {key}: {place}: expected a folder, found none")
    if cache and not Path(cache.key).is_file():
        raise KvasirError(
            f"site file: images: spack: build_cache: key: {cache.key}: expected a file, found none"
        )


def local(place: str) -> Path | None:
    """Return the local path of a path or URL; None for a remote one."""
    if place.startswith("file://"):
        return Path(place.removeprefix("file://"))
    return None if "://" in place else Path(place)


def binds(site: SiteSpack) -> list[str]:
    """Return the read-only bind mounts of the build, in Apptainer's syntax.

    Raises KvasirError for a folder that Apptainer cannot be told.
    """
    places = {CHECKOUT: Path(site.checkout)}
    if site.packages_checkout:
        places[PACKAGES] = Path(site.packages_checkout)
    if site.source_mirror and (path := local(site.source_mirror)):
        places[SOURCES] = path
    if site.build_cache and (path := local(site.build_cache.url)):
        places[CACHE] = path
    for path in places.values():
        if set(str(path.resolve())) & set(":,"):
            raise KvasirError(
                f"site file: images: spack: {path}: a colon or comma in its name confuses Apptainer"
            )
    return [f"{path.resolve()}:{inside}:ro" for inside, path in places.items()]


def configuration(site: SiteSpack) -> dict[str, Any]:
    """Return Spack's configuration in the build, by file name."""
    mirrors: dict[str, Any] = {}
    if site.source_mirror:
        place = SOURCES if local(site.source_mirror) else site.source_mirror
        mirrors["more"] = {"url": place, "source": True, "binary": False}
    if site.build_cache:
        place = CACHE if local(site.build_cache.url) else site.build_cache.url
        mirrors["cache"] = {"url": place, "source": False, "binary": True, "signed": True}
    return {
        "config": {
            "install_tree": {"root": STORE, "projections": {"all": "{name}-{version}-{hash}"}},
            "build_stage": [f"{WORK}/stage"],
            "test_stage": f"{WORK}/tests",
            "source_cache": f"{WORK}/sources",
            "misc_cache": f"{WORK}/cache",
        },
        "bootstrap": {"enable": True, "root": f"{WORK}/bootstrap"},
        "mirrors": mirrors,
    }


def document_of(part: Part, site: SiteSpack) -> dict[str, Any]:
    """Render the part's spack.yaml with the packages of the site's checkout, so that Spack does not clone them."""
    if not site.packages_checkout:
        return part.document
    spack = part.document["spack"]
    return {"spack": {**spack, "repos": {**spack["repos"], "builtin": f"{PACKAGES}/{BUILTIN}"}}}


def lend(part: Part, site: SiteSpack, folder: Path) -> None:
    """Write Spack's inputs of a build into `folder`, which the build sees as LENT."""
    for inside in (CHECKOUT, PACKAGES, CACHE, SOURCES):
        (folder / Path(inside).name).mkdir(parents=True)
    settings = folder / "config"
    settings.mkdir()
    for name, value in configuration(site).items():
        (settings / f"{name}.yaml").write_text(yaml.safe_dump({name: value}), encoding="utf-8")
    if site.build_cache:
        shutil.copyfile(site.build_cache.key, folder / "cache.pub")
    project = folder / "project"
    for path in part.files:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(part.root / path, project / path)
    (project / "spack_repo/kvasir/packages").mkdir(exist_ok=True)
    mirror(part.root, project / MIRROR, part.sources)
    (project / MIRROR).mkdir(parents=True, exist_ok=True)
    place = project / part.environment.folder
    place.mkdir(parents=True, exist_ok=True)
    (place / "spack.yaml").write_text(
        yaml.safe_dump(document_of(part, site), sort_keys=False), encoding="utf-8"
    )
    (place / "spack.lock").write_text(json.dumps(part.lock), encoding="utf-8")
