"""A release: refused where the checkout is not one, else archive, metadata and checksums, the same each time."""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from harness.config.archive import Provenance, Refused
from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.images.describe import ImageFacts
from harness.images.recipe import Recipe
from harness.report.citation import changes, codemeta, reference, zenodo
from harness.report.crate.pack import wanted
from harness.results.archive import pack
from harness.results.records import Identity, Outcome, Record

PROJECT = Path(__file__).parents[2]
CITATION = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))


SITE = Site.model_validate(yaml.safe_load((PROJECT / "config/sites/local.yaml").read_text()))
BEGAN = "2026-01-02T03:04:05+00:00"
ORIGIN = {
    "scale": "laptop",
    "seed": 1,
    "studies": ["eee"],
    "site_name": "local",
    "site": SITE,
    "refused": Refused(),
    "commit": "c",
    "dirty": False,
    "began": BEGAN,
    "ended": BEGAN,
    "runs": {"ok": 1},
    "machines": [],
    "sha256": "",
}
RECORD = Record(
    identity=Identity(
        study="eee", experiment="link", point="a", rep=1, seed=1, scale="laptop", site="local", factors={}
    ),
    environment={},
    outcome=Outcome(status="ok", started=BEGAN, seconds=1.0),
    metrics=[],
)


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small committed checkout with an archive of results, at the version that CITATION.cff says."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    copied = ("CITATION.cff", "CHANGELOG.md", "pyproject.toml", *wanted(Provenance.model_validate(ORIGIN)))
    for path in (PROJECT / name for name in copied):
        target = folder / path.relative_to(PROJECT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            target.write_bytes(path.read_bytes())
    results = tmp_path / "results/laptop"
    (results / "runs").mkdir(parents=True)
    (results / "runs/run.json").write_text(RECORD.model_dump_json())
    pack([results / "runs/run.json"], results, folder / "reference/laptop", ORIGIN)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "All")
    return folder


def release(folder: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "scripts/release.py"), version, "--output", "../release"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_release_holds_sources_records_and_metadata_and_is_the_same_twice(checkout: Path) -> None:
    version, made = CITATION["version"], checkout.parent / "release"
    done = release(checkout, version)
    assert (done.returncode, done.stderr) == (0, "")
    archive = made / f"kvasir-{version}.tar.gz"
    first = archive.read_bytes()
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    inside = {name.removeprefix(f"kvasir-{version}/") for name in names}
    assert {"CITATION.cff", "reference/laptop/records.tar.xz", ".zenodo.json", "codemeta.json"} <= inside
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    for name, digest in sums.items():
        assert hashlib.sha256((made / name).read_bytes()).hexdigest() == digest
    crate = made / f"kvasir-{version}-laptop.crate.zip"
    assert crate.name in sums
    described = crate.read_bytes()
    assert "none of this commit had been built" in (made / "RELEASE.md").read_text()
    assert json.loads((made / ".zenodo.json").read_text())["version"] == version
    assert release(checkout, version).returncode == 0
    assert (archive.read_bytes(), crate.read_bytes()) == (first, described)


def test_a_release_names_the_images_that_were_built_of_its_commit(checkout: Path) -> None:
    shutil.copytree(PROJECT / "containers", checkout / "containers")
    for name in ("src/netsim", "src/cmake"):
        shutil.copytree(PROJECT / name, checkout / name, dirs_exist_ok=True)
    (checkout / ".gitignore").write_text("build/\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "Images")
    recipe = Recipe("netsim", checkout)
    said = ImageFacts(
        name="netsim",
        identity=recipe.identity,
        sha256="f" * 64,
        megabytes=32.1,
        packages="debian",
        labels={},
        signed_with=None,
    )
    for identity in (recipe.identity, "0" * 12):
        image = f"netsim-{identity}"
        (checkout / "build/images").mkdir(parents=True, exist_ok=True)
        facts = said.model_copy(update={"identity": identity})
        (checkout / f"build/images/{image}.json").write_text(facts.model_dump_json())
        (checkout / f"build/images/{image}.spdx.json").write_text("{}")
    done = release(checkout, CITATION["version"])
    assert (done.returncode, done.stderr) == (0, "")
    made = checkout.parent / "release"
    copied = {path.name for path in (made / "images").iterdir()}
    assert copied == {f"{recipe.image.stem}.json", f"{recipe.image.stem}.spdx.json"}, "none of another commit"
    assert f"images/{recipe.image.stem}.spdx.json" in (made / "SHA256SUMS").read_text()
    notes = (made / "RELEASE.md").read_text()
    assert f"32.1 MB: SHA-256 {'f' * 64}" in notes
    assert "Not built where the release was made: engine, figures, hadoop." in notes


def test_what_is_no_release_is_refused_with_all_mistakes(checkout: Path) -> None:
    (checkout / "new").write_text("")
    done = release(checkout, "9.9.9")
    assert done.returncode == 1
    assert "uncommitted changes, such as ?? new" in done.stderr
    assert f"CITATION.cff: version: found {CITATION['version']}, expected 9.9.9" in done.stderr
    assert "pyproject.toml: version: found" in done.stderr
    assert not (checkout.parent / "release").exists(), "nothing is written"
    assert "VERSION=: expected three numbers" in release(checkout, "").stderr


def test_a_version_without_a_section_of_the_changelog_is_refused() -> None:
    text = "# Changelog\n\n## 1.0.0\n\n* New.\n\n## 0.9.0\n\n* Old.\n"
    assert changes(text, "1.0.0") == "* New."
    with pytest.raises(KvasirError, match=r"expected a section `## 1\.0\.1`"):
        changes(text, "1.0.1")


def test_metadata_name_all_five_papers() -> None:
    papers = [entry["title"] for entry in CITATION["references"]]
    assert len(papers) == 5
    for form in (
        zenodo(CITATION, "1.0.0")["references"],
        codemeta(CITATION, "1.0.0")["referencePublication"],
    ):
        assert all(any(title in str(entry) for entry in form) for title in papers)
    first = reference(CITATION["references"][0])
    assert first.startswith("Davis, Joshua; Gao, Tao; ")
    assert first.endswith(", https://doi.org/10.3233/APC200053")
