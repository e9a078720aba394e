"""The C++ programs' own tests (GoogleTest, by ctest): as they are used, with another MPI, and under the sanitizers."""

import subprocess
from pathlib import Path

import pytest

from tests.compiled import build


def ctest(tree: Path, *chosen: str) -> str:
    """Run chosen tests of a build tree; returns what ctest said."""
    command = ["ctest", "--test-dir", str(tree), *chosen, "--output-on-failure", "--no-tests=error"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert "100% tests passed" in done.stdout
    return done.stdout


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
    print(ctest(build(kind), *chosen)[-1500:])


@pytest.mark.timeout(3000)
def test_engine_with_mpich() -> None:
    tree = build("engine-mpich", "pieces_test", "jobs_test")
    linked = subprocess.run(["ldd", str(tree / "bin/jobs_test")], capture_output=True, text=True, check=True)
    assert "libmpich" in linked.stdout and "libmpi.so" not in linked.stdout
    said = ctest(tree, "-R", "^(pieces|jobs_2)$")
    assert "0 tests failed out of 2" in said
    print(said[-1500:])


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_generator_has_no_data_race() -> None:
    """The generator is the only part of the engine that has threads."""
    print(ctest(build("engine-threads", "generate_test"), "-R", "^generate$")[-1500:])
