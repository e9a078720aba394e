"""Where Debian packages come from: this machine's own apt configuration, as files that a build is lent.

Nothing of it gets into an image or a file of the project.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import KvasirError

SUITE = "bookworm"
SUITES = (SUITE, f"{SUITE}-updates", f"{SUITE}-security")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
"""In every Debian, also the smallest."""
FORMAT = "$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)"


@dataclass(frozen=True)
class Source:
    """One part of an archive."""

    uri: str
    suite: str
    component: str

    @property
    def line(self) -> str:
        """As apt's sources.list has it."""
        return f"deb [signed-by={KEYRING}] {self.uri} {self.suite} {self.component}\n"


def parse_targets(text: str) -> list[Source]:
    """Sources from lines of FORMAT as `apt-get indextargets` prints them: those of the images' suites, main only."""
    found: dict[Source, None] = {}
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 3 and words[1] in SUITES and words[2] == "main":
            found[Source(*words)] = None
    return list(found)


def settings_of(text: str) -> str:
    """What `apt-config dump` says of fetching (proxies, checks of dates): lines that apt reads again."""
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith("Acquire::"))


def _ask(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout


def sources(mirror: str | None = None) -> list[Source]:
    """Where packages come from; `mirror` stands in for what this machine's apt knows.

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
    """The address of the suite's main archive."""
    return next(source.uri for source in found if source.suite == SUITE)


def lend(folder: Path, found: list[Source]) -> None:
    """Write what apt inside a build needs into `folder`: sources.list, apt.conf, auth.conf."""
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
