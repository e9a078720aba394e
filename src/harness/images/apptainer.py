"""Runs Apptainer, probes whether it works here, signs and verifies images."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from harness.core.errors import KvasirError

PROGRAM = "apptainer"
TRIAL_S = 60
TRIAL = """
apptainer --version || { echo "there is no Apptainer here"; exit 1; } >&2
unshare --user --map-current-user true || { echo "no user namespaces here"; exit 1; } >&2
[ -r /dev/fuse ] && [ -w /dev/fuse ] || [ -u "$(apptainer buildcfg LIBEXECDIR)/apptainer/bin/starter-suid" ] || {
  echo "you may not open /dev/fuse, by which Apptainer mounts images for ordinary users (usual is mode 0666)"
  exit 1
} >&2
"""
"""Shell commands that print Apptainer's version, or fail and say why programs cannot be started in images."""


def flags() -> list[str]:
    """Return the options of every container start: root gets a user namespace, too."""
    return ["--userns"] if os.geteuid() == 0 else []


def use_namespaces() -> None:
    """Export `flags` to every Apptainer below this process, such as those that Snakemake starts."""
    if flags():
        os.environ["APPTAINER_USERNS"] = "1"


def run(
    words: Sequence[str], folder: Path | None = None, env: Mapping[str, str] | None = None, quiet: bool = True
) -> str:
    """Run `apptainer WORDS` and return its output; messages go to stderr unless `quiet`. Raises KvasirError."""
    try:
        done = subprocess.run(
            [PROGRAM, *words],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if quiet else None,
            text=True,
            check=False,
        )
    except OSError as error:
        raise KvasirError(
            f"{PROGRAM}: cannot be started: {error.strerror}: run scripts/setup.sh images"
        ) from None
    if done.returncode:
        said = f": {done.stderr.strip()[-800:]}" if quiet else ", see its messages above"
        raise KvasirError(f"{PROGRAM} {' '.join(words)[:300]}: exit code {done.returncode}{said}")
    return done.stdout


def inside(image: Path, *command: str) -> str:
    """Run a command in an image with a clean environment and return its output."""
    return run(["exec", *flags(), "--cleanenv", "--no-home", str(image), *command])


def labels(image: Path) -> dict[str, str]:
    """Return the image's labels."""
    document = json.loads(run(["inspect", "--json", "--labels", str(image)]))
    found: dict[str, str] = document["data"]["attributes"]["labels"]
    return found


@cache
def refusal() -> str:
    """Return the reason why images do not work on this machine, '' if they do."""
    if shutil.which(PROGRAM) is None:
        return "there is no Apptainer here (scripts/setup.sh images installs it, or says what to ask for)"
    try:
        done = subprocess.run(
            ["sh", "-c", TRIAL], capture_output=True, text=True, check=False, timeout=TRIAL_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Apptainer cannot be tried: {error}"
    return "" if done.returncode == 0 else done.stderr.strip()


def sign(image: Path, key: Path) -> None:
    """Sign an image with a PEM key without passphrase. Raises KvasirError when that fails."""
    run(["sign", "--key", str(key), str(image)])


def verify(image: Path, key: Path) -> None:
    """Raise KvasirError unless all of the image is signed with the private part of `key`, a PEM file."""
    try:
        run(["verify", "--all", "--key", str(key), str(image)])
    except KvasirError as error:
        raise KvasirError(
            f"{image}: is not signed with {key}, so it is not used: delete it to have it built again, or get it "
            f"from who has that key ({error})"
        ) from None
