"""The C++ programs with their tests, compiled once for all tests that need them."""

import fcntl
import shutil
import subprocess
from pathlib import Path

from tests import JOBS

PROJECT = Path(__file__).parents[1]
OPTIONS = ["-DBUILD_TESTING=ON", "-DCMAKE_BUILD_TYPE=None"]
FLAGS = "-DCMAKE_CXX_FLAGS=-O1"
"""Not as fast as programs can be, but compiled sooner."""
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Environment by which Open MPI starts ranks for root."""
WHAT_INSTALLS = "`scripts/setup.sh run test` installs it"


def _installed(*names: str) -> str:
    """Return the path of the first of some programs that is installed."""
    found = [path for path in map(shutil.which, names) if path]
    assert found, f"{names[0]} is not installed: {WHAT_INSTALLS}"
    return found[0]


def _variant(name: str) -> list[str]:
    """Return the options of CMake for one way of building a program."""
    if name == "":
        return [FLAGS, "-DKVASIR_SANITIZE=OFF"]
    if name == "sanitize":
        return [FLAGS, "-DKVASIR_SANITIZE=ON"]
    if name == "threads":
        return [FLAGS, "-DKVASIR_SANITIZE_THREADS=ON"]
    if name == "mpich":
        flags = "-DCMAKE_CXX_FLAGS=-O0"  # compiled soonest; its tests take seconds
        compiler, launcher = _installed("mpicxx.mpich"), _installed("mpiexec.mpich")
        return [flags, f"-DMPI_CXX_COMPILER={compiler}", f"-DMPIEXEC_EXECUTABLE={launcher}"]
    if name == "fuzz":
        compiler = f"-DCMAKE_CXX_COMPILER={_installed('clang++', 'clang++-14')}"
        return [compiler, "-DCMAKE_CXX_FLAGS=-O1", "-DKVASIR_SANITIZE=ON", "-DKVASIR_FUZZ=ON"]
    raise ValueError(name)


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]


def build(kind: str, *targets: str) -> Path:
    """Build targets, or all, of a program; returns the build tree.

    `kind`: PROGRAM, PROGRAM-sanitize (under ASan and UBSan), PROGRAM-threads (under TSan), PROGRAM-mpich (with MPICH
    instead of the default MPI) or PROGRAM-fuzz (by clang, with the targets of libFuzzer).

    A worker waits for another that builds the same: its programs are in the tree afterwards.
    """
    program, _, variant = kind.partition("-")
    tree = PROJECT / f"build/{kind}-tests"
    tree.mkdir(parents=True, exist_ok=True)
    options = [*OPTIONS, *_variant(variant)]
    with (tree / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run("cmake", "-S", f"src/{program}", "-B", str(tree), "-G", "Ninja", *options)
        chosen = ["--target", *targets] if targets else []
        _run("cmake", "--build", str(tree), "--parallel", JOBS, *chosen)
    return tree
