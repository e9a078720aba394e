"""Nothing outlives hosts: not after their end, not after kill -9 at any moment, not beside others."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.hosts import HostError, HostsSettings, disk_refusal, hosts
from tests.hosts import remains

ROOT = Path(__file__).resolve().parents[2]


def full(settings: HostsSettings, way: str) -> HostsSettings:
    """All that this machine can do: as root also a disk with rates and a quota."""
    disks: dict[str, Any] = {"ssd": {}, "ram": {"medium": "memory", "size_mb": 16}}
    extra: dict[str, Any] = {"disks": disks}
    if way == "root":
        disks["hdd"] = {"medium": "device", "size_mb": 32, "read_mb_s": 20, "write_mb_s": 20}
        extra["cpu_cores"] = 1.5
    rich = HostsSettings.parse({**settings.model_dump(), **extra})
    return settings if any(disk_refusal(rich, disk) for disk in rich.disks) else rich


def drive(
    settings: HostsSettings, way: str, mark: str, module: str = "tests.hosts.driver"
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", module, settings.model_dump_json(), way]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, remains.MARK: mark, "PYTHONPATH": path}
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, cwd=ROOT)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "begin\n"
    return driver


@pytest.mark.parametrize(
    "moment", [*range(5), *(pytest.param(moment, marks=pytest.mark.slow) for moment in range(5, 20))]
)
def test_kill_at_a_random_moment_leaves_nothing(
    emulated: HostsSettings, way: str, moment: int, tmp_path: Path
) -> None:
    settings = full(emulated, way)
    links, loops = remains.links(), remains.loops()
    mark = f"kill-{os.getpid()}-{way}-{moment}"
    driver = drive(settings, way, mark)
    delay = random.Random(moment).uniform(0, 1.2)
    time.sleep(delay)
    driver.kill()
    driver.wait()
    rest = driver.stdout.read() if driver.stdout else ""
    if driver.stdout:
        driver.stdout.close()
    seconds, found = remains.gone_after(
        lambda: remains.left(mark, tmp_path / "scratch", links, loops) + remains.groups(driver.pid), 5
    )
    print(
        f"killed after {delay:.2f} s ({'up' if 'up' in rest else 'starting'}): all gone {seconds:.2f} s later"
    )
    assert not found
    assert remains.gone_after(lambda: sorted(remains.idle_loops(loops)), 5)[1] == []


def test_kill_of_local_hosts_leaves_nothing(local: HostsSettings, tmp_path: Path) -> None:
    mark = f"kill-local-{os.getpid()}"
    driver = drive(local, "local", mark)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "up\n"
    assert len(remains.processes(mark)) > 6
    driver.kill()
    driver.wait()
    driver.stdout.close()
    assert (
        remains.gone_after(
            lambda: remains.left(mark, tmp_path / "scratch", remains.links(), remains.loops()), 5
        )[1]
        == []
    )


def test_ten_in_a_row_leave_nothing(
    emulated: HostsSettings, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"ten-{os.getpid()}"
    monkeypatch.setenv(remains.MARK, mark)
    settings = full(emulated, way)
    before = remains.links(), remains.loops(), len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        with hosts(settings, 2) as h:
            h[1].start(["sleep", "4711"], log=os.devnull)
            assert h[0].run(["hostname"]).stdout == "n0\n"
        assert remains.left(mark, tmp_path / "scratch", *before[:2]) + remains.groups(os.getpid()) == []
    assert len(os.listdir("/proc/self/fd")) == before[2]


def test_an_exception_ends_hosts_too(emulated: HostsSettings, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="mine"), hosts(emulated, 1) as h:
        process = h[0].start(["sleep", "4711"], log=os.devnull)
        raise RuntimeError("mine")
    assert not psutil.pid_exists(process.pid)
    assert list((tmp_path / "scratch").iterdir()) == []
    with pytest.raises(HostError, match="host n0 has gone"):
        h[0].run(["true"])


def test_two_at_once_do_not_see_each_other(emulated: HostsSettings, tmp_path: Path) -> None:
    with hosts(emulated, 2) as one, hosts(emulated, 2) as other:
        for h, word in ((one, "one"), (other, "other")):
            h[0].start(["sleep", "4711"], log=os.devnull)
            h[0].run(["sh", "-c", "echo $0 > /tmp/word; echo $0 > /dev/shm/word; hostname", word])
            serve = "import http.server as s; s.test(s.SimpleHTTPRequestHandler, port=8000)"
            h[1].start([sys.executable, "-u", "-c", serve], log=tmp_path / word, cwd="/tmp")
        for h, word in ((one, "one"), (other, "other")):
            assert h[0].run(["cat", "/tmp/word", "/dev/shm/word"]).stdout == f"{word}\n{word}\n"
            assert h[0].run(["pgrep", "-c", "sleep"]).stdout == "1\n"
            assert "word" not in h[1].run(["ls", "/tmp"]).stdout.split()
        for word in ("one", "other"):
            remains.gone_after(
                lambda word=word: [] if "Serving" in (tmp_path / word).read_text() else ["silent"], 10
            )
            assert "Serving" in (tmp_path / word).read_text()  # the same port, twice
        one[0].run(["sh", "-c", "kill -9 -1"], check=False)
        assert other[0].run(["pgrep", "-c", "sleep"]).stdout == "1\n"
    assert list((tmp_path / "scratch").iterdir()) == []


def test_hosts_die_with_their_guardian_and_the_next_ones_clean_up(
    emulated: HostsSettings, tmp_path: Path
) -> None:
    with hosts(emulated, 1) as h:
        daemon = h[0].start(["sleep", "4711"], log=os.devnull)
        guardian = next(one for one in psutil.Process(daemon.pid).parents() if one.ppid() == os.getpid())
        guardian.send_signal(signal.SIGKILL)
        assert remains.gone_after(lambda: [daemon.pid] if psutil.pid_exists(daemon.pid) else [], 5)[1] == []
        with pytest.raises(HostError, match="has gone"):
            h[0].run(["true"])
    assert len(list((tmp_path / "scratch").iterdir())) == 1
    with hosts(emulated, 1) as h:
        assert len(list((tmp_path / "scratch").iterdir())) == 1
    assert list((tmp_path / "scratch").iterdir()) == []


def test_start_of_five_hosts(emulated: HostsSettings) -> None:
    times = []
    for _ in range(3):
        began = time.monotonic()
        with hosts(emulated, 5) as h:
            assert len(h) == 5
            up = time.monotonic()
        times.append((up - began, time.monotonic() - up))
    print("5 hosts up / down, s:", ", ".join(f"{up:.2f} / {down:.2f}" for up, down in times))
