"""Finds the newest version of every package that the stages of the images need, for `make image-lock`."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness.core.errors import KvasirError
from harness.images import lock, mirror

CHOSEN = re.compile(r"^Inst (\S+?)(?::\S+)? (?:\[\S+\] )?\((\S+) ")
REQUIRED = re.compile(r"^(Essential: yes|Priority: required)$", re.MULTILINE)
SMALLEST = ("apt", "debian-archive-keyring")
"""What debootstrap's smallest set has besides the packages that every Debian must have."""


def chosen(text: str) -> dict[str, str]:
    """Package and version of each line of `apt-get --simulate install` that installs one."""
    return {found[1]: found[2] for line in text.splitlines() if (found := CHOSEN.match(line))}


def required(text: str) -> list[str]:
    """Packages of `apt-cache dumpavail` that every Debian must have."""
    names = set()
    for paragraph in text.split("\n\n"):
        if REQUIRED.search(paragraph):
            names.add(paragraph.partition("Package: ")[2].partition("\n")[0])
    return sorted(names)


class Resolver:
    """An apt that knows the images' archives and has nothing installed."""

    def __init__(self, folder: Path, found: list[mirror.Source]) -> None:
        self._folder = folder
        mirror.lend(folder, found)
        (folder / "lists/partial").mkdir(parents=True)
        (folder / "cache/archives/partial").mkdir(parents=True)
        (folder / "status").touch()
        self._options = [
            word
            for setting in (
                f"Dir::Etc::sourcelist={folder}/sources.list",
                "Dir::Etc::sourceparts=/dev/null",
                f"Dir::State={folder}",
                f"Dir::State::status={folder}/status",
                f"Dir::Cache={folder}/cache",
                "APT::Sandbox::User=root",
                "Acquire::Languages=none",
                # An archive that cannot be reached is only a warning to apt, and no package is found later.
                "APT::Update::Error-Mode=any",
            )
            for word in ("-o", setting)
        ]

    def _run(self, program: str, *words: str) -> str:
        done = subprocess.run(
            [program, *self._options, *words], capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode:
            raise KvasirError(f"{program} {' '.join(words)[:200]}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def update(self) -> None:
        """Fetch the lists of packages."""
        self._run("apt-get", "-qq", "update")

    def smallest(self) -> list[str]:
        """What every Debian must have."""
        return [*required(self._run("apt-cache", "dumpavail")), *SMALLEST]

    def versions(self, packages: Iterable[str]) -> dict[str, str]:
        """All that gets installed with `packages`, at its version."""
        return chosen(
            self._run("apt-get", "-qq", "--simulate", "--no-install-recommends", "install", *packages)
        )


def resolve(root: Path, archive: str | None = None) -> dict[str, dict[str, str]]:
    """Pins for all stages of `containers/packages.txt`, from this machine's mirror or `archive`.

    Raises KvasirError when a package is not there, or apt cannot be asked.
    """
    wanted = lock.read_wanted(root)
    with tempfile.TemporaryDirectory(prefix="kvasir-lock-") as folder:
        apt = Resolver(Path(folder), mirror.sources(archive))
        apt.update()
        base = apt.versions([*apt.smallest(), *wanted.pop(lock.BASE)])
        pins = {lock.BASE: base}
        for stage, packages in wanted.items():
            all_of_it = apt.versions([*(f"{name}={version}" for name, version in base.items()), *packages])
            pins[stage] = {name: version for name, version in all_of_it.items() if name not in base}
    return pins
