"""The logger with Snakemake itself: it stops after equal failures and says little of an interruption."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .checkout import PROJECT

RULES = """
rule all:
    input: expand("done/{rep}", rep=range(20))

rule run_point:
    output: "done/{rep}"
    log: "logs/{rep}.log"
    shell: COMMAND
"""


def start(folder: Path, command: str, *more: str) -> subprocess.Popen[str]:
    (folder / "Snakefile").write_text(f"COMMAND = {command!r}\n{RULES}")
    words = [
        str(PROJECT / ".venv/bin/snakemake"),
        "--cores",
        "1",
        "--keep-going",
        "--logger",
        "kvasir",
        *more,
    ]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    return subprocess.Popen(
        words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize(
    ("log", "expected", "failed"),
    [
        (
            "error: mpirunn: no such file",
            "error: 3 runs failed for the same reason, no more are started: ",
            3,
        ),
        ("OSError: [Errno 28] No space left on device", "no space left on device: make room", 0),
    ],
)
def test_equal_failures_stop_the_workflow(tmp_path: Path, log: str, expected: str, failed: int) -> None:
    process = start(tmp_path, f"echo '{log}' > {{log}}; exit 1")
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert said.count(expected) == 1
    assert said.count("failed: run_point") == failed
    assert len(list((tmp_path / "logs").iterdir())) <= 4, "the other runs were not started"
    assert "Traceback" not in said


def test_an_interruption_is_not_told_as_failures(tmp_path: Path) -> None:
    process = start(tmp_path, "sleep 30 > {log}")
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("logs/*.log")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "failed:" not in said and "Traceback" not in said and "did not complete" not in said


def test_a_dry_run_is_one_screen(tmp_path: Path) -> None:
    process = start(tmp_path, "true > {log}", "-n")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "dry run: 21 jobs" in said and "run_point" in said and len(said.splitlines()) < 10
