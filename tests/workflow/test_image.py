"""One program in its image, from the pins of its packages to a table; test_images.py has the whole run."""

import csv
import json

import pytest

from harness.images import apptainer

from .checkout import PROJECT, Checkout, copy_project

TABLE = "results/smoke/tables/eee/timeline.csv"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with one table of simulations in the image of the simulator."""
    if reason := apptainer.refusal():
        pytest.skip(reason)
    made = copy_project(tmp_path_factory.mktemp("image") / "kvasir copy")
    # A mirror keeps only the newest version of a package, so the pins of this day are taken.
    locked = made.run("python", "scripts/lock_images.py")
    if "apt-get -qq update: E: Failed to fetch" in locked.stdout:
        pytest.skip(
            f"images are made of Debian packages, and no mirror can be reached: {locked.stdout[-300:]}"
        )
    assert locked.returncode == 0, locked.stdout
    (made.folder / "build/images").mkdir(parents=True)
    for image in (PROJECT / "build/images").glob("*-*.*"):
        (made.folder / "build/images" / image.name).symlink_to(image)
    made.snakemake("--sdm", "apptainer", "--", TABLE)
    return made


@pytest.mark.timeout(2400)
def test_a_table_of_simulations_is_made_in_an_image(made: Checkout) -> None:
    with (made.folder / TABLE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and {row["status"] for row in rows} == {"ok"}
    facts = json.loads((made.folder / "build/netsim/netsim.json").read_text())["image"]
    records = [json.loads(path.read_text()) for path in made.results().glob("runs/eee/timeline/*/*/run.json")]
    assert records
    assert {r["environment"]["programs"]["netsim"]["image"]["sha256"] for r in records} == {facts["sha256"]}
    assert "Nothing to be done" in made.snakemake("--sdm", "apptainer", "--", TABLE)
