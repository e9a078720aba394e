"""The C++ programs with their tests, compiled once for all tests that need them."""

import fcntl
import subprocess
from pathlib import Path

from tests import JOBS

PROJECT = Path(__file__).parents[1]
OPTIONS = [
    "-DBUILD_TESTING=ON",
    "-DCMAKE_BUILD_TYPE=None",
    "-DCMAKE_CXX_FLAGS=-O1 -Wno-subobject-linkage",
    "-DCMAKE_UNITY_BUILD=ON",
]
"""Not as fast as programs can be, but compiled in less than half the time: several files as one, as programs never are.
GCC takes the files in it for headers, and warns of types that no header may have."""


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]


def build(kind: str, *targets: str) -> Path:
    """Build targets, or all, of a program, PROGRAM or PROGRAM-sanitize; returns the build tree.

    A worker waits for another that builds the same: its programs are in the tree afterwards.
    """
    program, _, sanitized = kind.partition("-")
    tree = PROJECT / f"build/{kind}-tests"
    tree.mkdir(parents=True, exist_ok=True)
    options = [*OPTIONS, f"-DKVASIR_SANITIZE={'ON' if sanitized else 'OFF'}"]
    with (tree / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run("cmake", "-S", f"src/{program}", "-B", str(tree), "-G", "Ninja", *options)
        chosen = ["--target", *targets] if targets else []
        _run("cmake", "--build", str(tree), "--parallel", JOBS, *chosen)
    return tree
