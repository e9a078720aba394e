"""clang-tidy over the C++ programs; a test, so that of two workers one computes while the other waits."""

import os
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.mark.timeout(3600)
def test_clang_tidy_finds_nothing() -> None:
    # Beside other tests one file at a time.
    jobs = {"JOBS": "1"} if "PYTEST_XDIST_WORKER" in os.environ else {}
    done = subprocess.run(
        ["scripts/lint.sh", "tidy"],
        cwd=PROJECT,
        env={**os.environ, **jobs},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
