"""Nothing a run starts outlives the run, however it ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.core.process import owner_fd, start, wait

# A program with a child and a grandchild, which writes all three process ids.
FAMILY = """
import os, subprocess, sys, time
if len(sys.argv) < 4:
    depth = int(sys.argv[2])
    with open(sys.argv[1], "a") as f: f.write(f"{os.getpid()}\\n")
    if depth: subprocess.Popen([sys.executable, __file__, sys.argv[1], str(depth - 1)])
    time.sleep(120)
"""


@pytest.fixture
def family(tmp_path: Path) -> tuple[list[str], Path]:
    script, pids = tmp_path / "family.py", tmp_path / "pids"
    script.write_text(FAMILY)
    return [sys.executable, str(script), str(pids), "2"], pids


def all_three(pids: Path) -> list[int]:
    for _ in range(600):
        if pids.exists() and len(pids.read_text().split()) == 3:
            return [int(pid) for pid in pids.read_text().split()]
        time.sleep(0.05)
    raise AssertionError("the family never came up")


def gone(pids: list[int]) -> bool:
    def alive(pid: int) -> bool:
        return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE

    for _ in range(200):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_exit_code_and_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(["bash", "-c", "echo out; echo err >&2; exit 7"], log, dict(os.environ))
    ended = wait(process, 60, None)
    assert (ended.exit_code, ended.stopped) == (7, "")
    assert sorted(log.read_text().split()) == ["err", "out"]


def test_timeout_ends_the_whole_family(tmp_path: Path, family: tuple[list[str], Path]) -> None:
    command, pids = family
    process = start(command, tmp_path / "log", dict(os.environ))
    members = all_three(pids)
    ended = wait(process, 0.2, None)
    assert "longer than 0.2 s" in ended.stopped
    assert gone(members)


def test_family_ends_when_the_owner_goes(
    tmp_path: Path, family: tuple[list[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    command, pids = family
    owner = subprocess.Popen(["sleep", "120"])
    monkeypatch.setenv("KVASIR_OWNER", str(owner.pid))
    descriptor = owner_fd()
    assert descriptor is not None
    process = start(command, tmp_path / "log", dict(os.environ))
    members = all_three(pids)
    owner.kill()
    ended = wait(process, 60, descriptor)
    owner.wait()
    assert "workflow" in ended.stopped
    assert gone(members)


SCRIPT = """
import subprocess, sys
from harness.core.cli import main
sys.argv, words = sys.argv[:1], sys.argv[1:]
def command() -> None:
    subprocess.run(words, check=False)
main(command)
"""


def test_a_script_and_all_that_it_started_end_with_the_workflow(
    tmp_path: Path, family: tuple[list[str], Path]
) -> None:
    command, pids = family
    owner = subprocess.Popen(["sleep", "120"])
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "KVASIR_OWNER": str(owner.pid)}
    script = subprocess.Popen([sys.executable, str(tmp_path / "script.py"), *command], env=environment)
    members = all_three(pids)
    owner.kill()
    owner.wait()
    assert script.wait(30) == 1
    assert gone(members)


def test_program_dies_when_its_starter_is_killed(tmp_path: Path) -> None:
    starter = (
        "import os, sys, time; from pathlib import Path; from harness.core.process import start\n"
        "p = start(['sleep', '120'], Path(sys.argv[1]), dict(os.environ)); print(p.pid, flush=True); time.sleep(120)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", starter, str(tmp_path / "log")], stdout=subprocess.PIPE)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.kill()
    process.communicate()
    assert gone([child])


def test_no_owner_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KVASIR_OWNER", raising=False)
    assert owner_fd() is None
