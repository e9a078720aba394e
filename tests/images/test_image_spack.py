"""Images by Spack, as far as they can be checked without it: what they are made of, what is kept, what is refused."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.core.errors import KvasirError
from harness.images.recipe import NAMES, Recipe
from harness.images.spack_stack import ENVIRONMENTS, SITE, Part, includes, name_of
from harness.images.spack_store import needed

from ..spack.files import OWN, PROJECT, environment, read_lock

ALL = {(way, name) for way, env in ENVIRONMENTS.items() for name in env.images}
LOCKED = {(".", name) for name in NAMES}
OWN_WAY = str(Path(OWN).parent)
ON_DEBIAN = {(OWN_WAY, "engine"), (OWN_WAY, "netsim")}
ENGINES, NETSIMS = ({(way, name) for way in ENVIRONMENTS} for name in ("engine", "netsim"))

DEPENDS = {
    "containers/base.def": ALL,
    "containers/install.sh": ALL,
    "containers/spack.sh": ALL,
    "src/harness/images/spack_store.py": ALL,
    "spack_repo/kvasir/repo.yaml": ALL,
    "config/spack/gcc-debian12.yaml": ALL,
    "containers/spack/engine.def": ENGINES,
    "containers/test/engine.sh": ENGINES,
    "containers/engine.def": set(),
    "containers/jobs.sh": {(".", "hadoop")},
    "config/spack/debian12.yaml": ON_DEBIAN,
    "config/spack/cluster.example.yaml": set(),
    "spack_repo/kvasir/packages/debian_hwloc/package.py": {(OWN_WAY, "engine")},
    "spack_repo/kvasir/packages/debian_openmpi/package.py": {(OWN_WAY, "engine")},
    "spack_repo/kvasir/packages/debian_papi/package.py": {(OWN_WAY, "engine")},
    "spack_repo/kvasir/packages/kvasir_engine/package.py": ENGINES,
    "spack_repo/kvasir/packages/kvasir_netsim/package.py": NETSIMS,
    "spack_repo/kvasir/packages/snakemake/package.py": set(),
    "src/hadoop/dist/3.4.2.lock": {(".", "hadoop")},
    "src/engine/README.md": set(),
}
"""Which images by Spack a remark at the end of each of these makes anew, written down by hand."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What images are made from, in a folder of its own."""
    folder = tmp_path / "copy"
    folders = (
        "containers",
        "config/spack",
        "spack_repo",
        "src/cmake",
        "src/engine",
        "src/netsim",
        "src/hadoop",
    )
    for name in folders:
        shutil.copytree(PROJECT / name, folder / name)
    (folder / "src/harness/images").mkdir(parents=True)
    for name in ("spack.yaml", "spack.lock", "src/harness/images/spack_store.py"):
        shutil.copy(PROJECT / name, folder / name)
    return folder


def identities(folder: Path) -> dict[tuple[str, str], str]:
    return {(way, name): Recipe(name, folder, way).identity for way, name in ALL}


def changed(folder: Path, change: Callable[[], object]) -> set[tuple[str, str]]:
    before = identities(folder)
    change()
    after = identities(folder)
    return {image for image in ALL if before[image] != after[image]}


def test_a_changed_file_changes_the_images_it_is_in(copy: Path) -> None:
    assert identities(copy) == identities(PROJECT)
    for name, expected in DEPENDS.items():
        path = copy / name
        kept = path.read_text()
        assert changed(copy, lambda: path.write_text(kept + "\n# A remark.\n")) == expected, name  # noqa: B023
        path.write_text(kept)


def edit_json(path: Path, edit: Callable[[Any], None]) -> Callable[[], None]:
    document = json.loads(path.read_text())
    edit(document)
    return lambda: path.write_text(json.dumps(document)) and None


def rehash(name: str) -> Callable[[Any], None]:
    """Another variant of a package, as a new concretization would bring."""

    def edit(lock: Any) -> None:
        for node in lock["concrete_specs"].values():
            if node["name"] == name:
                node["parameters"]["other"] = True

    return edit


