"""Runs SLURM client commands."""

from __future__ import annotations

import subprocess


def ask(*command: str, timeout_s: float = 60) -> tuple[bool, str]:
    """Runs a client command; returns True with its output if it exits with 0, else False with its message."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = done.stdout if done.returncode == 0 else done.stderr or done.stdout
    return done.returncode == 0, said.strip()
