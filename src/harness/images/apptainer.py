"""Apptainer as this machine has it: whether it can be used, and calls of it."""

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
    """Options of every start of a container: root, too, gets a namespace of its own, as anybody else."""
    return ["--userns"] if os.geteuid() == 0 else []


def use_namespaces() -> None:
    """Say `flags` to every Apptainer below this process as well, such as those that Snakemake starts."""
    if flags():
        os.environ["APPTAINER_USERNS"] = "1"


def run(
    words: Sequence[str], folder: Path | None = None, env: Mapping[str, str] | None = None, quiet: bool = True
) -> str:
    """What `apptainer WORDS` prints; unless `quiet` its messages go where ours go. KvasirError when it fails."""
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
    """What a command prints that runs in an image, with nothing of this machine's environment."""
    return run(["exec", *flags(), "--cleanenv", "--no-home", str(image), *command])


def labels(image: Path) -> dict[str, str]:
    """The image's labels."""
    document = json.loads(run(["inspect", "--json", "--labels", str(image)]))
    found: dict[str, str] = document["data"]["attributes"]["labels"]
    return found


@cache
def refusal() -> str:
    """Why images cannot be used on this machine, '' if they can."""
    if shutil.which(PROGRAM) is None:
        return "there is no Apptainer here (scripts/setup.sh images installs it, or says what to ask for)"
    try:
        done = subprocess.run(
            ["sh", "-c", TRIAL], capture_output=True, text=True, check=False, timeout=TRIAL_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Apptainer cannot be tried: {error}"
    return "" if done.returncode == 0 else done.stderr.strip()