@pytest.mark.parametrize(
    ("package", "expected"),
    [
        ("ucx", {(".", "engine")}),
        ("r-ggplot2", {(".", "figures")}),
        ("cmake", {(".", "engine"), (".", "netsim"), (".", "figures")}),
        ("gcc", LOCKED - {(".", "hadoop")}),
        ("openjdk", {(".", "hadoop")}),
        ("snakemake", set()),
    ],
)
def test_a_changed_package_of_the_lock_changes_the_images_it_is_below(
    copy: Path, package: str, expected: set[tuple[str, str]]
) -> None:
    assert changed(copy, edit_json(copy / "spack.lock", rehash(package))) == expected


def test_the_lock_of_our_own_packages_is_that_of_images_on_debian(copy: Path) -> None:
    path = copy / ENVIRONMENTS[OWN_WAY].lock
    assert changed(copy, edit_json(path, rehash("pcre2"))) == {(OWN_WAY, "engine")}


def test_another_commit_of_spack_or_its_packages_is_another_image(copy: Path) -> None:
    def newer(lock: Any) -> None:
        lock["spack"]["commit"] = "f" * 40

    assert changed(copy, edit_json(copy / "spack.lock", newer)) == LOCKED
    text = (copy / OWN).read_text()
    commit = environment(OWN).repos.builtin.commit
    assert changed(copy, lambda: (copy / OWN).write_text(text.replace(commit, "e" * 40))) == ON_DEBIAN


def test_another_wish_for_another_image_changes_nothing_and_a_new_pin_changes_its_own(copy: Path) -> None:
    text = (copy / "spack.yaml").read_text()
    more = text.replace("- papi@7.2.0 +powercap +rapl", "- papi@7.2.0 +powercap")
    assert more != text and changed(copy, lambda: (copy / "spack.yaml").write_text(more)) == set()
    other = text.replace('require: ["target=x86_64_v3"]', 'require: ["target=x86_64_v4"]')
    assert other != text and changed(copy, lambda: (copy / "spack.yaml").write_text(other)) == LOCKED


def test_a_source_that_its_recipe_does_not_pin_is_refused(copy: Path) -> None:
    source = next((copy / "src/netsim/source").glob("*.cpp"))
    source.write_text(source.read_text() + "\n// changed\n")
    with pytest.raises(KvasirError, match="src/netsim has changed: run `make spack-sources`"):
        Recipe("netsim", copy, ".").identity  # noqa: B018
    assert Recipe("engine", copy, ".").identity == Recipe("engine", PROJECT, ".").identity


def test_what_spack_has_no_packages_for_is_made_of_debians() -> None:
    for name in ("base", "hadoop", "figures"):
        recipe = Recipe(name, PROJECT, OWN_WAY)
        assert recipe.way == "debian" and recipe.identity == Recipe(name, PROJECT).identity
    assert {Recipe(name, PROJECT, way).way for way, name in ALL} == {"spack"}


def test_debian_is_below_and_beside_our_own_packages_only_where_spack_builds_no_others() -> None:
    assert Recipe("engine", PROJECT, OWN_WAY).packages == ["engine-build", "spack-build"]
    assert Recipe("netsim", PROJECT, OWN_WAY).packages == ["netsim-build", "spack-build"]
    assert Recipe("engine", PROJECT, ".").packages == ["spack-build"]
    assert Recipe("figures", PROJECT, ".").packages == ["fonts", "spack-build"]
    for way, name in ALL:
        recipe = Recipe(name, PROJECT, way)
        assert not re.search(r"{{ (environment|below|beside) }}", recipe.text)
        assert "spack-build" not in recipe.stages[-1].sections["post"]


def kept(way: str, name: str) -> set[str]:
    part = Recipe(name, PROJECT, way).part
    assert part is not None
    return set(needed(part.lock).values())


