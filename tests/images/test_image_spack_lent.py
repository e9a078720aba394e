"""What a build by Spack is lent, what is kept of its store, and what of the site file is refused; without Spack."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from harness.config.site import SiteImages, SiteSpack
from harness.core.errors import KvasirError
from harness.images import spack_mounts
from harness.images.recipe import Recipe
from harness.images.sbom import document, spack
from harness.images.spack_stack import SITE, Part
from harness.images.spack_store import SPEC, folder_name, keep, main, needed

from ..spack.files import OWN, PROJECT, environment
from .spdx import mistakes

OWN_WAY = str(Path(OWN).parent)


def part_of(name: str, way: str = OWN_WAY) -> Part:
    part = Recipe(name, PROJECT, way).part
    assert part is not None
    return part


def a_store(folder: Path, lock: dict[str, Any]) -> Path:
    """A store with every package of a lock that Spack installs, each with its logs."""
    store = folder / "store"
    for node in lock["concrete_specs"].values():
        if "external" not in node:
            place = store / folder_name(node)
            (place / ".spack").mkdir(parents=True)
            (place / SPEC).write_text(json.dumps({"spec": {"nodes": [node]}}))
            (place / ".spack/install_times.json").write_text("{}")
            (place / "program").write_text(node["name"])
    (store / ".spack-db").mkdir()
    (store / "bin").mkdir()
    (store / "bin/sbang").write_text("")
    return store


def test_a_store_is_cut_down_to_what_runs(tmp_path: Path) -> None:
    part = part_of("engine", ".")
    store = a_store(tmp_path, part.lock)
    before = len(list(store.iterdir()))
    (tmp_path / "lock").write_text(json.dumps(part.lock))
    main(str(tmp_path / "lock"), str(tmp_path))
    names = set(needed(part.lock).values())
    assert len(list(store.iterdir())) == len(names) + 1 < before, (
        "the packages, and Spack's program for scripts"
    )
    assert {path.name for path in (tmp_path / "packages").iterdir()} == names
    for name in names:
        assert (tmp_path / "packages" / name / "program").read_text() == name
        assert [path.name for path in (tmp_path / "packages" / name / ".spack").iterdir()] == ["spec.json"]
    lines = (tmp_path / "spack").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == sorted(names)


def test_a_package_that_is_not_in_the_store_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with pytest.raises(OSError, match="openmpi"):
        keep(tmp_path / "store", ["openmpi-1-x"])


def test_a_bill_of_materials_lists_packages_of_spack_beside_debians_of_the_same_name() -> None:
    text = f"tar\t1.35\t{'a' * 32}\tbuiltin\nkvasir-engine\t0.1.0\t{'b' * 32}\tkvasir\ntar\t1.35\t{'c' * 32}\tbuiltin\n"
    made = document("engine-0123", "d" * 64, "2024-05-06T07:08:09Z", spack(text))
    assert mistakes(made) == []
    assert len(made["packages"]) == 1 + 3
    tar, engine = (
        next(p for p in made["packages"] if p["name"] == name) for name in ("tar", "kvasir-engine")
    )
    assert tar["externalRefs"][0]["referenceLocator"] == f"pkg:generic/tar@1.35?spack_hash={'a' * 32}"
    assert engine["licenseDeclared"] == "Apache-2.0" and "kvasir.kvasir-engine" in engine["sourceInfo"]


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git checkout of something, with one commit."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("1")
    git(folder, "add", "file")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


def test_a_checkout_at_the_pinned_commit_is_taken_and_no_other(checkout: Path) -> None:
    head = git(checkout, "rev-parse", "HEAD")
    spack_mounts.check_checkout(checkout, "spack: checkout", "Spack 1.2", head)
    where = rf"site file: images: spack: checkout: {checkout}: expected a checkout of Spack 1.2 at commit"
    with pytest.raises(
        KvasirError, match=rf"{where} {'f' * 40}, found {head}: git -C .* checkout {'f' * 40}"
    ):
        spack_mounts.check_checkout(checkout, "spack: checkout", "Spack 1.2", "f" * 40)
    (checkout / "file").write_text("2")
    with pytest.raises(KvasirError, match=r"found it changed \(M file\)"):
        spack_mounts.check_checkout(checkout, "spack: checkout", "Spack 1.2", head)
    (checkout / "below").mkdir()
    for absent in (checkout / "below", checkout / "nothing"):
        with pytest.raises(KvasirError, match="found no checkout"):
            spack_mounts.check_checkout(absent, "spack: checkout", "Spack 1.2", head)


def part_at(commit: str) -> Part:
    part = part_of("netsim")
    part.lock = {**part.lock, "spack": {"commit": commit}}
    return part


def test_what_the_site_names_must_be_there(checkout: Path, tmp_path: Path) -> None:
    part = part_at(git(checkout, "rev-parse", "HEAD"))
    spack_mounts.check(part, SiteSpack(checkout=str(checkout)))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"packages_checkout": str(tmp_path)}, "packages_checkout: .* of Spack's packages at .* no checkout"),
        ({"source_mirror": "file:///nothing"}, "source_mirror: file:///nothing: expected a folder"),
        (
            {"build_cache": {"url": "/nothing", "key": str(checkout / "file")}},
            "build_cache: url: /nothing: expected a folder",
        ),
        (
            {"build_cache": {"url": str(checkout), "key": "/nothing"}},
            "build_cache: key: /nothing: expected a file",
        ),
    ]
    for keys, said in wrong:
        with pytest.raises(KvasirError, match=said):
            spack_mounts.check(part, SiteSpack.model_validate({"checkout": str(checkout), **keys}))


def test_a_build_sees_what_it_needs_of_the_project_and_no_more(tmp_path: Path) -> None:
    part = part_of("netsim")
    key = tmp_path / "key.pub"
    key.write_text("a key")
    site = SiteSpack.model_validate(
        {
            "checkout": "/some/spack",
            "packages_checkout": "/some/packages",
            "source_mirror": "/some/sources",
            "build_cache": {"url": "file:///some/cache", "key": str(key)},
        }
    )
    assert spack_mounts.binds(site) == [
        "/some/spack:/mnt/spack:ro",
        "/some/packages:/mnt/packages:ro",
        "/some/sources:/mnt/sources:ro",
        "/some/cache:/mnt/cache:ro",
    ]
    spack_mounts.lend(part, site, tmp_path / "lent")
    project = tmp_path / "lent/project"
    files = sorted(str(path.relative_to(project)) for path in project.rglob("*") if path.is_file())
    (archive,) = [name for name in files if name.startswith("build/spack/mirror/_source-cache/")]
    assert files == sorted(
        [
            archive,
            "config/spack/debian12.yaml",
            "config/spack/gcc-debian12.yaml",
            "config/spack/own/spack.lock",
            "config/spack/own/spack.yaml",
            "spack_repo/kvasir/packages/kvasir_netsim/package.py",
            "spack_repo/kvasir/repo.yaml",
        ]
    )
    written = yaml.safe_load((project / OWN).read_text())["spack"]
    assert written["specs"] == ["kvasir-netsim@0.1.0"] and written["view"] is False
    assert written["repos"]["builtin"] == "/mnt/packages/repos/spack_repo/builtin"
    mirrors = yaml.safe_load((tmp_path / "lent/config/mirrors.yaml").read_text())["mirrors"]
    assert mirrors["cache"] == {"url": "/mnt/cache", "source": False, "binary": True, "signed": True}
    assert mirrors["more"]["url"] == "/mnt/sources" and (tmp_path / "lent/cache.pub").read_text() == "a key"


def test_what_is_lent_and_what_the_build_expects_are_the_same_places(tmp_path: Path) -> None:
    script = (PROJECT / "containers/spack.sh").read_text()
    assert f"KVASIR_SPACK_SITE={SITE}" in script
    assert f"mkdir {spack_mounts.WORK}\n" in script and f"rm -rf {spack_mounts.WORK}\n" in script
    assert (
        f"store.py {spack_mounts.LENT}/project/" in script
        and f"spack.lock {Path(spack_mounts.STORE).parent}\n" in script
    )
    spack_mounts.lend(part_of("netsim"), SiteSpack(checkout="/some/spack"), tmp_path)
    there = {f"{spack_mounts.LENT}/{path.name}" for path in tmp_path.iterdir()} | {
        f"{spack_mounts.LENT}/cache.pub"
    }
    assert set(re.findall(rf"{spack_mounts.LENT}/[a-z.]+", script)) <= there


def test_what_lies_on_the_net_is_left_to_spack(tmp_path: Path) -> None:
    part = part_of("netsim", ".")
    site = SiteSpack(checkout="/some/spack", source_mirror="s3://somewhere/sources")
    assert spack_mounts.binds(site) == ["/some/spack:/mnt/spack:ro"]
    spack_mounts.lend(part, site, tmp_path)
    written = yaml.safe_load((tmp_path / "project/spack.yaml").read_text())["spack"]
    assert written["repos"]["builtin"] == environment().repos.builtin.model_dump(), (
        "Spack clones the pinned commit"
    )
    mirrors = yaml.safe_load((tmp_path / "config/mirrors.yaml").read_text())["mirrors"]
    assert mirrors["more"]["url"] == "s3://somewhere/sources" and not (tmp_path / "cache.pub").exists()


def test_the_site_file_says_where_spack_is() -> None:
    assert SiteImages().environment is None
    unused = SiteImages(spack=SiteSpack(checkout="/x"))
    assert unused.environment is None, "images are of Debian's packages unless the site says otherwise"
    assert SiteImages(packages="spack", spack=SiteSpack(checkout="/x")).environment == "."
    with pytest.raises(ValidationError, match=r"add spack: \{checkout: DIR\}, a checkout of Spack"):
        SiteImages(packages="spack")
    with pytest.raises(ValidationError, match=r"'\.' or 'config/spack/own'"):
        SiteSpack.model_validate({"checkout": "/x", "environment": "elsewhere"})
