"""The C++ programs' own tests (GoogleTest, by ctest): as they are used, and under the sanitizers."""

import subprocess

import pytest

from tests.compiled import build


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
    ctest = ["ctest", "--test-dir", str(build(kind)), *chosen, "--output-on-failure", "--no-tests=error"]
    done = subprocess.run(ctest, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert "100% tests passed" in done.stdout
    print(done.stdout[-1500:])