def test_an_image_keeps_what_runs_and_not_what_builds() -> None:
    engine = kept(".", "engine")
    assert {"kvasir-engine", "openmpi", "ucx", "pmix", "prrte", "pcre2", "gcc-runtime"} <= engine
    assert not {"cmake", "ninja", "googletest", "gcc", "glibc", "perl", "autoconf"} & engine
    assert kept(".", "netsim") == {"kvasir-netsim", "gcc-runtime"}
    assert kept(".", "hadoop") == {"openjdk"}
    figures = kept(".", "figures")
    (group,) = (g for g in environment().specs if not isinstance(g, str) and g.group == "figures")
    wanted = {name_of(spec) for spec in group.specs}
    assert wanted | {"fontconfig", "cairo", "pango"} <= figures and not {"rust", "cargo-c", "cmake"} & figures
    assert kept(OWN_WAY, "engine") == {
        "kvasir-engine",
        "debian-openmpi",
        "debian-hwloc",
        "debian-papi",
        "gcc-runtime",
    }
    assert kept(OWN_WAY, "netsim") == {"kvasir-netsim", "gcc-runtime"}


def test_an_image_asks_for_all_that_the_figures_need() -> None:
    part = Recipe("figures", PROJECT, ".").part
    assert part is not None
    (group,) = part.document["spack"]["specs"]
    whole = next(g for g in environment().specs if not isinstance(g, str) and g.group == "figures")
    assert group == {"group": "figures", "specs": whole.specs}


def test_a_part_of_the_lock_is_a_whole_lock() -> None:
    for way, name in ALL:
        part = Recipe(name, PROJECT, way).part
        assert part is not None
        nodes = part.lock["concrete_specs"]
        specs = [
            one
            for spec in part.document["spack"]["specs"]
            for one in (spec if isinstance(spec, str) else spec["specs"],)
        ]
        asked = [one for spec in specs for one in ([spec] if isinstance(spec, str) else spec)]
        assert sorted(name_of(spec) for spec in asked) == sorted(
            nodes[entry["hash"]]["name"] for entry in part.lock["roots"]
        )
        for node in nodes.values():
            assert {edge["hash"] for edge in node.get("dependencies", [])} <= nodes.keys()
        whole = json.loads((PROJECT / part.environment.lock).read_text())
        assert {k: whole["concrete_specs"][k] for k in nodes} == nodes and part.lock["spack"] == whole[
            "spack"
        ]


def test_both_locks_are_of_one_set_of_packages() -> None:
    parts = [Recipe("engine", PROJECT, way).part for way in ENVIRONMENTS]
    assert len({part.packages_commit for part in parts if part}) == 1


def test_the_lock_on_debian_is_of_its_environment() -> None:
    lock = read_lock(PROJECT / ENVIRONMENTS[OWN_WAY].lock)
    assert sorted(entry["spec"] for entry in lock.document["roots"]) == sorted(
        map(str, environment(OWN).specs)
    )
    own = {"kvasir-engine", "kvasir-netsim", "gcc-runtime", "compiler-wrapper"}
    own |= {"debian-openmpi", "debian-hwloc", "debian-papi"}
    site = yaml.safe_load((PROJECT / f"config/spack/{SITE}.yaml").read_text())["packages"]
    for node in lock.nodes.values():
        assert node["arch"]["target"] == "x86_64" and "dev_path" not in node["parameters"]
        assert ("external" in node) == (node["name"] not in own), node["name"]
        if node["name"] in site:
            assert site[node["name"]]["externals"][0]["spec"].startswith(f"{node['name']}@{node['version']}")


def test_a_package_that_no_lock_has_is_one_clear_error() -> None:
    with pytest.raises(KvasirError, match=r"spack.lock: group mpi has no slurm: concretize it again"):
        Part(".", "mpi", ["openmpi", "slurm"], PROJECT)


def test_includes_are_followed() -> None:
    assert includes(Path(OWN), PROJECT) == [
        Path("config/spack/debian12.yaml"),
        Path("config/spack/gcc-debian12.yaml"),
    ]
