"""The progress line: how much is done, how long the rest takes, what is running."""

import logging
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from harness.plan.durations import expected
from harness.plan.planner import Planner
from snakemake_logger_plugin_kvasir import LogHandler
from snakemake_logger_plugin_kvasir import failures as module_failures
from snakemake_logger_plugin_kvasir import progress as module
from snakemake_logger_plugin_kvasir.dry_run import DryRun
from snakemake_logger_plugin_kvasir.failures import MOST, Failures
from snakemake_logger_plugin_kvasir.progress import Expected, Progress, clock

PROJECT = Path(__file__).parents[2]


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
    assert progress.line() == "[0/5   0 %, 0:00:00] run s e p, repetition 1"
    now[0] += 10
    progress.finish(0)
    progress.start(1)
    # Three more runs of 10 s, and a figure, of which none has been drawn yet.
    assert progress.left_s() == 30 + module.TYPICAL_S["draw_figure"]
    assert progress.line() == ("[1/5  22 %, 0:00:10, about 0:00:28 to 0:00:45 left] run s e p, repetition 2")
    now[0] += 10
    progress.finish(1)
    assert progress.line() == "[2/5  44 %, 0:00:20, about 0:00:24 left]", (
        "one number after a third of the time"
    )


def test_a_cell_says_how_far_it_is(tmp_path: Path) -> None:
    log = tmp_path / "3n_ssd_ib.log"
    progress = Progress()
    progress.plan({"run_cell": 1})
    progress.know(7, "run_cell", {"scale": "laptop", "cell": "3n_ssd_ib"})
    progress.follow(7, log)
    progress.start(7)
    assert progress.line().endswith("cluster 3n_ssd_ib") and progress.steps() == "", "no log yet"
    log.write_text(
        "2026-11-21T18:05:52Z 36.7 s  cluster is up\n2026 90 s  [1/8] hadoop-ipoib sort 1: ok after 49.6 s\n"
    )
    assert progress.line().endswith("cluster 3n_ssd_ib [1/8] hadoop-ipoib sort 1: ok after 49.6 s")
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


