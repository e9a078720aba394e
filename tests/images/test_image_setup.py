"""Installing Apptainer on machines that have it in their archive, that do not, and that nobody may change."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TOOLS = [
    "bash",
    "sh",
    "dirname",
    "basename",
    "awk",
    "grep",
    "sed",
    "mktemp",
    "rm",
    "cat",
    "mkdir",
    "chmod",
    "find",
    "env",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout with the script, and a machine that has a few tools and an apt that writes down what it is asked."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(PROJECT / "scripts/apptainer.sh", tmp_path / "scripts")
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in TOOLS:
        (programs / tool).symlink_to(shutil.which(tool) or "")
    play(programs, "id", "[ $1 = -un ] && echo someone || echo 1000")
    play(programs, "usermod", 'echo "usermod $*" >> apt.log')
    (tmp_path / "subuid").write_text("root:100000:65536\nsomeone:200000:65536\n")
    play(programs, "sudo", 'shift; [ "$1" = true ] || exec "$@"')
    play(programs, "apt-cache", "echo apptainer:; echo '  Candidate: 1.4.5-2'")
    play(programs, "apt-get", 'echo "$*" >> apt.log; case "$*" in *install*apptainer*) installed;; esac')
    play(
        programs,
        "installed",
        'printf "#!/bin/sh\\necho 1.4.5\\n" > programs/apptainer; chmod +x programs/apptainer',
    )
    (tmp_path / "release").write_text("ID=debian\nVERSION_CODENAME=bookworm\n")
    return tmp_path


def play(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
    path.chmod(0o755)


def setup(place: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": str(place / "programs"),
        "KVASIR_OS_RELEASE": str(place / "release"),
        "KVASIR_SUBUID": str(place / "subuid"),
        "KVASIR_SUBGID": str(place / "subgid"),
        "HOME": os.devnull,
    }
    command = [shutil.which("bash") or "", "scripts/apptainer.sh"]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def refused(place: Path, why: str) -> None:
    done = setup(place)
    assert done.returncode == 1
    assert f"setup: no Apptainer: {why}" in done.stderr
    assert "Ask the administrator for Apptainer" in done.stderr and "/etc/subuid" in done.stderr
    assert "Without it everything runs as well" in done.stderr


def test_where_it_is_there_nothing_is_done(place: Path) -> None:
    play(place / "programs", "apptainer", "true")
    done = setup(place)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (place / "apt.log").exists()


def test_it_comes_from_the_distributions_archive(place: Path) -> None:
    done = setup(place)
    assert done.returncode == 0, done.stderr
    assert (place / "apt.log").read_text() == "install -y -qq --no-install-recommends apptainer\n"
    assert setup(place).stdout == "", "the second time there is nothing to do"


def test_without_root_it_says_what_to_ask_for(place: Path) -> None:
    play(place / "programs", "sudo", "exit 1")
    refused(place, "installing it, or giving you a range of ids, needs root, and sudo asks for a password")
    (place / "programs/sudo").unlink()
    refused(place, "installing it, or giving you a range of ids, needs root, and there is no sudo")
    assert not (place / "apt.log").exists()


def test_ids_to_ask_for_are_nobodys(place: Path) -> None:
    (place / "programs/sudo").unlink()
    (place / "subuid").write_text("other:100000:65536\n")
    (place / "subgid").write_text("other:100000:65536\nthird:300000:10\n")
    asked = "usermod --add-subuids 300010-365545 --add-subgids 300010-365545 someone"
    assert asked in setup(place).stderr


def test_an_archive_without_it_that_is_not_debians_is_left_alone(place: Path) -> None:
    play(place / "programs", "apt-cache", "echo '  Candidate: (none)'")
    (place / "release").write_text("ID=ubuntu\nVERSION_CODENAME=jammy\n")
    refused(place, "the archive of this distribution does not have it")
    assert not (place / "apt.log").exists()


def test_without_apt_it_says_what_to_ask_for(place: Path) -> None:
    (place / "programs/apt-get").unlink()
    refused(place, "this distribution has no apt-get")


def test_debians_later_package_is_looked_for_on_the_same_mirror(place: Path) -> None:
    play(place / "programs", "apt-cache", "echo '  Candidate: (none)'")
    listed = "file:///mirror/ bookworm main\\nfile:///security/ bookworm-security main\\n"
    update = (
        'for w in "$@"; do case $w in *sourcelist=*) cat "${w#*sourcelist=}" >> lists;; esac; done; exit 100'
    )
    targets = f'printf "{listed}"'
    play(place / "programs", "apt-get", f'case "$1" in indextargets) {targets};; *) {update};; esac')
    refused(place, "the mirror in apt's configuration has no suite unstable")
    assert (place / "lists").read_text().endswith(" file:///mirror/ unstable main\n")
    play(place / "programs", "apt-get", "true")
    refused(place, "apt's configuration names no mirror for bookworm")


def test_who_builds_images_gets_ids_that_nobody_else_has(place: Path) -> None:
    (place / "subuid").write_text("root:100000:65536\nother:300000:1000\n")
    done = setup(place)
    assert done.returncode == 0, done.stderr
    last = (place / "apt.log").read_text().splitlines()[-1]
    assert last == "usermod --add-subuids 301000-366535 --add-subgids 301000-366535 someone"
    (place / "subuid").unlink()
    assert setup(place).returncode == 0
    assert (place / "apt.log").read_text().splitlines()[-1].endswith("100000-165535 someone")
