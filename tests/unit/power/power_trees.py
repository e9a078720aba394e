"""Test doubles shared by the power tests: trees of plain files, unprivileged children, patience."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RANGE = 262_143_328_850
# Uses a given CPU time and not a given wall time, so that it does the same on a busy machine.
BURN = "import time\nwhile time.process_time() < {cpu_s}: sum(range(1000))\n"


class FileTree:
    """A powercap tree of plain files. Counters are rewritten in place: readers keep descriptors."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def zone(
        self, folder: str, name: str, energy: int = 1_000_000, range_uj: int = RANGE, limits: bool = False
    ) -> Path:
        path = self.root / folder
        path.mkdir(parents=True)
        (path / "name").write_text(name + "\n")
        (path / "max_energy_range_uj").write_text(f"{range_uj}\n")
        (path / "energy_uj").write_text(f"{energy:<20}\n")
        if limits:
            (path / "enabled").write_text("1\n")
            for index, (term, uw) in enumerate((("long_term", 215_000_000), ("short_term", 258_000_000))):
                (path / f"constraint_{index}_name").write_text(term + "\n")
                (path / f"constraint_{index}_power_limit_uw").write_text(f"{uw}\n")
        return path

    def set(self, folder: str, energy: int) -> None:
        fd = os.open(self.root / folder / "energy_uj", os.O_WRONLY)
        os.pwrite(fd, f"{energy:<20}\n".encode(), 0)
        os.close(fd)

    def limits(self, folder: str = "intel-rapl:0") -> list[int]:
        return [
            int((self.root / folder / f"constraint_{index}_power_limit_uw").read_text().split()[0])
            for index in (0, 1)
        ]


def knm_tree(root: Path) -> FileTree:
    """One package with dram and limits."""
    tree = FileTree(root)
    tree.zone("intel-rapl:0", "package-0", limits=True)
    tree.zone("intel-rapl:0:0", "dram")
    return tree


def as_nobody(function: Callable[[], Any]) -> Any:
    """Result (JSON-able) of `function`, called in a child without rights; in this process if it has none."""
    if os.geteuid() != 0:
        return function()
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(write_end, json.dumps(function()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        text = answer.read()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return json.loads(text)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that another process does; generous, since a loaded machine is slow."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.01)


def gone(pid: int) -> bool:
    """True when a process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except OSError:
        return True
