"""The commit and the date of an image: those of the last change of what it is made of."""

import subprocess
from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.images.build import origin
from harness.images.recipe import Recipe

PROJECT = Path(__file__).parents[2]


def git(folder: Path, *arguments: str, when: int = 1_000_000_000) -> str:
    name = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "GIT_COMMITTER_DATE": f"{when} +0000",
        **name,
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose definitions are older than its last commit."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    for part in ("containers", "src/cmake"):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", PROJECT / part, folder / part], check=True)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first", when=1_100_000_000)
    (folder / "other").write_text("")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second", when=1_200_000_000)
    return folder


def test_a_later_commit_of_something_else_does_not_count(project: Path) -> None:
    found = origin(Recipe("base", project))
    assert found.when == 1_100_000_000 and found.commit == git(project, "rev-parse", "HEAD~1")


def test_a_shallow_clone_does_not_know_when_files_have_changed(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", str(copy))
    found = origin(Recipe("base", copy))
    assert (found.commit, found.when) == ("unknown", 0)


def test_a_shallow_clone_that_reaches_far_enough_knows(project: Path, tmp_path: Path) -> None:
    (project / "containers/base.def").open("a").write("\n# changed\n")
    git(project, "commit", "-q", "-a", "-m", "third", when=1_300_000_000)
    copy = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{project}", str(copy))
    assert origin(Recipe("base", copy)).when == 1_300_000_000


def test_a_date_that_is_none_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(KvasirError, match="found 'yesterday': expected seconds since 1970"):
        origin(Recipe("base", project))
