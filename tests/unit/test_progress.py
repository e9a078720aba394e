"""The progress line: how much is done, how long the rest takes, what is running."""

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
