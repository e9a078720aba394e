"""Recipes of our own packages and the source archives that they pin, checked without Spack."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.images.sources import PACKAGES, PIN, Package, archive, in_mirror, mirror, pin_of, renew

from .files import ON_DEBIAN, PROJECT, read_lock

RECIPES = sorted((PROJECT / "spack_repo/kvasir/packages").glob("*/package.py"))
RENEW = "the sources have changed: run `make spack-sources` and commit the recipes"
NAMES = [package.name for package in PACKAGES]
LOCKS = [read_lock(), read_lock(PROJECT / ON_DEBIAN)]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The packages' sources and recipes, to be changed."""
    target = tmp_path / "a copy"
    folders = {folder for package in PACKAGES for folder in (package.folder, package.shared) if folder}
    for folder in folders:
        shutil.copytree(PROJECT / folder, target / folder)
    shutil.copytree(PROJECT / "spack_repo", target / "spack_repo")
    return target


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_recipe_pins_the_archive(package: Package) -> None:
    pin = pin_of(package, PROJECT)
    assert pin.sha256 == hashlib.sha256(archive(package, pin.version, PROJECT)).hexdigest(), RENEW


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_archive_does_not_depend_on_the_machine(package: Package, copy: Path) -> None:
    source = copy / package.folder
    for path in source.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o755)
    part = source / package.parts[-1]
    (part / "left.cpp~").write_text("by an editor")
    (part / "left.o").write_text("by a compiler")
    (source / "build").mkdir()
    (source / "build" / "made.cpp").write_text("by a build")
    assert archive(package, "1", copy) == archive(package, "1", PROJECT)


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_archive_holds_all_that_is_committed(package: Package) -> None:
    folders = [str(package.folder / part) for part in package.parts]
    folders += [str(package.shared)] if package.shared else []
    done = subprocess.run(
        ["git", "ls-files", "--", *folders], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    with tarfile.open(fileobj=io.BytesIO(archive(package, "1", PROJECT))) as tar:
        packed = {name.removeprefix(f"{package.name}-1/") for name in tar.getnames()}
    tracked = {str(Path(line).relative_to(package.top)) for line in done.stdout.splitlines()}
    # What fuzzing starts from is for developers.
    left = {name for name in tracked if Path(name).name.startswith(".") or "/fuzz/corpus/" in name}
    assert tracked - left == packed


def test_changed_source_is_noticed_and_pinned_again(copy: Path, tmp_path: Path) -> None:
    engine = PACKAGES[0]
    if pin_of(engine, copy).sha256 != hashlib.sha256(archive(engine, "0.1.0", copy)).hexdigest():
        pytest.fail(RENEW)
    before = mirror(copy, tmp_path / "mirror")
    changed = next((copy / engine.folder / "source").glob("*.cpp"))
    changed.write_text(changed.read_text() + "\n// changed\n")
    with pytest.raises(KvasirError, match="src/engine has changed: run `make spack-sources`"):
        mirror(copy, tmp_path / "mirror")
    assert [renew(package, copy) for package in PACKAGES] == [True, False, False]
    assert not renew(engine, copy)
    after = mirror(copy, tmp_path / "mirror")
    assert after["kvasir-engine"].sha256 != before["kvasir-engine"].sha256
    assert after["kvasir-netsim"] == before["kvasir-netsim"]
    for name, pin in after.items():
        placed = tmp_path / "mirror" / in_mirror(pin.sha256)
        assert hashlib.sha256(placed.read_bytes()).hexdigest() == pin.sha256, name


def test_a_recipe_with_two_versions_is_refused(copy: Path) -> None:
    recipe = PACKAGES[1].recipe(copy)
    recipe.write_text(recipe.read_text() + f'\nversion("2", sha256="{"0" * 64}")\n')
    with pytest.raises(KvasirError, match="found 2"):
        pin_of(PACKAGES[1], copy)


@pytest.mark.parametrize("name", ["kvasir-engine", "kvasir-netsim"])
def test_archive_configures(name: str, tmp_path: Path) -> None:
    """CMake finds every file that the build and its tests name."""
    (package,) = [package for package in PACKAGES if package.name == name]
    packed = archive(package, "1", PROJECT)
    subprocess.run(["tar", "-x", "-f", "-", "-C", str(tmp_path)], input=packed, check=True)
    source = tmp_path / f"{name}-1" / package.folder.name
    command = ["cmake", "-S", str(source), "-B", str(tmp_path / "tree"), "-G", "Ninja"]
    done = subprocess.run([*command, "-DBUILD_TESTING=ON"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_command_fills_a_mirror(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/spack_sources.py", str(tmp_path / "m"), str(tmp_path / "facts.json")]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}; {RENEW}"
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert sorted(facts) == sorted(NAMES)
    placed = {path.stem for path in (tmp_path / "m").rglob("*.tar")}
    assert placed == {fact["sha256"] for fact in facts.values()}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.parent.name)
def test_recipe_is_well_formed(recipe: Path) -> None:
    tree = ast.parse(recipe.read_text())
    (package,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert package.name == "".join(word.title() for word in recipe.parent.name.split("_"))
    assert ast.get_docstring(tree) and ast.get_docstring(package)
    known = {
        name for lock in LOCKS for node in lock.nodes.values() for name in (node["name"], *lock.edges(node))
    }
    for call in ast.walk(package):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "depends_on":
            assert isinstance(call.args[0], ast.Constant)
            assert str(call.args[0].value).split("@")[0] in known, "a dependency that no lock knows"


@pytest.mark.parametrize("name", ["hwloc", "openmpi", "papi"])
def test_sources_of_debian_are_those_of_its_archive_now_and_at_its_release(name: str) -> None:
    text = (PROJECT / f"spack_repo/kvasir/packages/debian_{name}/package.py").read_text()
    (found,) = PIN.finditer(text)
    urls = re.findall(r'"(https://[^"]+)"', text)
    file = (
        rf"debian/{{}}pool/main/{name[0]}/{name}/{name}_{re.escape(found['version'])}\.orig\.tar\.(xz|bz2|gz)"
    )
    now, then = (url for url in urls if "debian.org/" in url)
    assert re.fullmatch(r"https://deb\.debian\.org/" + file.format(""), now)
    assert re.fullmatch(r"https://snapshot\.debian\.org/archive/" + file.format(r"\d{8}T\d{6}Z/"), then)
    assert now.partition("/pool/")[2] == then.partition("/pool/")[2]


def test_own_packages_in_the_locks_are_those_of_the_recipes() -> None:
    nodes = [node for lock in LOCKS for node in lock.nodes.values()]
    own = {node["name"] for node in nodes if node["namespace"] == "kvasir"}
    assert own == {recipe.parent.name.replace("_", "-") for recipe in RECIPES}
