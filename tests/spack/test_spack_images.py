"""With Spack: the parts of the lock that images are made of are accepted as they are, and cut down to what runs.

Nothing is downloaded or compiled: `install --fake` lays out folders. What is needed is as in test_spack_install.py.
"""

import json
import shutil
from pathlib import Path

import pytest

from harness.images.recipe import Recipe
from harness.images.spack_stack import ENVIRONMENTS
from harness.images.spack_store import main, needed

from .conftest import NO_SPACK, Spack, as_here, skip_unless_of_this_spack
from .files import PROJECT, Lock

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(NO_SPACK), reason=NO_SPACK or "can be used"),
    pytest.mark.timeout(1800),
]


@pytest.mark.parametrize(
    ("way", "name"), [(way, name) for way, env in ENVIRONMENTS.items() for name in env.images]
)
def test_a_part_of_the_lock_is_installed_as_it_is(spack: Spack, tmp_path: Path, way: str, name: str) -> None:
    part = Recipe(name, PROJECT, way).part
    assert part is not None
    skip_unless_of_this_spack(Lock(part.lock))
    project = as_here(part, tmp_path)
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