def test_cells_that_have_not_begun_count_with_what_the_plan_says(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(began=100.0)
    runs = {f"s e p {rep}": Expected(2.0, there=False) for rep in range(100)}
    cells = {f"c{number}": Expected(300.0, there=False) for number in range(5)}
    progress.plan({"run_point": 100, "run_cell": 5}, {"run_point": runs, "run_cell": cells})
    for job in range(100):
        progress.know(job, "run_point", {"study": "s", "experiment": "e", "point": "p", "rep": str(job)})
        progress.start(job)
        now[0] += 2
        progress.finish(job)
    assert progress.left_s() == pytest.approx(5 * 300)
    assert progress.line().startswith("[100/105  11 %, 0:03:20, about 0:20:00 to 0:32:30 left]")


def test_a_slower_machine_takes_longer_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(began=100.0)
    runs = {f"s e p {rep}": Expected(2.0, there=False) for rep in range(10)}
    progress.plan(
        {"run_point": 10, "run_cell": 1}, {"run_point": runs, "run_cell": {"c": Expected(300.0, False)}}
    )
    for job in range(10):
        progress.know(job, "run_point", {"study": "s", "experiment": "e", "point": "p", "rep": str(job)})
        progress.start(job)
        now[0] += 4
        progress.finish(job)
    assert progress.left_s() == pytest.approx(600)


def test_what_is_over_in_an_instant_says_nothing_of_longer_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(began=100.0)
    progress.plan({"list_series": 12, "run_cell": 1}, {"run_cell": {"c": Expected(300.0, False)}})
    for job in range(12):
        progress.know(job, "list_series", {"study": "s"})
        progress.start(job)
        now[0] += 0.05
        progress.finish(job)
    assert progress.left_s() == pytest.approx(300)


def test_what_is_there_already_does_not_wait() -> None:
    progress = Progress()
    cells = {"old": Expected(300.0, there=True), "new": Expected(60.0, there=False)}
    progress.plan({"run_cell": 1}, {"run_cell": cells})
    assert progress.left_s() == 60
    progress.plan({"run_cell": 2}, {"run_cell": cells})
    assert progress.left_s() == 360, "a change makes both again"


def test_the_line_fits_the_terminal() -> None:
    progress = Progress()
    progress.plan({"run_point": 3})
    for job in (1, 2):
        progress.know(job, "run_point", {"study": "s" * 60, "rep": str(job)})
        progress.start(job)
    assert progress.line().endswith(", repetition 1, +1")
    assert len(progress.line(60)) == 60 and progress.line(60).endswith("…")


def test_the_plan_knows_runs_cells_and_what_they_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = shutil.copytree(PROJECT / "config", tmp_path / "config")
    (tmp_path / "src").symlink_to(PROJECT / "src")
    monkeypatch.chdir(tmp_path)
    values = {"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["mimir", "eee", "mrev"]}
    planner = Planner(values, config)
    plan = expected(planner, 2)
    plans = [planner.plan(study) for study in values["studies"]]
    assert len(plan["run_point"]) == sum(run.watch is not None for plan in plans for run in plan.runs)
    assert len(plan["run_batch"]) == sum(len(plan.batches) for plan in plans) > 0
    assert set(plan["run_cell"]) == set(planner.cells)
    assert all(job.seconds > 10 and not job.there for job in plan["run_cell"].values())
    name = next(iter(plan["run_point"]))
    place = name.replace(" ", "/")
    results = Path(planner.config.results)
    file = results / "benchmarks/runs" / f"{place}.tsv"
    file.parent.mkdir(parents=True)
    file.write_text("s\th:m:s\n7.0\t0:00:07\n")
    (results / "runs" / place).mkdir(parents=True)
    (results / "runs" / place / "run.json").write_text("{}")
    assert expected(planner, 2)["run_point"][name] == Expected(7.0, there=True)
    name, batch = next(
        (name, batch) for name, batch in planner.plan("eee").batches.items() if len(batch.runs) > 1
    )
    whole = plan["run_batch"][f"eee {name}"]
    who = batch.runs[0].identity
    made = results / f"runs/eee/{who.experiment}/{who.point}/{who.rep}/run.json"
    made.parent.mkdir(parents=True)
    made.write_text("{}")
    rest = expected(planner, 2)["run_batch"][f"eee {name}"]
    assert 0 < rest.seconds < whole.seconds and not rest.there, "a run of it is there"


def record(tmp_path: Path, log: str | None, number: int = 1) -> SimpleNamespace:
    path = tmp_path / "logs" / f"{number}.log"
    path.parent.mkdir(exist_ok=True)
    if log is not None:
        path.write_text(log)
    return SimpleNamespace(rule_name="run_point", log=[str(path)])


def test_the_third_run_that_fails_for_the_same_reason_is_the_last(tmp_path: Path) -> None:
    failures = Failures()
    for number in range(MOST):
        assert not failures.stop
        text = failures.take(record(tmp_path, f"error: /r/{number}/run.json: mpirunn: not found\n", number))
        assert "mpirunn" in text
    assert failures.stop.startswith("3 runs failed for the same reason, no more are started: error: ")


def test_failures_of_different_kinds_stop_nothing(tmp_path: Path) -> None:
    failures = Failures()
    for number, what in enumerate(("a crash", "a bad report", "a timeout", "no memory")):
        failures.take(record(tmp_path, f"error: {what}\n", number))
    assert not failures.stop


def test_a_full_disk_stops_everything_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = Failures()
    assert failures.take(record(tmp_path, "OSError: [Errno 28] No space left on device\n")) == ""
    assert "no space left on device: make room, then the same command goes on" in failures.stop
    assert "\n" not in failures.stop
    monkeypatch.setattr(module_failures.shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    silent = Failures()
    assert silent.take(record(tmp_path, None, 2)) == "", "the log could not even be written"
    assert silent.stop == failures.stop


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where a folder should be")
    broken = SimpleNamespace(rule_name="make_table", log=[str(tmp_path / "logs" / "t.log")])
    assert "t.log: cannot be written: " in Failures().take(broken)


def test_a_dry_run_fits_a_screen() -> None:
    dry = DryRun()
    for _ in range(700):
        dry.take("run_point", "Missing output files: results/x/run.json")
    for _ in range(6):
        dry.take("run_point", "Params have changed since last execution: ...")
    dry.take("run_cell", "Missing output files: cell.json; Input files updated by another job: h.json")
    text = dry.text({"run_cell": {"c": Expected(600.0, there=False)}})
    assert text.splitlines()[0] == "dry run: 707 jobs, about 22 min; nothing was started"
    assert "706   11.8  run_point          results are not there (700), parameters have changed (6)" in text
    assert "1   10.0  run_cell           results are not there" in text


def test_a_job_takes_its_share_of_the_cores_that_snakemake_was_given() -> None:
    handler = LogHandler.__new__(LogHandler)
    handler.dry_run, handler.progress = None, Progress(cores=8)
    for facts in ({"cores": 2}, {}):
        record = logging.makeLogRecord({"event": LogEvent.RESOURCES_INFO, **facts})
        handler.emit(record)
    assert handler.progress.cores == 2
