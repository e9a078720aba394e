"""Everything in images: the smoke run again with `--sdm apptainer`, held against the one by this machine's programs.

The images are built here, by the user who runs the tests, of the packages that this machine's mirror has today.
"""

import csv
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.claims.compare import compare, read_results
from harness.images import apptainer
from harness.images.recipe import BASE, NAMES
from harness.plan.batches import SIMULATIONS
from harness.slurm.emulated import EmulatedSlurm

from ..images.spdx import mistakes
from .checkout import PROJECT, Checkout
from .cluster import IN_CELL, MPI, RESULTS, SIMULATED
from .conftest import on_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(apptainer.refusal()), reason=apptainer.refusal() or "can be used"),
    pytest.mark.timeout(3600),
]
IN_IMAGES = ("--sdm", "apptainer")
LIMITS = {"engine": 150, "hadoop": 450, "figures": 500, "netsim": 150}
"""Megabytes."""
STALL = "results/smoke/tables/eee/stall.csv"


@pytest.fixture(scope="module")
def host(smoke: Checkout) -> Path:
    """The whole smoke run by this machine's programs, kept apart from what follows."""
    smoke.snakemake()
    kept = smoke.folder.parent / "by the host"
    shutil.copytree(smoke.results(), kept)
    return kept


@pytest.fixture(scope="module")
def made(smoke: Checkout, host: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the checkout after the whole run in images."""
    made = Checkout(smoke.folder.parent / "in images" / "kvasir copy")
    shutil.copytree(smoke.folder, made.folder, symlinks=True)
    # A mirror keeps only the newest version of a package, so the pins of this day are taken.
    locked = made.run("python", "scripts/lock_images.py")
    if "apt-get -qq update: E: Failed to fetch" in locked.stdout:
        pytest.skip(
            f"images are made of Debian packages, and no mirror can be reached: {locked.stdout[-300:]}"
        )
    assert locked.returncode == 0, locked.stdout
    # Whoever has built the very same images already need not do it for the tests again.
    (made.folder / "build/images").mkdir(parents=True)
    for image in (PROJECT / "build/images").glob("*-*.*"):
        (made.folder / "build/images" / image.name).symlink_to(image)
    # Hadoop's place is the project's own, where others use it. The image's gets one of its own with the same jars,
    # where emulated hosts see it, and without blanks in its name, for YARN.
    hadoop = made.folder / "build/hadoop"
    jars = hadoop.resolve() / "3.4.2/lib"
    own = PROJECT / "build/tests-images" / tmp_path_factory.getbasetemp().name
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(jars, own / "3.4.2/lib")
    hadoop.unlink()
    hadoop.symlink_to(own)
    made.snakemake(*IN_IMAGES)
    return made


def facts(made: Checkout, name: str) -> tuple[Path, dict[str, Any]]:
    """An image that the workflow uses, and what is known of it."""
    used = made.folder / "build" / {"engine": "programs/engine.json", "netsim": "netsim/netsim.json"}[name]
    file = made.folder / "build/images" / (json.loads(used.read_text())["image"]["name"] + ".json")
    known: dict[str, Any] = json.loads(file.read_text())
    return file.with_suffix(".sif"), known


def records(folder: Path, study: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in folder.glob(f"runs/{study}/*/*/*/run.json")]


def test_tables_and_verdicts_are_those_of_the_host(made: Checkout, host: Path) -> None:
    one, other = read_results(host), read_results(made.results())
    found = compare(one, other)
    assert found.tables > 40 and found.exact > 5000 and found.verdicts > 170
    assert not found.of("table", "columns", "numbers")
    # On tiny data the clock and the sampler decide some claims either way, and nothing else may.
    measured = {
        row.id
        for results in (one, other)
        for rows in results.claims.values()
        for row in rows
        if "measured:" in row.source
    }
    assert {one.where for one in found.of("verdict")} <= measured


def test_every_number_is_there(made: Checkout) -> None:
    for table in made.results().glob("tables/*/*.csv"):
        with table.open(newline="") as file:
            found = list(csv.DictReader(file))
        assert {row.get("status", "ok") for row in found} <= {"ok", "not-run", "SUCCEEDED"}, table


def test_every_run_says_which_image_it_was_in(made: Checkout) -> None:
    for study, image, program in (("eee", "netsim", "netsim"), ("mimir", "engine", "engine")):
        file, known = facts(made, image)
        found = [record["environment"]["programs"][program] for record in records(made.results(), study)]
        assert found
        for said in found:
            if "valgrind" in said.get("versions", {}):
                continue  # cache misses are counted under this machine's Valgrind, which no image has
            assert said["image"] == {"name": file.stem, "sha256": known["sha256"], "packages": "debian"}
    runs = [json.loads(path.read_text()) for path in made.results().glob("cells/*/runs/*/*/run.json")]
    assert len(runs) > 10
    named = set()
    for run in runs:
        programs = run["environment"]["programs"]
        programs.pop("plugins", None)  # digests; the plug-ins are those of Hadoop's image
        named |= {one["image"]["name"].partition("-")[0] for one in programs.values()}
    assert named == {"hadoop", "engine"}
    assert "images" in (made.results() / "report.html").read_text()


def test_plugins_are_taken_from_the_image_of_hadoop(made: Checkout) -> None:
    folder = made.folder / "build/hadoop-plugins/3.4.2"
    made.snakemake(*IN_IMAGES, "--", "build/hadoop-plugins/3.4.2/levitated.json")
    known = json.loads((folder / "levitated.json").read_text())
    hadoop = json.loads((made.folder / "build/hadoop/3.4.2.json").read_text())
    assert known["image"] == hadoop["image"] and known["tools"] == {}, "nothing is compiled here"
    assert hashlib.sha256((folder / "levitated/levitated.jar").read_bytes()).hexdigest() == known["jar"]


def test_images_are_small_and_their_bills_of_materials_valid(made: Checkout) -> None:
    found = {}
    for file in (made.folder / "build/images").glob("*.spdx.json"):
        name = file.name.partition("-")[0]
        known = json.loads(Path(str(file).replace(".spdx.json", ".json")).read_text())
        assert known["megabytes"] < LIMITS[name] and known["signed_with"] is None
        document = json.loads(file.read_text())
        assert mistakes(document) == []
        found[name] = {package["name"] for package in document["packages"]}
    assert found.keys() == set(NAMES)
    assert {"netsim", "libc6", "libstdc++6"} <= found["netsim"] and "g++" not in found["netsim"]
    assert len(found["netsim"]) > 80
    assert {"reduce-by-key", "libopenmpi3"} <= found["engine"]
    assert {"r-cran-ggplot2", "fonts-inter"} <= found["figures"]
    assert {"hadoop-common", "openjdk-17-jre-headless"} <= found["hadoop"]


def test_an_image_tells_nobody_where_its_packages_came_from(made: Checkout) -> None:
    image, known = facts(made, "netsim")
    look = "cat /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/* 2>/dev/null || :"
    assert "://" not in apptainer.inside(image, "sh", "-c", look)
    labels = apptainer.labels(image)
    assert labels["kvasir.identity"] == known["identity"] == image.stem.partition("-")[2]
    assert labels["org.opencontainers.image.created"].endswith("Z")


@pytest.mark.timeout(7200)
def test_images_built_again_elsewhere_by_other_habits_are_the_same_files(
    made: Checkout, tmp_path: Path
) -> None:
    digests: dict[str, set[str]] = {name: set() for name in (BASE, *NAMES)}
    for folder, habits in (("one", "umask 022; export TZ=UTC"), ("or another", "umask 077; export TZ=JST-9")):
        place = tmp_path / folder
        for name, found in digests.items():
            image = place / f"{name}.sif"
            base = [] if name == BASE else [f"--base={place / 'base.sif'}"]
            command = f'{habits}; exec python scripts/build_image.py "$@"'
            done = made.run("bash", "-c", command, "bash", name, str(image), *base)
            assert done.returncode == 0, done.stdout[-3000:]
            found.add(hashlib.sha256(image.read_bytes()).hexdigest())
        shutil.rmtree(place)
    assert {name: len(found) for name, found in digests.items()} == dict.fromkeys(digests, 1)


def test_the_way_back_is_planned_and_the_way_forth_needs_no_image(made: Checkout) -> None:
    program = made.folder / "build/netsim/bin/netsim"
    assert program.read_bytes().startswith(b"#!/bin/sh")
    back = made.planned(STALL)
    with (made.folder / STALL).open(newline="") as file:
        runs = {(row["point"], row["rep"]) for row in csv.DictReader(file)}
    assert back["build_netsim"] == 1 and back["run_batch"] == -(-len(runs) // SIMULATIONS)
    assert "Nothing to be done" in made.snakemake(*IN_IMAGES)


def test_no_image_is_old_when_the_mirror_lies_elsewhere(made: Checkout) -> None:
    restore = made.edit(
        "config/sites/local.yaml", "power:", "images: {mirror: http://elsewhere.invalid/debian}\npower:"
    )
    try:
        assert "Nothing to be done" in made.snakemake("-n", *IN_IMAGES)
    finally:
        restore()


def test_a_changed_pin_asks_for_another_image_and_for_its_runs_again(made: Checkout) -> None:
    restore = made.edit("containers/packages.lock", "netsim-build cmake ", "netsim-build cmake 9:")
    try:
        counts = made.planned(*IN_IMAGES)
    finally:
        restore()
    assert counts["build_image"] == 1 and counts["take_netsim"] == 1
    assert counts["run_batch"] == len(list(made.results().glob("batches/eee/*/batch.json")))
    restore = made.edit("containers/packages.lock", "engine-build cmake ", "engine-build cmake 9:")
    try:
        assert "Nothing to be done" in made.snakemake("-n", *IN_IMAGES, "--", STALL)
    finally:
        restore()


def test_jobs_on_a_cluster_run_in_images(made: Checkout, slurm: EmulatedSlurm) -> None:
    cluster = on_cluster(slurm, made)
    cluster.run(*IN_IMAGES, "--", MPI, SIMULATED, *IN_CELL)
    assert {row["status"] for row in cluster.read(MPI)} == {"ok"}
    assert {row["status"] for row in cluster.read(SIMULATED)} == {"ok"}
    cell = cluster.record("cells/3n_ssd_ib/cell.json")
    assert {run["status"] for run in cell["runs"]} == {"ok"}, cell
    file, known = facts(made, "engine")
    found = records(made.folder / RESULTS, "mimir")
    assert found
    for record in found:
        said = record["environment"]["programs"]["engine"]["image"]
        assert said == {"name": file.stem, "sha256": known["sha256"], "packages": "debian"}
    jobs = [job for job in cluster.jobs() if job["Comment"]]
    assert {job["State"] for job in jobs} == {"COMPLETED"}
    assert {job["NNodes"] for job in jobs if "mimir" in job["Comment"]} == {"2"}


def test_an_image_that_is_not_signed_as_the_site_wants_is_not_used(made: Checkout) -> None:
    folder = made.folder.parent
    for name in ("ours", "others"):
        for command in (
            ["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem"],
            ["openssl", "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub"],
        ):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
    used, told = facts(made, "netsim")
    # It may be somebody's image that is only lent; a signature is written into the file.
    image = folder / used.name
    shutil.copy(used, image)

    def describe(key: str) -> subprocess.CompletedProcess[str]:
        files = [str(image), str(image.with_suffix(".json")), str(image.with_suffix(".spdx.json"))]
        return made.run(
            "python", "scripts/describe_image.py", "netsim", *files, "--verify-key", str(folder / key)
        )

    unsigned = describe("ours.pub")
    assert unsigned.returncode == 1 and "is not signed with" in unsigned.stdout
    subprocess.run([apptainer.PROGRAM, "sign", "--key", str(folder / "ours.pem"), str(image)], check=True)
    others = describe("others.pub")
    assert others.returncode == 1 and "is not signed with" in others.stdout
    fine = describe("ours.pub")
    assert fine.returncode == 0, fine.stdout
    now = json.loads(image.with_suffix(".json").read_text())
    assert now["signed_with"] == str(folder / "ours.pub") and now["sha256"] == told["sha256"], (
        "signing changes no content"
    )
