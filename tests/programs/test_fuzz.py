"""The engine's targets of libFuzzer: over their corpus, and a minute each for inputs that nobody has thought of."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.compiled import PROJECT, ROOT_MAY, build

CORPUS = PROJECT / "src/engine/tests/fuzz/corpus"
TARGETS = sorted(path.name for path in CORPUS.iterdir())


def run(program: Path, *arguments: str, scratch: Path) -> str:
    """Run a target in a folder of its own; returns what it said. MPI keeps memory until the process ends."""
    environment = {
        **os.environ,
        "ASAN_OPTIONS": f"detect_leaks={0 if program.name == 'fuzz-pieces' else 1}",
        **ROOT_MAY,
        "TMPDIR": str(scratch),
    }
    command = [str(program), f"-artifact_prefix={scratch}/", "-timeout=60", *arguments]
    done = subprocess.run(command, env=environment, cwd=scratch, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    return done.stderr


@pytest.fixture(scope="module")
def programs() -> Path:
    return build("engine-fuzz", *(f"fuzz-{name}" for name in TARGETS)) / "bin"


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("target", TARGETS)
def test_a_minute_finds_nothing(target: str, programs: Path, tmp_path: Path) -> None:
    inputs = sorted(map(str, (CORPUS / target).iterdir()))
    program = programs / f"fuzz-{target}"
    assert f"Running: {inputs[-1]}" in run(program, *inputs, scratch=tmp_path)
    found = tmp_path / "found"
    shutil.copytree(CORPUS / target, found)
    said = run(
        program, "-max_total_time=60", "-max_len=4096", "-print_final_stats=1", str(found), scratch=tmp_path
    )
    runs = int(said.rpartition("stat::number_of_executed_units:")[2].split()[0])
    print(f"{target}: {runs} inputs")
    assert runs > len(inputs)
