"""A job of three ranks, one of which is killed at a random moment: it ends, and leaves nothing but whole parts."""

import os
import random
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.compiled import ROOT_MAY, build

RANKS = 3
PARTS = [f"part-{rank:05}" for rank in range(RANKS)]
WORDS = 3_000_000
END = 60
"""Seconds that the job may take to end, on a slow and busy machine."""
MARK = "KVASIR_TEST_JOB"
SETTINGS = [
    ["--strategy", "partition-full"],
    ["--strategy", "by-fill"],
    ["--strategy", "adaptive"],
    ["--strategy", "partition-full", "--input", "dynamic", "--chunk", "1MB"],
]


@dataclass(frozen=True, kw_only=True)
class Running:
    """A job: its mpirun, what marks its processes, and a folder that holds its text, output and temporary files."""

    mpirun: subprocess.Popen[str]
    mark: str
    folder: Path

    def processes(self) -> list[int]:
        """Return the ids of the job's processes but mpirun that have not ended."""
        return [pid for pid in process_ids() if pid != self.mpirun.pid and has_mark(pid, self.mark)]

    def ranks(self) -> list[int]:
        """Return the ids of the processes that are ranks."""
        return [pid for pid in self.processes() if link(Path(f"/proc/{pid}/exe")).endswith("/group-by-key")]


def process_ids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def content(path: Path) -> bytes:
    """Return the content of a file in /proc; nothing where the process is gone or another user's."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def has_mark(pid: int, mark: str) -> bool:
    return f"{MARK}={mark}".encode() in content(Path(f"/proc/{pid}/environ")).split(b"\0")


def shared_files(pids: list[int]) -> set[Path]:
    """Return the files in /dev/shm that these processes have in their memory."""
    lines = [line for pid in pids for line in content(Path(f"/proc/{pid}/maps")).decode().splitlines()]
    return {Path("/dev/shm" + line.partition("/dev/shm")[2]) for line in lines if " /dev/shm/" in line}


def wait_for(what: str, seconds: float, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.005)


@contextmanager
def job(program: Path, text: Path, folder: Path, options: list[str]) -> Iterator[Running]:
    """Start a job, whose parts go to the folder `parts` in `folder`; end it with the test."""
    (folder / "tmp").mkdir(parents=True)
    mark = uuid.uuid4().hex
    environment = {
        **os.environ,
        **ROOT_MAY,
        "TMPDIR": str(folder / "tmp"),
        MARK: mark,
    }
    command = ["mpirun", "--oversubscribe", "-n", str(RANKS), str(program), *options]
    with (folder / "said").open("w") as said:
        mpirun = subprocess.Popen(
            [*command, "--send-buffer", "64kB", "--output", str(folder / "parts"), str(text)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            text=True,
        )
    running = Running(mpirun=mpirun, mark=mark, folder=folder)
    try:
        yield running
    finally:
        for pid in [*running.processes(), *([mpirun.pid] if mpirun.poll() is None else [])]:
            os.kill(pid, signal.SIGKILL)
        mpirun.wait()


@pytest.fixture(scope="module")
def program() -> Path:
    return build("engine", "group-by-key") / "bin/group-by-key"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of a few MB, a third of whose words are distinct."""
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_text("\n".join(f"w{number % (WORDS // 3)}" for number in range(WORDS)), encoding="utf-8")
    return path


@dataclass(frozen=True, kw_only=True)
class Undisturbed:
    """A job that nobody kills: how long its ranks live, s, and the lines of its parts."""

    seconds: float
    lines: dict[str, list[str]]


def lines_of(part: Path) -> list[str]:
    content = part.read_text(encoding="utf-8")
    assert content.endswith("\n"), part
    return sorted(content.splitlines())


@pytest.fixture(scope="module")
def undisturbed(program: Path, text: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    with job(program, text, folder, SETTINGS[0]) as running:
        wait_for("ranks", END, lambda: len(running.ranks()) == RANKS or running.mpirun.poll() is not None)
        begin = time.monotonic()
        assert running.mpirun.wait(5 * END) == 0, (folder / "said").read_text()
        seconds = time.monotonic() - begin
    assert sorted(path.name for path in (folder / "parts").iterdir()) == PARTS
    lines = {name: lines_of(folder / "parts" / name) for name in PARTS}
    assert sum(map(len, lines.values())) == WORDS // 3
    return Undisturbed(seconds=seconds, lines=lines)


@dataclass(frozen=True, kw_only=True)
class Killed:
    """What became of a job: seconds until its end, and files in /dev/shm that it had when a rank was killed."""

    seconds: float
    shared: int


def kill_one(running: Running, undisturbed: Undisturbed, chance: random.Random) -> Killed | None:
    """Kill a rank at some moment, and check what is left; returns nothing where the job had ended before."""
    wait_for("ranks", END, lambda: len(running.ranks()) == RANKS or running.mpirun.poll() is not None)
    moment = chance.uniform(0, undisturbed.seconds)
    time.sleep(moment)
    ranks = running.ranks()
    if not ranks:
        return None
    shared = shared_files(ranks)
    try:
        os.kill(chance.choice(ranks), signal.SIGKILL)
    except ProcessLookupError:
        return None
    begin = time.monotonic()
    code = running.mpirun.wait(END)
    seconds = time.monotonic() - begin
    said = (running.folder / "said").read_text()
    wait_for(f"end of all processes, after {moment:.3f} s", END, lambda: not running.processes())
    left = sorted(str(path) for path in shared if path.exists())
    assert not left, f"left in /dev/shm, killed after {moment:.3f} s: {left}"
    parts = running.folder / "parts"
    for part in parts.glob("part-*"):
        assert lines_of(part) == undisturbed.lines[part.name], f"{part.name}, killed after {moment:.3f} s"
    if code == 0:  # the rank had ended when the signal came
        assert "signal 9" not in said and sorted(path.name for path in parts.iterdir()) == PARTS
        return None
    return Killed(seconds=seconds, shared=len(shared))


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_job_ends_when_a_rank_is_killed(
    kills: int, program: Path, text: Path, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}; undisturbed {undisturbed.seconds:.2f} s")
    chance = random.Random(seed)
    killed: list[Killed] = []
    for turn in range(4 * kills):
        with job(program, text, tmp_path / str(turn), SETTINGS[turn % len(SETTINGS)]) as running:
            one = kill_one(running, undisturbed, chance)
        shutil.rmtree(tmp_path / str(turn))
        if one is not None:
            killed.append(one)
            if len(killed) == kills:
                break
    assert len(killed) == kills, "most jobs ended before they were killed"
    assert any(one.shared for one in killed), "no job had files in /dev/shm: their end was not tested"
    seconds = [one.seconds for one in killed]
    print(
        f"ended after {min(seconds):.2f} to {max(seconds):.2f} s; {killed[0].shared} files in /dev/shm each"
    )
