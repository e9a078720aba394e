"""Pins the Debian packages of the images: lock file, package sources of a build, and resolver."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import KvasirError

WANTED = Path("containers/packages.txt")
LOCK = Path("containers/packages.lock")
HEAD = "# Every Debian package of every image and its version, by stage. Made by `make image-lock`; do not edit.\n"
BASE = "base"

Pins = Mapping[str, Mapping[str, str]]
"""Versions by stage and package."""


def _rows(path: Path, least: int) -> list[list[str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KvasirError(f"{path}: cannot be read: {error.strerror}") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) < least:
            raise KvasirError(f"{path}: line {number}: found {line!r}: expected {least} words")
        rows.append(words)
    return rows


def read_wanted(root: Path) -> dict[str, list[str]]:
    """Read the requested packages by stage. Raises KvasirError when the file is missing or broken."""
    found: dict[str, list[str]] = {}
    for stage, package, *_ in _rows(root / WANTED, 2):
        found.setdefault(stage, []).append(package)
    return found


def read_lock(root: Path) -> dict[str, dict[str, str]]:
    """Read all pins; stage `base` is common to all images. Raises KvasirError when the file is missing or broken."""
    found: dict[str, dict[str, str]] = {}
    for stage, package, version in _rows(root / LOCK, 3):
        if found.setdefault(stage, {}).setdefault(package, version) != version:
            raise KvasirError(f"{root / LOCK}: {stage}: {package} has two versions")
    return found


def write_lock(root: Path, pins: Pins) -> None:
    """Write all pins, sorted."""
    lines = [
        f"{stage} {package} {version}\n"
        for stage, packages in sorted(pins.items())
        for package, version in sorted(packages.items())
    ]
    (root / LOCK).write_text(HEAD + "".join(lines), encoding="utf-8")


def words(pins: Pins, stage: str) -> list[str]:
    """Format a stage's pins for apt: package=version. Raises KvasirError when the stage has none."""
    if stage not in pins:
        raise KvasirError(f"{LOCK}: has no stage {stage}: run make image-lock")
    return [f"{package}={version}" for package, version in sorted(pins[stage].items())]


def digest(pins: Pins, stages: Iterable[str]) -> str:
    """Hash all pins of some stages (SHA-256)."""
    lines = (f"{stage} {word}\n" for stage in sorted(set(stages)) for word in words(pins, stage))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


SUITE = "bookworm"
SUITES = (SUITE, f"{SUITE}-updates", f"{SUITE}-security")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
"""In every Debian, also the smallest."""
FORMAT = "$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)"


@dataclass(frozen=True)
class Source:
    """One component of a suite of a package archive."""

    uri: str
    suite: str
    component: str

    @property
    def line(self) -> str:
        """Format it for apt's sources.list."""
        return f"deb [signed-by={KEYRING}] {self.uri} {self.suite} {self.component}\n"


def parse_targets(text: str) -> list[Source]:
    """Parse lines of FORMAT from `apt-get indextargets`: sources of the images' suites, main only."""
    found: dict[Source, None] = {}
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 3 and words[1] in SUITES and words[2] == "main":
            found[Source(*words)] = None
    return list(found)


def settings_of(text: str) -> str:
    """Filter `apt-config dump` for the settings of downloads (proxies, date checks)."""
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith("Acquire::"))


