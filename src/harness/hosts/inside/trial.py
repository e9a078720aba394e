"""Tries each thing that emulated hosts need, within new namespaces, and prints what failed as JSON."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable

from harness.kernel import linux

_TBF = "qdisc add dev a0 root tbf rate 8mbit burst 16384 limit 300000"


def main(argv: list[str]) -> int:
    """Arguments: the programs `ip` and `tc`. Prints {step: error}."""
    ip, tc = argv
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"
    steps: dict[str, Callable[[], None]] = {
        "bridge": lambda: _call(ip, "link", "add", "br0", "type", "bridge"),
        "veth": lambda: _call(ip, "link", "add", "a0", "type", "veth", "peer", "name", "b0"),
        "tbf": lambda: _call(tc, *_TBF.split()),
        "tmpfs": lambda: linux.mount("tmpfs", folder, "tmpfs"),
        "bind": lambda: linux.mount(folder, "/tmp", flags=linux.MS_BIND),
        "nested": lambda: linux.unshare(linux.CLONE_NEWNET | linux.CLONE_NEWNS | linux.CLONE_NEWUTS),
        "proc": lambda: linux.mount("proc", "/proc", "proc"),
    }
    failed = {}
    for name, step in steps.items():
        try:
            step()
        except OSError as error:
            failed[name] = str(error)
    os.write(1, json.dumps(failed).encode())
    return 0


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(done.stderr.strip() or f"exit code {done.returncode}")
