"""Definitions, pins and identities of images: a change makes new images of what depends on it, and of nothing else."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.images import packages
from harness.images.build import BASE_FILE
from harness.images.packages import chosen, required, resolve
from harness.images.recipe import BASE, NAMES, Recipe, parse
from harness.images.spack_stack import ENVIRONMENTS

PROJECT = Path(__file__).parents[2]
ALL = {BASE, *NAMES}

DEPENDS = {
    "containers/base.def": ALL,
    "containers/install.sh": ALL,
    "containers/figures.def": {"figures"},
    "containers/jobs.sh": {"hadoop"},
    "containers/test/engine.sh": {"engine"},
    "containers/test/figures.sh": {"figures"},
    "containers/spack": set(),
    "containers/spack.sh": set(),
    "src/cmake": {"engine", "netsim"},
    "src/engine/source": {"engine"},
    "src/engine/include": {"engine"},
    "src/engine/apps": {"engine"},
    "src/engine/tests": set(),
    "src/engine/README.md": set(),
    "src/netsim/source": {"netsim"},
    "src/netsim/tests": set(),
    "src/hadoop/dist/3.4.2.lock": {"hadoop"},
    "src/hadoop/dist/2.7.7.lock": set(),
    "src/hadoop/dist/2.6.0.lock": set(),
    "src/hadoop/pom.xml": {"hadoop"},
    "src/hadoop/README.md": set(),
    "src/hadoop/plugins/homr/plugin.yaml": {"hadoop"},
    "src/hadoop/plugins/homr/README.md": set(),
    "src/hadoop/workloads/src/main": {"hadoop"},
    "src/hadoop/workloads/src/test": set(),
    "scripts/figures": set(),
    "requirements.txt": set(),
}
"""Which images a change below each of these makes anew, written down by hand."""

STAGES = {
    "base": ALL,
    "engine-build": {"engine"},
    "mpi": {"engine"},
    "mpi-build": {"engine"},
    "netsim-build": {"netsim"},
    "hadoop": {"hadoop"},
    "hadoop-build": {"hadoop"},
    "figures": {"figures"},
    "fonts": set(),
    "spack-build": set(),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What images are made from, in a folder of its own."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("containers", "src/cmake", "src/engine", "src/netsim", "src/hadoop", "scripts/figures"):
        shutil.copytree(PROJECT / name, folder / name)
    shutil.copy(PROJECT / "requirements.txt", folder)
    return folder


def identities(folder: Path) -> dict[str, str]:
    return {name: Recipe(name, folder).identity for name in ALL}


def changed(folder: Path, change: Callable[[], object]) -> set[str]:
    before = identities(folder)
    change()
    after = identities(folder)
    return {name for name in ALL if before[name] != after[name]}


files = st.sampled_from(sorted(DEPENDS)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.sampled_from(sorted(p for p in [PROJECT / name, *(PROJECT / name).rglob("*")] if p.is_file())),
    )
)


@given(files)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_file_changes_the_images_it_is_in(copy: Path, choice: tuple[str, Path]) -> None:
    name, file = choice
    path = copy / file.relative_to(PROJECT)
    kept = path.read_bytes()
    # Tests lie beside sources as well.
    expected = set() if path.name.endswith("_test.cpp") else DEPENDS[name]
    try:
        assert changed(copy, lambda: path.write_bytes(kept + b"\n# A remark.\n")) == expected
    finally:
        path.write_bytes(kept)


@given(st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_pin_changes_the_images_that_install_it(copy: Path, data: st.DataObject) -> None:
    pins = packages.read_lock(copy)
    stage = data.draw(st.sampled_from(sorted(STAGES)))
    package = data.draw(st.sampled_from(sorted(pins[stage])))
    other = {**pins, stage: {**pins[stage], package: pins[stage][package] + "+1"}}
    try:
        assert changed(copy, lambda: packages.write_lock(copy, other)) == STAGES[stage]
    finally:
        packages.write_lock(copy, pins)


def test_another_time_or_place_changes_nothing(copy: Path) -> None:
    assert identities(copy) == identities(PROJECT)
    for path in copy.rglob("*"):
        path.touch()
    assert identities(copy) == identities(PROJECT)


def test_all_that_is_asked_for_is_pinned_and_nothing_twice() -> None:
    wanted, pins = packages.read_wanted(PROJECT), packages.read_lock(PROJECT)
    assert pins.keys() == wanted.keys() == STAGES.keys()
    for stage, names in wanted.items():
        for package in names:
            assert package in pins[stage] or package in pins[BASE], f"{stage}: {package}: make image-lock"
    for stage in pins.keys() - {BASE}:
        assert not pins[stage].keys() & pins[BASE].keys()
    ways = (None, *ENVIRONMENTS)
    used = {stage for way in ways for name in ALL for stage in Recipe(name, PROJECT, way).packages}
    assert used == pins.keys()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", [None, *ENVIRONMENTS])
def test_definitions_have_what_every_image_needs(name: str, way: str | None) -> None:
    recipe = Recipe(name, PROJECT, way)
    last = recipe.stages[-1]
    for stage in recipe.stages:
        assert stage.header["Bootstrap"] == "localimage" and stage.header["From"] == BASE_FILE
    for label in ("revision", "created", "licenses", "title"):
        assert f"org.opencontainers.image.{label} " in last.sections["labels"]
    assert "kvasir.identity {{ identity }}" in last.sections["labels"]
    assert "kvasir.lock {{ lock }}" in last.sections["labels"]
    assert "kvasir.packages {{ packages }}" in last.sections["labels"]
    assert f"containers/test/{name}.sh /opt/kvasir/test" in last.sections["files"]
    assert last.sections["test"].split() == ["sh", "/opt/kvasir/test"], "one test for all ways"
    compiles = "-build" in recipe.text
    assert (len(recipe.stages) == 2) == compiles, "compilers stay in a stage that is thrown away"
    assert not compiles or "-build" not in last.sections.get("post", "")


def test_no_place_on_the_net_is_written_down() -> None:
    for path in (PROJECT / "containers").rglob("*.*"):
        assert not re.search(r"\w+://", path.read_text()), path


def test_a_definition_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "containers").mkdir()
    file = tmp_path / "containers/engine.def"
    for text, said in (
        ("%post\n    true\n", "before any header"),
        ("Bootstrap: localimage\nstray words\n", "in no section"),
        ("From: here\n", "outside a header"),
    ):
        file.write_text(text)
        with pytest.raises(KvasirError, match=f"containers/engine.def.*{said}"):
            Recipe("engine", tmp_path)
    file.write_text("Bootstrap: localimage\n%files\n    src/nowhere /x\n")
    with pytest.raises(KvasirError, match="src/nowhere, which is not there"):
        Recipe("engine", tmp_path).sources  # noqa: B018
    with pytest.raises(KvasirError, match="cannot be read"):
        Recipe("figures", tmp_path)


def test_stages_and_sections_are_told_apart() -> None:
    one, two = parse(
        "# A remark: with a colon\nBootstrap: a\nStage: build\n\n%post\n    b: c\nBootstrap: d\n%test\n\n    e\n"
    )
    assert one.header == {"Bootstrap": "a", "Stage": "build"} and one.sections == {"post": "    b: c\n"}
    assert two.header == {"Bootstrap": "d"} and two.sections == {"test": "\n    e\n"}


def test_what_apt_would_install_is_read() -> None:
    simulated = (
        "Inst libc6 (2.36-9+deb12u10 Debian:12.11/stable [amd64]) []\n"
        "Inst perl-base [5.1] (5.36.0-7+deb12u2 Debian-Security:12/stable-security [amd64])\n"
        "Inst libx:amd64 (1:2.0-1 Debian:12/stable [amd64])\nConf libc6 (2.36-9 Debian [amd64])\n"
    )
    assert chosen(simulated) == {
        "libc6": "2.36-9+deb12u10",
        "perl-base": "5.36.0-7+deb12u2",
        "libx": "1:2.0-1",
    }
    available = (
        "Package: a\nPriority: required\n\nPackage: b\nPriority: optional\n\nPackage: c\nEssential: yes\n\n"
    )
    assert required(available) == ["a", "c"]


def test_a_broken_lock_is_one_clear_error(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "containers").mkdir()
    path = tmp_path / "containers/packages.lock"
    path.write_text("# head\nbase apt\n")
    with pytest.raises(KvasirError, match=r"line 2: found 'base apt': expected 3 words"):
        packages.read_lock(tmp_path)
    path.write_text("base apt 1\nbase apt 2\n")
    with pytest.raises(KvasirError, match="base: apt has two versions"):
        packages.read_lock(tmp_path)
    with pytest.raises(KvasirError, match="has no stage figures"):
        packages.words({"base": {}}, "figures")


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get, which finds the versions")
def test_a_mirror_that_cannot_be_reached_is_said() -> None:
    with pytest.raises(
        KvasirError, match=r"^apt-get -qq update: E: Failed to fetch http://127\.0\.0\.1:9/debian/"
    ):
        resolve(PROJECT, "http://127.0.0.1:9/debian")
