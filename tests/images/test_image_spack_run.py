"""Real images by Spack: our own packages on Debian's, made by the workflow, tested by the images' own test, started.

Open MPI, hwloc and PAPI are Spack's as well.
Needs Apptainer, and what tests/spack/test_spack_install.py asks for, but for SPACK_PYTHON.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.images import apptainer
from harness.images.recipe import Recipe
from tests.compiled import ROOT_MAY

from ..spack.conftest import NO_SPACK, Spack, as_here, spack  # noqa: F401
from ..spack.files import ON_DEBIAN, PROJECT, environment, read_lock
from ..workflow.conftest import Checkout, checkout  # noqa: F401
from .spdx import mistakes

WHY = apptainer.refusal() or NO_SPACK
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(WHY), reason=WHY or "can be used"),
    pytest.mark.timeout(3600),
]
FACTS = ("build/programs/engine.json", "build/netsim/netsim.json")
ENVIRONMENT = "config/spack/own"


def site(folder: Path, **keys: object) -> None:
    """Write section images of the site file."""
    path = folder / "config/sites/local.yaml"
    document = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**document, "images": keys}))


def spack_section() -> dict[str, object]:
    checkouts = {
        "checkout": os.environ["KVASIR_SPACK"],
        "packages_checkout": os.environ["KVASIR_SPACK_PACKAGES"],
        "source_mirror": os.environ.get("KVASIR_SPACK_MIRROR"),
    }
    return {"environment": ENVIRONMENT, **{key: value for key, value in checkouts.items() if value}}


@pytest.fixture(scope="module")
def made(checkout: Checkout) -> Checkout:  # noqa: F811
    """A checkout whose programs are those of images by Spack."""
    # As in test_image_run.py: the pins of this day, and the project's own base if it is there.
    (checkout.folder / "build/images").mkdir(parents=True, exist_ok=True)
    for base in (PROJECT / "build/images").glob("base-*.sif"):
        if not (link := checkout.folder / "build/images" / base.name).exists():
            link.symlink_to(base)
    locked = checkout.run("python", "scripts/lock_images.py")
    assert locked.returncode == 0, locked.stdout
    site(checkout.folder, packages="spack", spack=spack_section())
    done = checkout.run("snakemake", "--cores", "2", "--sdm", "apptainer", "--", *FACTS, timeout=3000)
    logs = "".join(path.read_text()[-3000:] for path in checkout.folder.glob("build/logs/images/*.log"))
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{logs}"
    return checkout


def image_of(made: Checkout, program: str) -> Path:
    """The image that a program is taken from."""
    facts = json.loads(
        (made.folder / dict(zip(("engine", "netsim"), FACTS, strict=True))[program]).read_text()
    )
    return made.folder / f"build/images/{facts['image']['name']}.sif"


@pytest.mark.parametrize("name", ["engine", "netsim"])
def test_records_say_that_it_was_made_by_spack(made: Checkout, name: str) -> None:
    image = image_of(made, name)
    facts = json.loads(image.with_suffix(".json").read_text())
    assert facts["packages"] == facts["labels"]["kvasir.packages"] == "spack" and facts["megabytes"] < 90
    (record,) = [
        fact for path in FACTS if name in path for fact in [json.loads((made.folder / path).read_text())]
    ]
    assert record["image"] == {"name": image.stem, "sha256": facts["sha256"], "packages": "spack"}


@pytest.mark.parametrize("name", ["engine", "netsim"])
def test_it_holds_what_the_lock_says_and_nothing_that_builds(made: Checkout, name: str) -> None:
    image = image_of(made, name)
    lock = read_lock(PROJECT / ON_DEBIAN)
    (root,) = [node for node in lock.nodes.values() if node["name"] == f"kvasir-{name}"]
    there = [line.split("\t") for line in apptainer.inside(image, "cat", "/opt/kvasir/spack").splitlines()]
    further = ["debian-hwloc", "debian-openmpi", "debian-papi"] if name == "engine" else []
    assert [row[0] for row in there] == [*further, "gcc-runtime", root["name"]]
    assert there[-1] == [root["name"], root["version"], root["hash"], "kvasir"]
    assert {row[2] for row in there} <= lock.nodes.keys()
    document = json.loads(image.with_suffix(".spdx.json").read_text())
    assert mistakes(document) == []
    names = {package["name"] for package in document["packages"]}
    assert {"gcc-runtime", root["name"], "libc6"} <= names and not {"gcc", "g++", "cmake", "git"} & names
    assert set(further) <= names
    assert not {"openmpi-bin", "libopenmpi3", "libhwloc15", "libpmix2", "libpapi7.0"} & names
    assert apptainer.inside(image, "ls", "/mnt") == "", "nothing of what the build was lent"


def test_its_own_test_passes_again(made: Checkout) -> None:
    for name in ("engine", "netsim"):
        apptainer.run(["test", *apptainer.flags(), str(image_of(made, name))])


def test_a_changed_program_fails_that_test(made: Checkout, tmp_path: Path) -> None:
    image = image_of(made, "netsim")
    (tmp_path / "programs").write_text(f"{'0' * 64}  netsim\n")
    bind = ["--bind", f"{tmp_path / 'programs'}:/opt/kvasir/programs"]
    done = subprocess.run(
        [apptainer.PROGRAM, "exec", *apptainer.flags(), *bind, str(image), "sh", "/opt/kvasir/test"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0 and "netsim" in done.stdout + done.stderr


def test_the_engine_counts_words_by_its_launcher(made: Checkout) -> None:
    folder = made.folder / "build/programs/bin"
    text = made.folder / "build/text"
    for command in (
        ["generate", "--words=1000", "--unique=10", "--seed=1", f"--output={text}", f"--report={text}.json"],
        ["mpirun", "--oversubscribe", "-n", "2", folder / "map-aggregate", f"--report={text}.out.json", text],
    ):
        done = subprocess.run(
            [folder / command[0], *command[1:]],
            env={**os.environ, **ROOT_MAY},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    report = json.loads(Path(f"{text}.out.json").read_text())
    assert report["ranks"] == 2 and report["metrics"]["words"]["value"] == 1000
    known = json.loads((made.folder / FACTS[0]).read_text())
    inside = apptainer.inside(image_of(made, "engine"), "sha256sum", "/opt/kvasir/bin/map-aggregate")
    assert inside.split()[0] == known["sha256"]["map-aggregate"]


def test_spack_in_another_folder_makes_no_image_old_and_debians_way_is_another_image(made: Checkout) -> None:
    words = ("--sdm", "apptainer", "--", *FACTS)
    try:
        site(made.folder, packages="spack", spack={"checkout": "/nowhere", "environment": ENVIRONMENT})
        assert "Nothing to be done" in made.snakemake("-n", *words)
        site(made.folder, packages="debian")
        counts = made.planned(*words)
        assert counts["build_image"] == 2 and counts["take_engine"] == counts["take_netsim"] == 1
    finally:
        site(made.folder, packages="spack", spack=spack_section())


def test_a_checkout_at_another_commit_ends_the_build_with_one_clear_error(
    made: Checkout, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    said = build_netsim(made, tmp_path / "netsim.sif", packages_checkout=str(tmp_path))
    commit = environment().repos.builtin.commit
    expected = f"packages_checkout: {tmp_path}: expected a checkout of Spack's packages at commit {commit}"
    assert expected in said and not (tmp_path / "netsim.sif").exists()


def build_netsim(made: Checkout, target: Path, **keys: object) -> str:
    """Build the simulator's image into `target`, or not, with a site file that says so of Spack; what is said."""
    section = spack_section()
    section.pop("source_mirror", None)
    (base,) = (made.folder / "build/images").glob("base-*.sif")
    words = ("netsim", str(target), f"--base={base}", f"--spack={json.dumps({**section, **keys})}")
    return made.run("python", "scripts/build_image.py", *words, timeout=1800).stdout


