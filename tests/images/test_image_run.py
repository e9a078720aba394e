"""A real image, built here, and a study's runs in it: the same table as with the programs of this machine."""

import csv
import json
import subprocess
from pathlib import Path

import pytest

from harness.images import apptainer

from ..workflow.conftest import PROJECT, Checkout, checkout  # noqa: F401
from .spdx import mistakes

pytestmark = pytest.mark.skipif(bool(apptainer.refusal()), reason=apptainer.refusal() or "can be used")
TABLE = "results/smoke/tables/eee/stall.csv"
IN_IMAGES = ("--sdm", "apptainer", "--")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(checkout: Checkout) -> Checkout:  # noqa: F811
    """A checkout with that table made twice: by this machine's programs, kept as host.csv, then in images."""
    # A mirror keeps only the newest version of a package, so the pins of this day are taken.
    # The base is large and hardly changes: the project's own is used if it is there.
    (checkout.folder / "build/images").mkdir(parents=True)
    for base in (PROJECT / "build/images").glob("base-*.sif"):
        (checkout.folder / "build/images" / base.name).symlink_to(base)
    locked = checkout.run("python", "scripts/lock_images.py")
    assert locked.returncode == 0, locked.stdout
    checkout.snakemake(TABLE)
    (checkout.folder / TABLE).rename(checkout.folder / "host.csv")
    checkout.snakemake(*IN_IMAGES, TABLE)
    return checkout


def records(made: Checkout) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in made.results().glob("runs/eee/*/*/*/run.json")]


def test_the_table_is_the_same(made: Checkout) -> None:
    host, images = rows(made.folder / "host.csv"), rows(made.folder / TABLE)
    assert host and host[0].keys() == images[0].keys()
    assert len(host) == len(images) and {row["status"] for row in images} == {"ok"}
    # A simulation gives the same numbers anywhere; what a clock measures does not.
    # But for the order, which was drawn by lot, and what a clock measured, a simulation is the same anywhere.
    simulated = 0
    for one, other in zip(host, images, strict=True):
        if not one["source"].startswith("measured"):
            assert {**one, "order": ""} == {**other, "order": ""}
            simulated += 1
    assert simulated > len(host) / 2


def test_every_run_says_which_image_it_was_in(made: Checkout) -> None:
    (facts_file,) = made.folder.glob("build/images/netsim-*[0-9a-f].json")
    facts = json.loads(facts_file.read_text())
    found = records(made)
    assert found
    for record in found:
        image = record["environment"]["programs"]["netsim"]["image"]  # type: ignore[index]
        assert image == {"name": facts_file.stem, "sha256": facts["sha256"], "packages": "debian"}
    assert facts["megabytes"] < 150 and facts["signed_with"] is None


def test_its_bill_of_materials_is_valid_and_names_what_is_in_it(made: Checkout) -> None:
    (file,) = made.folder.glob("build/images/netsim-*.spdx.json")
    document = json.loads(file.read_text())
    assert mistakes(document) == []
    names = {package["name"] for package in document["packages"]}
    assert {"netsim", "libc6", "libstdc++6"} <= names and "g++" not in names and len(names) > 80


def test_the_image_tells_nobody_where_its_packages_came_from(made: Checkout) -> None:
    (image,) = made.folder.glob("build/images/netsim-*.sif")
    look = "cat /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/* 2>/dev/null || :"
    assert "://" not in apptainer.inside(image, "sh", "-c", look)
    labels = apptainer.labels(image)
    assert labels["kvasir.identity"] == image.stem.partition("-")[2]
    assert labels["org.opencontainers.image.created"].endswith("Z")


def test_the_way_back_is_planned_and_the_way_forth_needs_no_image(made: Checkout) -> None:
    program = made.folder / "build/netsim/bin/netsim"
    assert program.read_bytes().startswith(b"#!/bin/sh")
    back = made.planned(TABLE)
    assert back["build_netsim"] == 1 and back["run_point"] == len(records(made))
    assert "Nothing to be done" in made.snakemake(*IN_IMAGES, TABLE)


def test_a_changed_pin_asks_for_another_image_and_for_its_runs_again(made: Checkout) -> None:
    restore = made.edit("containers/packages.lock", "netsim-build cmake ", "netsim-build cmake 9:")
    try:
        counts = made.planned(*IN_IMAGES, TABLE)
    finally:
        restore()
    assert counts["build_image"] == 1 and counts["take_netsim"] == 1
    assert counts["run_point"] == len(records(made))
    restore = made.edit("containers/packages.lock", "engine-build cmake ", "engine-build cmake 9:")
    try:
        assert "Nothing to be done" in made.snakemake("-n", *IN_IMAGES, TABLE)
    finally:
        restore()


def test_an_image_that_is_not_signed_as_the_site_wants_is_not_used(made: Checkout) -> None:
    for name in ("ours", "others"):
        key = made.folder.parent / name
        for command in (
            ["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{key}.pem"],
            ["openssl", "pkey", "-in", f"{key}.pem", "-pubout", "-out", f"{key}.pub"],
        ):
            subprocess.run(command, check=True, capture_output=True)
    (image,) = made.folder.glob("build/images/netsim-*.sif")
    facts = image.with_suffix(".json")
    told = json.loads(facts.read_text())
    words = [
        "python",
        "scripts/describe_image.py",
        "netsim",
        str(image),
        str(facts),
        f"{facts}.spdx",
        "--verify-key",
    ]
    ours = made.folder.parent / "ours"
    unsigned = made.run(*words, f"{ours}.pub")
    assert unsigned.returncode == 1 and "is not signed with" in unsigned.stdout
    subprocess.run([apptainer.PROGRAM, "sign", "--key", f"{ours}.pem", str(image)], check=True)
    others = made.run(*words, f"{made.folder.parent / 'others'}.pub")
    assert others.returncode == 1 and "is not signed with" in others.stdout
    fine = made.run(*words, f"{ours}.pub")
    assert fine.returncode == 0, fine.stdout
    now = json.loads(facts.read_text())
    assert now["signed_with"] == f"{ours}.pub" and now["sha256"] == told["sha256"], (
        "signing changes no content"
    )
