"""Writes files atomically: they appear under their final name when complete."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.core.errors import KvasirError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a scratch path that replaces `path` when the block succeeds, and is removed otherwise.

    Raises KvasirError when the folder cannot be made or written, or the disk is full.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield scratch
        os.replace(scratch, path)
    except OSError as error:
        raise KvasirError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)


def write_text(text: str, path: Path) -> None:
    """Write a text to `path`, all of it or nothing. Raises KvasirError."""
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")


def dump_json(data: object, path: Path) -> None:
    """Write `data` as JSON to `path`."""
    write_text(json.dumps(data, indent=1) + "\n", path)
