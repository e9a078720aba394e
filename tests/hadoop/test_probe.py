"""What is done on a cluster's hosts with plain Python."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from harness.hadoop import probe
from harness.hadoop.hdfs import PROBE


class Service(BaseHTTPRequestHandler):
    live = 0
    apps: object = None

    def do_GET(self) -> None:
        answers = {"/jmx": {"beans": [{"NumLiveDataNodes": Service.live}]}, "/apps": {"apps": Service.apps}}
        body = json.dumps(answers.get(self.path)).encode()
        self.send_response(200 if self.path in answers else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def service() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROBE, *arguments], capture_output=True, text=True, timeout=30, check=False)


def test_ports() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        done = run("ports", str(port))
        assert (json.loads(done.stdout), done.returncode) == ([port], 0)
    assert probe.taken([port]) == []


def test_waits_until_the_number_is_there(service: str) -> None:
    Service.live = 1
    url = f"{service}/jmx"
    assert "NumLiveDataNodes is 1, not yet 2" in probe.ready(url, "beans.0.NumLiveDataNodes", 2)
    assert probe.ready(url, "beans.0.NumLiveDataNodes", 1) == ""
    began = time.monotonic()

    def come() -> None:
        Service.live = 2

    threading.Timer(0.5, come).start()
    assert run("ready", "20", url, "beans.0.NumLiveDataNodes", "2").returncode == 0
    assert time.monotonic() - began < 10


def test_waits_until_nothing_is_left(service: str) -> None:
    Service.live = 1
    url = f"{service}/jmx"
    assert "NumLiveDataNodes is 1, not yet 0" in run("idle", "0.2", url, "beans.0.NumLiveDataNodes").stderr

    def go() -> None:
        Service.live = 0

    threading.Timer(0.5, go).start()
    assert run("idle", "20", url, "beans.0.NumLiveDataNodes").returncode == 0
    assert "404" in run("idle", "0.2", f"{service}/none", "a").stderr


def test_waits_until_applications_have_finished(service: str) -> None:
    Service.apps = {"app": [{"id": "application_1_0001", "state": "RUNNING"}]}
    assert "application_1_0001 is RUNNING" in run("finished", "0.2", f"{service}/apps").stderr

    def finish() -> None:
        Service.apps = {}  # as Hadoop 3 says it; Hadoop 2 says null

    threading.Timer(0.5, finish).start()
    assert run("finished", "20", f"{service}/apps").returncode == 0
    Service.apps = None
    assert run("finished", "0.2", f"{service}/apps").returncode == 0
    assert "404" in run("finished", "0.2", f"{service}/none").stderr
    assert "KeyError" in run("finished", "0.2", f"{service}/jmx").stderr


def test_terminates_what_has_all_words_only() -> None:
    one, other = (
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "master", folder])
        for folder in ("/scratch/one 4711", "/scratch/other 4711")
    )
    shell = subprocess.Popen(["sh", "-c", "sleep 60; : master '/scratch/one 4711'"])
    try:
        assert run("terminate", "master", "/scratch/one 4711").returncode == 0
        assert one.wait(30) == -signal.SIGTERM
        assert (other.poll(), shell.poll()) == (None, None)
    finally:
        for process in (one, other, shell):
            process.kill()
            process.wait()


def test_says_what_is_amiss(service: str) -> None:
    done = run("ready", "0.2", f"{service}/none", "a", "1")
    assert done.returncode == 1
    assert "404" in done.stderr
    assert "404" in run("get", f"{service}/none").stderr
    assert "refused" in run("get", "http://127.0.0.1:9/x").stderr


@pytest.mark.parametrize("path", ["beans.1.x", "beans.0.other", "beans.x", "beans"])
def test_wrong_paths_are_no_numbers(service: str, path: str) -> None:
    assert probe.ready(f"{service}/jmx", path, 0) != ""


def test_waits_until_somebody_listens(service: str) -> None:
    host, port = service.removeprefix("http://").split(":")
    assert run("listening", "5", host, port).returncode == 0
    assert "refused" in run("listening", "0.1", host, "9").stderr


def test_space(tmp_path: Path) -> None:
    assert int(run("space", str(tmp_path)).stdout) > 1000
    assert run("space", str(tmp_path / "none")).returncode == 1


def test_what_a_process_and_its_ended_children_have_written_counts(tmp_path: Path) -> None:
    """The child's bytes are the parent's once it has waited for it; those of others are not counted."""
    code = "import os, subprocess, sys\n"
    code += "def write(name):\n with open(name, 'wb') as file: file.write(bytes(1 << 20)); os.fsync(file.fileno())\n"
    code += "write(sys.argv[1])\nif sys.argv[3] == 'a.Parent':\n"
    code += " subprocess.run([sys.executable, '-c', sys.argv[4], sys.argv[1] + '-child', '-', 'child', ''])\n"
    code += " print('done', flush=True); sys.stdin.read()\n"
    words = [sys.executable, "-c", code, str(tmp_path / "data"), "-", "a.Parent", code]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == b"done\n"
        found = json.loads(run("moved", str(tmp_path), "a.Parent", "b.Other").stdout)
        assert found.keys() == {"a.Parent"}
        assert found["a.Parent"][1] >= (0 if is_memory(tmp_path) else 2 << 20)
        assert json.loads(run("moved", "/elsewhere", "a.Parent").stdout) == {}
        parent.communicate()


def is_memory(folder: Path) -> bool:
    """A tmpfs writes to no storage."""
    return (
        subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout == "tmpfs\n"
    )
