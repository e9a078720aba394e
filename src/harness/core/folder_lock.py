"""Tells whether another Snakemake works in a folder, by a lock (flock) that goes with its process, however it ends.

Snakemake's own locks are files, which a killed one leaves behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

LOCK = "kvasir.alive"
TEMPORARY = "kvasir.tmp"
"""File that names the temporary folder of the Snakemake that works here."""

_held: list[int] = []
"""Descriptors of this process: a lock goes with its descriptor."""


def alone(state: Path) -> bool:
    """Takes the lock of a workflow's state folder (.snakemake) until this process ends; shared with others.

    Returns True when no other process held it. Where the file system has no locks it returns False.
    """
    state.mkdir(parents=True, exist_ok=True)
    held = os.open(state / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    _held.append(held)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = True
    except OSError:
        found = False
    with contextlib.suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_SH | (0 if found else fcntl.LOCK_NB))
    return found


def release_stale_locks(state: Path) -> None:
    """Removes Snakemake's locks and the temporary folder that a killed one left. Who calls this must be alone."""
    for lock in (state / "locks").glob("*"):
        lock.unlink(missing_ok=True)
    noted = state / TEMPORARY
    if noted.is_file():
        folder = Path(noted.read_text(encoding="utf-8"))
        # Only what looks like Snakemake's: the note may be cut off.
        if folder.name.startswith("snakemake"):
            shutil.rmtree(folder, ignore_errors=True)
        noted.unlink()


def use_temporary(folder: Path, state: Path) -> None:
    """Has this process and its jobs put temporary files into `folder`, which Snakemake removes at its end.

    Notes it as well, for who comes after a Snakemake that was killed. Who calls this must be alone.
    """
    (state / TEMPORARY).write_text(str(folder), encoding="utf-8")
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
