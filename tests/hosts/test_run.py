"""Commands on hosts: how they are started, how they end, and what is said when they cannot."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from harness.hosts import HostError, Hosts, HostsSettings, hosts
from tests.hosts.conftest import settings_of, ways


@pytest.fixture(params=[*ways(), "local", "slurm"])
def any_two(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hosts]:
    """Two hosts of every kind."""
    with hosts(settings_of(request.param, tmp_path, monkeypatch), 2) as started:
        yield started


@pytest.fixture(params=[*ways(), "local"])
def two(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """Two hosts of the kinds that count what the hosts' own processes use."""
    with hosts(settings_of(request.param, tmp_path, monkeypatch), 2) as started:
        yield started


def test_output_code_and_environment(any_two: Hosts) -> None:
    done = any_two[1].run(
        ["sh", "-c", 'cat; echo "$WORD" >&2; exit 3'], env={"WORD": "æ"}, stdin=b"in", check=False
    )
    assert (done.code, done.stdout, done.stderr, done.host) == (3, "in", "æ\n", "n1")


def test_failure_names_host_command_and_last_words(any_two: Hosts) -> None:
    with pytest.raises(HostError, match=r"host n1: sh -c 'echo bad >&2; exit 4' failed with code 4:\nbad"):
        any_two[1].run(["sh", "-c", "echo bad >&2; exit 4"])


def test_what_cannot_be_started(any_two: Hosts) -> None:
    with pytest.raises(HostError, match=r"(?s)host n0: no-such-program.*cannot be started: No such file"):
        any_two[0].run(["no-such-program"])
    with pytest.raises(HostError, match=r"folder /no/folder: No such file"):
        any_two[0].run(["true"], cwd="/no/folder")
    with pytest.raises(HostError, match=r"log /no/log: No such file"):
        any_two[0].start(["true"], log="/no/log")


@pytest.mark.parametrize("kind", [*ways(), "local", "slurm"])
def test_memory_of_a_host_goes_with_it(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hosts(settings_of(kind, tmp_path, monkeypatch), 2) as h:
        folders = [host.memory for host in h]
        for host, folder in zip(h, folders, strict=True):
            host.run(["mkdir", "-p", f"{folder}/mine"])
            assert host.run(["stat", "-f", "-c", "%T", str(folder)]).stdout == "tmpfs\n"
        seen = h[0].run(["test", "-e", str(folders[1])], check=False).code == 0
        assert seen == (kind in ("local", "slurm")), "emulated hosts see their own only"
    assert folders[0] != folders[1]
    assert [folder for folder in folders if folder.parent.exists()] == []


def test_timeout_kills_all_of_the_command(two: Hosts) -> None:
    began = time.monotonic()
    with pytest.raises(HostError, match=r"took longer than 0\.5 s"):
        two[0].run(["sh", "-c", "trap '' TERM; sleep 4711 & sleep 4711"], timeout_s=0.5)
    assert time.monotonic() - began < 10
    _wait_for(lambda: two[0].counters().processes == 0)


def test_large_output_and_many_arguments(any_two: Hosts) -> None:
    words = ["x" * 1000] * 1000
    assert len(any_two[0].run(["printf", "%s", *words]).stdout) == 1_000_000


def test_daemon(two: Hosts, tmp_path: Path) -> None:
    daemon = two[0].start(["sh", "-c", "echo up; sleep 4711"], log=tmp_path / "log")
    assert daemon.poll() is None
    assert psutil.Process(daemon.pid).name() == "sh"
    _wait_for(lambda: (tmp_path / "log").read_text() == "up\n")
    assert daemon.stop() == -signal.SIGTERM
    assert daemon.stop() == -signal.SIGTERM
    assert two[0].run(["true"]).code == 0
    _wait_for(lambda: two[0].counters().processes == 0)


def test_stop_kills_what_does_not_listen(any_two: Hosts, tmp_path: Path) -> None:
    daemon = any_two[0].start(
        ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"], log=tmp_path / "log"
    )
    _wait_for(lambda: "up" in (tmp_path / "log").read_text())
    assert daemon.stop(grace_s=0.3) == -signal.SIGKILL


def test_stop_while_another_thread_waits(any_two: Hosts) -> None:
    daemon = any_two[0].start(["sleep", "4711"], log=os.devnull)
    codes: list[int | None] = []
    waiting = threading.Thread(target=lambda: codes.append(daemon.wait(60)))
    waiting.start()
    time.sleep(0.5)
    assert daemon.stop() == -signal.SIGTERM
    waiting.join(10)
    assert codes == [-signal.SIGTERM]


def test_scratch_is_own_and_goes(any_two: Hosts) -> None:
    folders = [host.scratch("ssd") for host in any_two]
    assert folders[0] != folders[1]
    for host, folder in zip(any_two, folders, strict=True):
        host.run(["sh", "-c", 'echo "$0" > file', host.name], cwd=folder)
        assert (folder / "file").read_text() == f"{host.name}\n"
    with pytest.raises(HostError, match="no disk 'hdd', only ssd"):
        any_two[0].scratch("hdd")


def test_cpu_time_is_counted_after_the_end(two: Hosts) -> None:
    before = two[0].counters().cpu_s
    spin = "import time\nwhile time.process_time() < 0.5: pass"
    two[0].run(["sh", "-c", '"$0" -c "$1" & wait', sys.executable, spin])
    assert 0.45 <= two[0].counters().cpu_s - before <= 1.5
    assert two[1].counters().cpu_s < 0.2


def test_memory_and_processes(two: Hosts, tmp_path: Path) -> None:
    hold = "x = bytearray(100_000_000); print('up', flush=True); import time; time.sleep(4711)"
    daemon = two[1].start([sys.executable, "-c", hold], log=tmp_path / "log")
    _wait_for(lambda: "up" in (tmp_path / "log").read_text())
    found = two[1].counters()
    assert found.processes == 1
    assert 100e6 < found.private_bytes <= found.rss_bytes < 200e6
    daemon.stop()


def test_number_of_hosts(local: HostsSettings) -> None:
    with pytest.raises(HostError, match="0 were asked for"), hosts(local, 0):
        pass


def _wait_for(condition: Callable[[], bool], timeout_s: float = 10) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)
