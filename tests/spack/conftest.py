"""Spack for tests, where the environment names it; see test_spack_install.py."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config.site import SiteSpack
from harness.images import spack_mounts
from harness.images.spack_stack import Part

from .files import Lock

_MISSING = [name for name in ("KVASIR_SPACK", "KVASIR_SPACK_PACKAGES") if not os.environ.get(name)]
NO_SPACK = f"no Spack: {' and '.join(_MISSING)} would name its checkout" if _MISSING else ""

Spack = Callable[..., str]


@pytest.fixture(scope="module")
def spack(tmp_path_factory: pytest.TempPathFactory) -> Spack:
    """Spack with configuration, caches and store of its own; a function that runs it and gives its output."""
    lab = tmp_path_factory.mktemp("spack")
    folders = {"install_tree": {"root": str(lab / "store")}, "source_cache": str(lab / "sources")}
    settings: dict[str, Any] = {
        "config": {**folders, "build_stage": [str(lab / "stage")], "test_stage": str(lab / "tests")},
        "bootstrap": {"enable": True, "root": str(lab / "bootstrap")},
    }
    if extra := os.environ.get("KVASIR_SPACK_MIRROR"):
        settings["mirrors:"] = {"extra": {"url": extra, "source": True, "binary": False}}
    (lab / "user").mkdir()
    for name, value in settings.items():
        (lab / "user" / f"{name.rstrip(':')}.yaml").write_text(yaml.safe_dump({name: value}))
    own = {
        "SPACK_USER_CONFIG_PATH": str(lab / "user"),
        "SPACK_SYSTEM_CONFIG_PATH": str(lab / "none"),
        "SPACK_USER_CACHE_PATH": str(lab / "cache"),
        "SPACK_GNUPGHOME": str(lab / "gnupg"),
        "KVASIR_SPACK_SITE": "debian12",
    }
    program = str(Path(os.environ["KVASIR_SPACK"]) / "bin/spack")

    def run(*arguments: str, may_fail: bool = False) -> str:
        done = subprocess.run(
            [program, *arguments],
            env={**os.environ, **own},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert may_fail or done.returncode == 0, f"spack {' '.join(arguments)}\n{done.stdout[-6000:]}"
        return done.stdout

    return run


def skip_unless_of_this_spack(lock: Lock) -> None:
    """Skip the test if another Spack made the lock: a version reads neither all older locks nor newer ones."""
    command = ["git", "-C", os.environ["KVASIR_SPACK"], "rev-parse", "HEAD"]
    here = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if here != (made := lock.document["spack"]["commit"]):
        pytest.skip(f"the lock is of Spack {made[:8]}, this is {here[:8]}")


def as_here(part: Part, folder: Path) -> Path:
    """What a build is lent of the project, with the places of a build as this machine has them."""
    site = SiteSpack(
        checkout=os.environ["KVASIR_SPACK"], packages_checkout=os.environ["KVASIR_SPACK_PACKAGES"]
    )
    spack_mounts.check(part, site)
    spack_mounts.lend(part, site, folder / "lent")
    place = folder / "lent/project" / part.environment.folder
    document = yaml.safe_load((place / "spack.yaml").read_text())
    document["spack"]["repos"]["builtin"] = str(
        Path(os.environ["KVASIR_SPACK_PACKAGES"]) / spack_mounts.BUILTIN
    )
    tree = {**spack_mounts.configuration(site)["config"]["install_tree"], "root": str(folder / "store")}
    document["spack"]["config"] = {"install_tree": tree}
    (place / "spack.yaml").write_text(yaml.safe_dump(document))
    return place
