"""A checkout of the working tree in a folder with an awkward name, and Snakemake in it as a user would call it."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).parents[2]
OF_MAKE = {
    "MAKEFLAGS",
    "MFLAGS",
    "MAKEOVERRIDES",
    "ARGS",
    "CORES",
    "SCALE",
    "SITE",
    "STUDIES",
    "FORCE",
    "REPLAY",
}


@dataclass
class Checkout:
    """A copy of the project's files and ways to run things in it."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        path = f"{PROJECT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"
        # Its own sources, not those of the checkout that the environment was made in; its own home and cache.
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        # Without what a `make test ARGS=...` around us hands on to every make below it.
        ours = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
        return {**ours, "PATH": path, "PYTHONPATH": str(self.folder / "src"), "HOME": str(home)}

    def start(self, *command: str, output: IO[str] | int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start a command; what it prints goes into a file or nowhere, never into a pipe that nobody empties."""
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str, timeout: float = 3000) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = self.start(*command, output=output)
            try:
                process.wait(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            output.seek(0)
            return subprocess.CompletedProcess(command, process.returncode, output.read(), "")

    def snakemake(self, *arguments: str, ok: bool = True) -> str:
        done = self.run("snakemake", "--cores", "2", *arguments)
        if ok:
            assert done.returncode == 0, done.stdout[-6000:]
        else:
            assert done.returncode != 0, done.stdout[-6000:]
        return done.stdout

    def planned(self, *arguments: str) -> dict[str, int]:
        """Jobs that a dry run would start, by rule."""
        text = self.snakemake("-n", "--quiet=rules", *arguments)
        counts: dict[str, int] = {}
        lines = iter(text.splitlines())
        for line in lines:
            if line.startswith("job ") and "count" in line:
                next(lines)
                for row in lines:
                    if not row.strip():
                        break
                    rule, count = row.split()
                    counts[rule] = int(count)
                break
        return counts

    def results(self) -> Path:
        return self.folder / "results" / "smoke"

    def edit(self, file: str, old: str, new: str) -> Callable[[], None]:
        """Replace text in a file; returns what puts it back."""
        path = self.folder / file
        before = path.read_text()
        assert old in before, f"{file} has changed: the test no longer edits anything"
        path.write_text(before.replace(old, new, 1))
        return lambda: path.write_text(before) and None


def copy_project(folder: Path) -> Checkout:
    """Copy the project's files, as git knows them, to `folder`; scale smoke by default."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name)
    # What `make setup` would make there: the programs of make and of scripts/reproduce.sh are called in it.
    (folder / ".venv").symlink_to(PROJECT / ".venv")
    made = Checkout(folder)
    made.edit("config/config.yaml", "scale: laptop", "scale: smoke")
    return made