@pytest.mark.skipif("KVASIR_SPACK_MIRROR" not in os.environ, reason="KVASIR_SPACK_MIRROR names no mirror")
def test_a_build_cache_stands_in_for_sources_if_it_is_signed_with_the_sites_key(
    made: Checkout,
    spack: Spack,  # noqa: F811
    tmp_path: Path,
) -> None:
    part = Recipe("netsim", PROJECT, ENVIRONMENT).part
    assert part is not None
    folder = as_here(part, tmp_path)
    spack("-e", str(folder), "install", "--only-concrete", "--only=dependencies")
    for who in ("others", "ours"):
        spack("-e", str(folder), "gpg", "create", who, f"{who}@example.org")
    keys = re.findall(r"([0-9A-F]{40})", spack("-e", str(folder), "gpg", "list"))
    for who, key in zip(("others", "ours"), keys, strict=True):
        spack("-e", str(folder), "gpg", "export", str(tmp_path / f"{who}.pub"), key)
    cache = tmp_path / "cache"
    push = [
        "buildcache",
        "push",
        "--update-index",
        "--key",
        keys[1],
        str(cache),
        "gcc-runtime",
        "compiler-wrapper",
    ]
    cache.mkdir()
    spack("-e", str(folder), *push)
    target = tmp_path / "netsim.sif"
    said = build_netsim(made, target, build_cache={"url": str(cache), "key": str(tmp_path / "others.pub")})
    assert "No public key" in said and "kvasir-spack: Spack could not install kvasir-netsim" in said
    assert not target.exists()
    said = build_netsim(made, target, build_cache={"url": str(cache), "key": str(tmp_path / "ours.pub")})
    assert target.is_file() and "fetching from build cache" in said, said[-3000:]
    inside = [apptainer.inside(one, "cat", "/opt/kvasir/spack") for one in (target, image_of(made, "netsim"))]
    assert inside[0] == inside[1]
