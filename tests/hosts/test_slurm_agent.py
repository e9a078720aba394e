"""A step of SLURM's agent without SLURM: it passes signals on, ends as its command does, and leaves nothing."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.hosts.slurm_steps import BOOT

PATIENT = (
    "trap 'echo term; exit 7' TERM; trap 'echo user; exit 8' USR1; echo ready; while :; do sleep 0.01; done"
)


@contextmanager
def step(folder: Path, script: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a shell's script as a step, whose standard input stays open."""
    header = {
        "command": ["sh", "-c", script],
        "env": {"PATH": "/usr/bin:/bin"},
        "cwd": str(folder),
        "stdin": base64.b64encode(b"given").decode(),
    }
    agent = subprocess.Popen(
        [sys.executable, "-I", "-S", str(BOOT), "slurm_agent", "step"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert agent.stdin is not None
        agent.stdin.write(json.dumps(header).encode() + b"\n")
        agent.stdin.flush()
        yield agent
    finally:
        agent.kill()
        agent.communicate()


def next_line(agent: subprocess.Popen[bytes]) -> bytes:
    assert agent.stdout is not None
    return agent.stdout.readline()


@pytest.mark.parametrize("pause_ms", [0, 1, 3, 10, 30])
def test_sigterm_reaches_the_command_whenever_it_comes(tmp_path: Path, pause_ms: int) -> None:
    with step(tmp_path, PATIENT) as agent:
        assert next_line(agent) == b"ready\n"
        time.sleep(pause_ms / 1000)
        agent.send_signal(signal.SIGTERM)
        assert next_line(agent) == b"term\n"
        assert agent.wait(30) == 7


def test_a_signal_that_the_driver_names_reaches_the_command(tmp_path: Path) -> None:
    with step(tmp_path, PATIENT) as agent:
        assert next_line(agent) == b"ready\n"
        agent.send_signal(signal.SIGHUP)
        assert agent.stdin is not None
        agent.stdin.write(f"{int(signal.SIGUSR1)}\n".encode())
        agent.stdin.flush()
        assert next_line(agent) == b"user\n", "SIGHUP is for the driver alone"
        assert agent.wait(30) == 8


def test_a_step_ends_as_its_command_and_takes_what_that_left_along(tmp_path: Path) -> None:
    with step(tmp_path, "cat; echo; sleep 1000 & echo $!; kill -USR2 $$") as agent:
        assert next_line(agent) == b"given\n"
        left = int(next_line(agent))
        assert agent.wait(30) == -signal.SIGUSR2
    assert not Path(f"/proc/{left}").exists()


def test_a_step_whose_driver_has_gone_is_killed(tmp_path: Path) -> None:
    with step(tmp_path, "trap '' TERM; echo $$; sleep 1000") as agent:
        command = int(next_line(agent))
        assert agent.stdin is not None
        agent.stdin.close()
        assert agent.wait(30) == 1
        assert not Path(f"/proc/{command}").exists()
        agent.stdin = None
