"""Questions to SLURM's own programs."""

from __future__ import annotations

import subprocess


def ask(*command: str, timeout_s: float = 60) -> tuple[bool, str]:
    """Whether a command ended well, and what it said."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = done.stdout if done.returncode == 0 else done.stderr or done.stdout
    return done.returncode == 0, said.strip()
