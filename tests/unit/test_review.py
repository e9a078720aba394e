"""The steps of a reviewer by the clock: without make's own variables, without a network; a wrong name is an error."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

PROJECT = Path(__file__).parents[2]


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def alive(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_steps_are_run_and_timed_without_the_variables_of_their_make(tmp_path: Path) -> None:
    targets = "kick replay appendix paper reproduce compare"
    (tmp_path / "Makefile").write_text(
        f"{targets}:\n\t@echo '$@ [$(ARGS)]' >> steps.log\n"
        "review:\n\t@'$(PY)' '$(SCRIPT)' --setup-seconds 61.5 $(ARGS)\n",
        encoding="utf-8",
    )
    given = [f"PY={sys.executable}", f"SCRIPT={PROJECT / 'scripts/review.py'}"]
    command = ["make", "-s", "review", *given, "ARGS=--leave-out 'make reproduce'"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "steps.log").read_text().splitlines() == [
        "kick []", "replay []", "appendix []", "paper []", "compare []"
    ]  # fmt: skip
    rows = (tmp_path / "build/review.csv").read_text().splitlines()
    assert rows[0] == "step,command,seconds,machine,day,network"
    assert [row.split(",")[1] for row in rows[1:]] == [
        "make setup", "make kick", "make replay", "make appendix", "make paper", "make compare"
    ]  # fmt: skip
    assert ",61.5," in rows[1]


@pytest.fixture
def server() -> Iterator[int]:
    """A server of this machine; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_steps_after_the_set_up_reach_nothing_beyond_their_own_loopback(tmp_path: Path, server: int) -> None:
    if subprocess.run(
        ["unshare", "--net", *(["--user"] if os.geteuid() else []), "true"], check=False
    ).returncode:
        pytest.skip("this machine gives no network namespace")
    connect = f"'{sys.executable}' -c 'import socket; socket.create_connection((\"127.0.0.1\", {server}), 5)'"
    (tmp_path / "Makefile").write_text(
        f"setup:\n\t@{connect}\nkick:\n\t@! {connect} 2>error\n"
        "\t@ip -brief address show lo >lo; id -u >id\nreplay appendix paper reproduce compare:\n",
        encoding="utf-8",
    )
    review = [sys.executable, str(PROJECT / "scripts/review.py")]
    done = subprocess.run(review, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Connection refused" in (tmp_path / "error").read_text()
    assert "127.0.0.1/8" in (tmp_path / "lo").read_text()
    assert (tmp_path / "id").read_text().strip() == str(os.getuid())
    reached = [row.rpartition(",")[2] for row in (tmp_path / "build/review.csv").read_text().splitlines()]
    assert reached == ["network", "all", *["loopback"] * 6]


def test_a_review_that_was_killed_goes_on_and_adds_its_seconds(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(
        "replay appendix paper compare:\n\t@echo $@ >> steps.log\nkick:\n\t@echo $@ >> steps.log\n"
        "reproduce:\n\t@echo $@ >> steps.log; test -e killed || { touch killed; echo $$$$ >pid; exec sleep 600; }\n",
        encoding="utf-8",
    )
    review = [sys.executable, str(PROJECT / "scripts/review.py"), "--setup-seconds", "61.5"]
    with subprocess.Popen(review, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True) as first:
        unfinished = tmp_path / "build/review-unfinished.csv"
        wait_for(lambda: "make reproduce" in (unfinished.read_text() if unfinished.exists() else ""))
        first.kill()
    wait_for(lambda: not alive(int((tmp_path / "pid").read_text())))
    spent = float(unfinished.read_text().splitlines()[1].split(",")[2])
    again = subprocess.run([*review, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    steps = (tmp_path / "steps.log").read_text().split()
    assert steps == ["kick", "replay", "appendix", "paper", "reproduce", "reproduce", "compare"]
    rows = [row.split(",") for row in (tmp_path / "build/review.csv").read_text().splitlines()]
    assert [row[1] for row in rows].count("make reproduce") == 1 and len(rows) == 8
    assert next(float(row[2]) for row in rows if row[1] == "make reproduce") >= spent > 1
    assert not unfinished.exists()


def test_a_review_is_resumed_only_where_it_was_begun(tmp_path: Path) -> None:
    review = [sys.executable, str(PROJECT / "scripts/review.py"), "--resume"]
    none = subprocess.run(review, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert none.returncode == 1 and "no review was begun here" in none.stderr
    (tmp_path / "build").mkdir()
    (tmp_path / "build/review.csv").write_text(
        "step,command,seconds,machine,day,network\nset up,make setup,60.0,another one,2026-11-27,all\n"
    )
    other = subprocess.run(review, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert other.returncode == 1 and "'make setup' was timed on another one" in other.stderr


def test_a_step_that_fails_ends_it_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("kick:\n\t@false\n", encoding="utf-8")
    review = [sys.executable, str(PROJECT / "scripts/review.py"), "--setup-seconds", "1"]
    done = subprocess.run(review, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "error: make kick: exit code 2 after" in done.stderr
    wrong = subprocess.run(
        [*review, "--leave-out", "make kik"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 1 and "'make kik': no such step" in wrong.stderr
