"""Where a powercap tree comes from: only the kernel's own sysfs may be called measured."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

MARKER = "EMULATED"
_SYSFS_MAGIC = 0x62656572


def is_sysfs(path: Path) -> bool:
    """True when `path` lies on the kernel's sysfs (statfs type), whatever its name."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = (ctypes.c_long * 32)()  # struct statfs is smaller; its first word is the file system's type
    if libc.statfs(str(path).encode(), buffer) != 0:
        return False
    return buffer[0] == _SYSFS_MAGIC


def marker_of(root: Path) -> Path | None:
    """The file EMULATED that marks a tree, looked for at its root, above it and in its zones."""
    places = [root, *root.absolute().parents, *root.resolve().parents]
    places += [zone.resolve() for zone in root.glob("intel-rapl*")]
    return next((place / MARKER for place in places if (place / MARKER).exists()), None)


def label(root: Path, measured: str) -> str:
    """The source name for numbers out of `root`: `measured` only for an unmarked tree on sysfs.

    A marked tree is `emulated:<first word of the marker>`; any other tree of plain files is `emulated:files`.
    """
    marker = marker_of(root)
    if marker is None:
        return measured if is_sysfs(root) else "emulated:files"
    try:
        words = marker.read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        words = []
    name = re.sub(r"[^A-Za-z0-9_.-]", "", words[0]) if words else ""
    return f"emulated:{name or 'unnamed'}"
