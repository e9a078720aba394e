"""With Spack: the parts of the lock that images are made of are accepted as they are, and cut down to what runs.

Nothing is downloaded or compiled: `install --fake` lays out folders. What is needed is as in test_spack_install.py.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

from harness.config.site import SiteSpack
from harness.images import lend
from harness.images.recipe import NAMES, Recipe
from harness.images.store import main, needed

from .conftest import NO_SPACK, Spack
from .files import PROJECT

pytestmark = [pytest.mark.skipif(bool(NO_SPACK), reason=NO_SPACK or "can be used"), pytest.mark.timeout(1800)]


@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_the_lock_is_installed_as_it_is(spack: Spack, tmp_path: Path, name: str) -> None:
    part = Recipe(name, PROJECT, ".").part
    assert part is not None
    site = SiteSpack(
        checkout=os.environ["KVASIR_SPACK"], packages_checkout=os.environ["KVASIR_SPACK_PACKAGES"]
    )
    lend.check(part, site)
    lend.lend(part, site, tmp_path / "lent")
    project = tmp_path / "lent/project"
    document = yaml.safe_load((project / "spack.yaml").read_text())
    # The places of a build, as this machine has them.
    document["spack"]["repos"]["builtin"] = str(Path(os.environ["KVASIR_SPACK_PACKAGES"]) / lend.BUILTIN)
    tree = {**lend.configuration(site)["config"]["install_tree"], "root": str(tmp_path / "store")}
    document["spack"]["config"] = {"install_tree": tree}
    (project / "spack.yaml").write_text(yaml.safe_dump(document))
    before = (project / "spack.lock").read_text()
    spack("-e", str(project), "install", "--only-concrete", "--fake", "--no-cache", "--fail-fast")
    after = json.loads((project / "spack.lock").read_text())
    assert after["concrete_specs"].keys() == json.loads(before)["concrete_specs"].keys()
    shutil.rmtree(tmp_path / "store/bin", ignore_errors=True)
    (tmp_path / "lock").write_text(before)
    main(str(tmp_path / "lock"), str(tmp_path))
    names = set(needed(part.lock).values())
    assert {path.name for path in (tmp_path / "packages").iterdir()} == names
    assert {path.resolve() for path in (tmp_path / "packages").iterdir()} == set(
        (tmp_path / "store").iterdir()
    )
    assert [line.split("\t")[0] for line in (tmp_path / "spack").read_text().splitlines()] == sorted(names)
