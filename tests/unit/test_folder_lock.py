"""The lock of a folder goes with its process, and what a killed Snakemake left goes with the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.core.folder_lock import TEMPORARY, release_stale_locks, use_temporary

HOLD = """
import sys, time
from pathlib import Path
from harness.core.folder_lock import alone
print(alone(Path(sys.argv[1])), flush=True)
time.sleep(float(sys.argv[2]))
"""


def holder(state: Path, seconds: float) -> tuple[bool, subprocess.Popen[str]]:
    """Start a process that takes the lock; whether it was alone."""
    command = [sys.executable, "-c", HOLD, str(state), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process.stdout.readline().strip() == "True", process


def test_the_lock_goes_with_a_killed_process(tmp_path: Path) -> None:
    state = tmp_path / "with a blank" / ".snakemake"
    first_alone, first = holder(state, 60)
    second_alone, second = holder(state, 60)
    assert (first_alone, second_alone) == (True, False)
    first.send_signal(signal.SIGKILL)
    first.wait()
    third_alone, third = holder(state, 0)
    assert not third_alone, "the second is there"
    for process in (second, third):
        process.kill()
        process.wait()
    assert holder(state, 0)[0]


def test_locks_and_temporary_folder_of_a_killed_one_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, temporary = tmp_path / ".snakemake", tmp_path / "snakemake1234"
    (state / "locks").mkdir(parents=True)
    (state / "locks/0.input.lock").write_text("a\n")
    temporary.mkdir()
    (temporary / "1-pulp.mps").write_text("")
    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.setattr(tempfile, "tempdir", None)
    use_temporary(temporary, state)
    assert os.environ["TMPDIR"] == str(temporary)
    release_stale_locks(state)
    assert not list((state / "locks").iterdir())
    assert not temporary.exists() and not (state / TEMPORARY).exists()
    release_stale_locks(state)


def test_a_folder_that_is_not_snakemakes_is_kept(tmp_path: Path) -> None:
    state, mine = tmp_path / ".snakemake", tmp_path / "mine"
    state.mkdir()
    mine.mkdir()
    (state / TEMPORARY).write_text(str(mine))
    release_stale_locks(state)
    assert mine.is_dir()
