"""Describes machine and software of a run, for its record."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import psutil

EMULATED_CLUSTER = "kvasir_emulated"
"""Name of the SLURM clusters that we emulate: their nodes share one machine, and their joules are synthetic."""


def first_line(*command: str) -> str:
    """Return the first line that a program prints, or '' when it is missing or fails."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def cpu_model() -> str:
    """Return the processor's model name."""
    for line in _text("/proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model"):
            return value.strip()
    return platform.processor() or "unknown"


@cache
def git_state() -> dict[str, Any]:
    """Return the project's commit and whether tracked files differ from it; empty outside a git checkout."""
    git = ("git", "-C", str(Path(__file__).parent))
    commit = first_line(*git, "rev-parse", "HEAD")
    return (
        {"commit": commit, "dirty": bool(first_line(*git, "status", "--porcelain", "-uno"))} if commit else {}
    )


@cache
def _machine() -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": platform.release(),
        "os": platform.freedesktop_os_release().get("PRETTY_NAME", "")
        if Path("/etc/os-release").exists()
        else "",
        "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1,
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not exposed",
        "turbo_off": _text("/sys/devices/system/cpu/intel_pstate/no_turbo") or "not exposed",
        "mpi": first_line("mpirun", "--version"),
        "python": platform.python_version(),
    }


def machine() -> dict[str, Any]:
    """Return facts that do not change while the machine is up; of a node of an emulated cluster, that it is one."""
    emulated = os.environ.get("SLURM_CLUSTER_NAME") == EMULATED_CLUSTER
    return {**_machine(), **({"nodes": "emulated: they share one machine"} if emulated else {})}


def moment() -> dict[str, Any]:
    """Return facts that may differ between runs: host, and its load before the run."""
    return {
        "host": socket.gethostname(),
        "load_before": os.getloadavg()[0],
        "user_is_root": os.geteuid() == 0,
    }
