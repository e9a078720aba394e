"""The C++ programs' own tests (GoogleTest, by ctest): as they are used, and under the sanitizers."""

import subprocess
from pathlib import Path

import pytest

from tests import JOBS

PROJECT = Path(__file__).parents[2]
TESTED = [
    "-DBUILD_TESTING=ON",
    "-DCMAKE_BUILD_TYPE=None",
    "-DCMAKE_CXX_FLAGS=-O1 -Wno-subobject-linkage",
    "-DCMAKE_UNITY_BUILD=ON",
]
"""Not as fast as programs can be, but compiled in less than half the time: several files as one, as programs never are.
GCC takes the files in it for headers, and warns of types that no header may have."""


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    return done.stdout


def build(kind: str) -> str:
    """Build a program, PROGRAM or PROGRAM-sanitize, with its tests; returns the build tree."""
    program, _, sanitized = kind.partition("-")
    tree = f"build/{kind}-tests"
    options = [*TESTED, f"-DKVASIR_SANITIZE={'ON' if sanitized else 'OFF'}"]
    run("cmake", "-S", f"src/{program}", "-B", tree, "-G", "Ninja", *options)
    run("cmake", "--build", tree, "--parallel", JOBS)
    return tree


@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        pytest.param("engine", ["-LE", "slow"], id="engine"),
        pytest.param("engine", ["-L", "slow"], id="engine-more-ranks", marks=pytest.mark.slow),
        pytest.param("netsim-sanitize", [], id="netsim-sanitize"),
        pytest.param("engine-sanitize", [], id="engine-sanitize", marks=pytest.mark.slow),
        pytest.param("netsim", [], id="netsim", marks=pytest.mark.slow),
    ],
)
def test_ctest(kind: str, chosen: list[str]) -> None:
    output = run("ctest", "--test-dir", build(kind), *chosen, "--output-on-failure", "--no-tests=error")
    assert "100% tests passed" in output
    print(output[-1500:])
