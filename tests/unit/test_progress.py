"""The progress line: how much is done, how long the rest takes, what is running."""

import time
from pathlib import Path

import pytest

from snakemake_logger_plugin_kvasir import progress as module
from snakemake_logger_plugin_kvasir.progress import Progress, clock


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00:00"), (59.6, "0:01:00"), (3725, "1:02:05")])
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_line_and_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(began=100.0)
    progress.plan({"run_point": 4, "draw_figure": 1, "total": 5})
    for job in range(4):
        progress.know(job, "run_point", {"study": "s", "experiment": "e", "point": "p", "rep": str(job + 1)})
    progress.start(0)
    assert progress.line() == "[0/5   0 %, 0:00:00] run_point s e p, repetition 1"
    now[0] += 10
    progress.finish(0)
    progress.start(1)
    # Three more runs of 10 s, and a figure of which nothing is known yet.
    assert progress.left_s() == 31
    assert progress.line() == "[1/5  20 %, 0:00:10, about 0:00:31 left] run_point s e p, repetition 2"


def test_a_cell_says_how_far_it_is(tmp_path: Path) -> None:
    log = tmp_path / "3n_ssd_ib.log"
    progress = Progress()
    progress.plan({"run_cell": 1})
    progress.know(7, "run_cell", {"scale": "laptop", "cell": "3n_ssd_ib"})
    progress.follow(7, log)
    progress.start(7)
    assert progress.line().endswith("run_cell 3n_ssd_ib") and progress.steps() == "", "no log yet"
    log.write_text(
        "2026-11-21T18:05:52Z 36.7 s  cluster is up\n2026 90 s  [1/8] hadoop-ipoib sort 1: ok after 49.6 s\n"
    )
    assert progress.line().endswith("run_cell 3n_ssd_ib [1/8] hadoop-ipoib sort 1: ok after 49.6 s")
    progress.finish(7)
    assert progress.steps() == ""


def test_the_steps_of_a_cell_tell_the_time_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(began=100.0)
    progress.plan({"run_cell": 2})
    progress.know(1, "run_cell", {"cell": "c"})
    (tmp_path / "log").write_text("[8/8] of an earlier time\n")
    progress.follow(1, tmp_path / "log")
    progress.start(1)
    assert progress.steps() == ""
    time.sleep(0.01)
    (tmp_path / "log").write_text("[2/8] something\n")
    now[0] += 20
    assert progress.left_s() == 60 + 80, "six steps of ten seconds, and the other cell"
