"""What the programs of a cell are: read from what their builds leave behind."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from harness.core.errors import KvasirError
from harness.plan.cell_spec import CellSpec

BUILDS = Path("build/hadoop")
"""Where each Hadoop has its folder, and beside it the file that the workflow waits for."""


def programs_of(spec: CellSpec) -> dict[str, dict[str, Any]]:
    """What the files of `built` say, shortened to what tells two builds apart. Raises KvasirError if one is missing."""
    found: dict[str, dict[str, Any]] = {}
    for name in spec.built:
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
            facts = json.loads(text)
        except (OSError, ValueError) as error:
            raise KvasirError(
                f"{path}: expected what the build writes there: {error}; build it again"
            ) from None
        digest = hashlib.sha256(text.encode()).hexdigest()
        if path.parent == BUILDS:
            found["hadoop"] = {
                "version": facts["version"],
                "java": facts["java"]["version"],
                "digest": digest,
                **({"image": facts["image"]} if "image" in facts else {}),
            }
        else:
            found[path.stem] = facts
    return found
