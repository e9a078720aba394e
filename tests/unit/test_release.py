"""A release: refused where the checkout is not one, else archive, metadata and checksums, the same each time."""

import hashlib
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from harness.config.archive import Refused
from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.report.citation import changes, codemeta, reference, zenodo
from harness.results.archive import pack

PROJECT = Path(__file__).parents[2]
CITATION = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small committed checkout with an archive of results, at the version that CITATION.cff says."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("CITATION.cff", "CHANGELOG.md", "pyproject.toml"):
        (folder / name).write_bytes((PROJECT / name).read_bytes())
    results = tmp_path / "results/laptop"
    (results / "runs").mkdir(parents=True)
    (results / "runs/run.json").write_text("{}")
    site = Site.model_validate(yaml.safe_load((PROJECT / "config/sites/local.yaml").read_text()))
    words = {"scale": "laptop", "site_name": "local", "commit": "c", "began": "", "ended": ""}
    origin = {
        **words,
        "seed": 1,
        "studies": [],
        "site": site,
        "refused": Refused(),
        "dirty": False,
        "runs": {},
    }
    pack([results / "runs/run.json"], results, folder / "reference/laptop", {**origin, "machines": []})
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
    for line in (made / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((made / name).read_bytes()).hexdigest() == digest
    assert json.loads((made / ".zenodo.json").read_text())["version"] == version
    assert release(checkout, version).returncode == 0
    assert archive.read_bytes() == first


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
    assert reference(CITATION["references"][0]).startswith("Davis, Joshua; Gao, Tao; ")
