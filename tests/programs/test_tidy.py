"""clang-tidy over the C++ programs; a test, so that of two workers one computes while the other waits."""

import os
import subprocess
from pathlib import Path

import pytest

from tests import JOBS

PROJECT = Path(__file__).parents[2]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("program", ["netsim", pytest.param("engine", marks=pytest.mark.slow)])
def test_clang_tidy_finds_nothing(program: str) -> None:
    done = subprocess.run(
        ["scripts/lint.sh", "tidy", program],
        cwd=PROJECT,
        env={**os.environ, "JOBS": JOBS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