def _ask(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout


def sources(mirror: str | None = None) -> list[Source]:
    """Return the package sources of this machine's apt, or of `mirror`.

    Raises KvasirError when neither names an archive of the images' suite.
    """
    if mirror:
        uri = mirror.rstrip("/") + "/"
        return [Source(uri, suite, "main") for suite in SUITES[:2]]
    found = parse_targets(_ask("apt-get", "indextargets", "--format", FORMAT, "Created-By: Packages"))
    if not any(source.suite == SUITE for source in found):
        raise KvasirError(
            f"images are made of Debian {SUITE}, and this machine's apt names no archive of it: name one by "
            "images: {mirror: URL} in the site file, or use no images"
        )
    return found


def main_archive(found: list[Source]) -> str:
    """Return the URL of the suite's main archive."""
    return next(source.uri for source in found if source.suite == SUITE)


def lend(folder: Path, found: list[Source]) -> None:
    """Write apt's configuration for a build into `folder`: sources.list, apt.conf, auth.conf."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text("".join(source.line for source in found), encoding="utf-8")
    (folder / "apt.conf").write_text(settings_of(_ask("apt-config", "dump")), encoding="utf-8")
    logins = [Path("/etc/apt/auth.conf"), *sorted(Path("/etc/apt/auth.conf.d").glob("*.conf"))]
    text = ""
    for path in logins:
        try:
            text += path.read_text(encoding="utf-8") if path.is_file() else ""
        except PermissionError:
            continue  # root's own; then the mirror asks for none, or apt says so
    login = folder / "auth.conf"
    login.touch(mode=0o600)
    login.write_text(text, encoding="utf-8")


CHOSEN = re.compile(r"^Inst (\S+?)(?::\S+)? (?:\[\S+\] )?\((\S+) ")
REQUIRED = re.compile(r"^(Essential: yes|Priority: required)$", re.MULTILINE)
SMALLEST = ("apt", "debian-archive-keyring")
"""What debootstrap's smallest set has besides the packages that every Debian must have."""


def chosen(text: str) -> dict[str, str]:
    """Parse packages and versions from `apt-get --simulate install`."""
    return {found[1]: found[2] for line in text.splitlines() if (found := CHOSEN.match(line))}


def required(text: str) -> list[str]:
    """Parse essential packages from `apt-cache dumpavail`."""
    names = set()
    for paragraph in text.split("\n\n"):
        if REQUIRED.search(paragraph):
            names.add(paragraph.partition("Package: ")[2].partition("\n")[0])
    return sorted(names)


class Resolver:
    """An apt that knows the images' archives and has nothing installed."""

    def __init__(self, folder: Path, found: list[Source]) -> None:
        self._folder = folder
        lend(folder, found)
        (folder / "lists/partial").mkdir(parents=True)
        (folder / "cache/archives/partial").mkdir(parents=True)
        (folder / "status").touch()
        # Of this machine its settings of downloads: its hooks would clean its own cache, or fail for want of rights.
        settings = 'Dir::Etc::main "/dev/null";\nDir::Etc::parts "/dev/null";\n'
        (folder / "own.conf").write_text(
            settings + (folder / "apt.conf").read_text(encoding="utf-8"), encoding="utf-8"
        )
        self._environment = {**os.environ, "APT_CONFIG": str(folder / "own.conf")}
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
            [program, *self._options, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env=self._environment,
        )
        if done.returncode:
            raise KvasirError(f"{program} {' '.join(words)[:200]}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def update(self) -> None:
        """Download the package lists."""
        self._run("apt-get", "-qq", "update")

    def smallest(self) -> list[str]:
        """Return the essential packages."""
        return [*required(self._run("apt-cache", "dumpavail")), *SMALLEST]

    def versions(self, packages: Iterable[str]) -> dict[str, str]:
        """Resolve `packages` with all dependencies to versions."""
        return chosen(
            self._run("apt-get", "-qq", "--simulate", "--no-install-recommends", "install", *packages)
        )


def resolve(root: Path, archive: str | None = None) -> dict[str, dict[str, str]]:
    """Resolve pins for all stages of `containers/packages.txt`, from this machine's mirror or `archive`.

    Raises KvasirError when a package is not there, or apt cannot be asked.
    """
    wanted = read_wanted(root)
    with tempfile.TemporaryDirectory(prefix="kvasir-lock-") as folder:
        apt = Resolver(Path(folder), sources(archive))
        apt.update()
        base = apt.versions([*apt.smallest(), *wanted.pop(BASE)])
        pins = {BASE: base}
        for stage, packages in wanted.items():
            all_of_it = apt.versions([*(f"{name}={version}" for name, version in base.items()), *packages])
            pins[stage] = {name: version for name, version in all_of_it.items() if name not in base}
    return pins
