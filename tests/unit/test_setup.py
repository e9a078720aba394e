"""Setup on machines that lack something: it installs exactly that, or says exactly what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout with nothing but the setup, and programs that play a machine without cmake and r-base-core."""
    folder = tmp_path / "a checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(PROJECT / "scripts/setup.sh", folder / "scripts")
    shutil.copy(PROJECT / "requirements-debian.txt", folder)
    (folder / "requirements.txt").write_text("")
    (folder / "pyproject.toml").write_text("")
    programs = folder / "programs"
    programs.mkdir()
    absent = '[ "${!#}" = cmake ] || [ "${!#}" = r-base-core ]'
    play(programs, "dpkg-query", f"if {absent}; then exit 1; fi; printf installed")
    play(programs, "id", "echo 1000")
    play(programs, "apt-get", 'echo "apt-get $*" >> apt.log')
    play(programs, "env", 'while [ "${1#*=}" != "$1" ]; do shift; done; exec "$@"')
    # The Python environment is there already, as far as the stamp tells.
    (folder / ".venv").mkdir()
    stamp = subprocess.run(
        ["bash", "-c", "cat requirements.txt pyproject.toml <(pwd -P) | sha256sum"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    (folder / ".venv/kvasir.stamp").write_text(stamp + "\n")
    return folder


def play(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


def setup(place: Path, *sections: str) -> subprocess.CompletedProcess[str]:
    path = f"{place / 'programs'}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "scripts/setup.sh", *sections]
    return subprocess.run(command, cwd=place, env={"PATH": path}, capture_output=True, text=True, check=False)


def test_without_root_and_sudo_it_lists_exactly_what_is_missing(place: Path) -> None:
    play(place / "programs", "sudo", "exit 1")
    done = setup(place, "run")
    assert done.returncode == 1
    assert (
        "these Debian packages are missing and installing them needs root: r-base-core cmake\n" in done.stderr
    )
    assert "apt-get install -y --no-install-recommends r-base-core cmake" in done.stderr
    assert not (place / "apt.log").exists(), "nothing was tried"


def test_a_replay_needs_no_compiler(place: Path) -> None:
    play(place / "programs", "sudo", "exit 1")
    done = setup(place, "base")
    assert "installing them needs root: r-base-core\n" in done.stderr


def test_with_sudo_it_installs_exactly_what_is_missing(place: Path) -> None:
    play(place / "programs", "sudo", 'shift; [ "$1" = true ] || exec "$@"')
    done = setup(place, "run")
    assert done.returncode == 0, done.stderr
    installed = (place / "apt.log").read_text().splitlines()
    assert installed == [
        "apt-get update -qq",
        "apt-get install -y -qq --no-install-recommends r-base-core cmake",
    ]


def test_with_nothing_missing_it_does_and_says_nothing(place: Path) -> None:
    play(place / "programs", "dpkg-query", "printf installed")
    done = setup(place, "run", "test")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (place / "apt.log").exists()
