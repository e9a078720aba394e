"""Holds a plain folder to the rates of a disk by a library that programs preload. Needs no privilege, only a compiler.

The library, `src/throttle/throttle.c`, says what it holds and what it cannot. Its state is a file that all programs of
a host share; the layout here is the one there.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = ".throttle"
"""In the disk's folder: library and state."""
LIBRARY = "libthrottle.so"
STATE = "state"
SOURCE = Path(__file__).resolve().parents[3] / "throttle/throttle.c"
VARIABLE = "KVASIR_THROTTLE"
_LAYOUT = struct.Struct("=Q 5q 5q")
_MAGIC = 0x31656C74746F7268
_WRITE_BURST_NS = 400_000_000
"""How much written data the page cache may hold back: as long as for throttled devices."""
_READ_BURST_NS = 20_000_000


def compile_library(target: str) -> None:
    """Compile the library. Raises OSError with the compiler's words when that fails."""
    command = ["cc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
    command += ["-U_FORTIFY_SOURCE", "-o", target, str(SOURCE), "-ldl"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{SOURCE} cannot be compiled: {done.stderr.strip()[-500:]}")


def make_state(disk: dict[str, Any]) -> str:
    """Write the state of a disk's folder, `path`, with its rates; return the file's path."""
    place = f"{disk['path']}/{FOLDER}"
    os.mkdir(place)
    read, written = (int((disk[key] or 0) * 1e6) for key in ("read_mb_s", "write_mb_s"))
    content = _LAYOUT.pack(_MAGIC, read, _READ_BURST_NS, 0, 0, 0, written, _WRITE_BURST_NS, 0, 0, 0)
    path = f"{place}/{STATE}"
    Path(path).write_bytes(content)
    return path


def environment(states: Iterable[str], given: str = "") -> dict[str, str]:
    """Return the variables by which a program is held; `given`: libraries that it preloads besides."""
    files = list(states)
    if not files:
        return {}
    library = f"{os.path.dirname(files[0])}/{LIBRARY}"
    return {"LD_PRELOAD": f"{library} {given}".strip(), VARIABLE: ":".join(files)}


def use(state: str) -> tuple[int, int, float]:
    """Return what a disk has done: bytes read that were not in the page cache, bytes written, seconds waited for it."""
    values = _LAYOUT.unpack(Path(state).read_bytes())
    (read, read_wait), (written, write_wait) = values[4:6], values[9:11]
    return read, written, (read_wait + write_wait) / 1e9
