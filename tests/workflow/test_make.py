"""What make does and refuses before anything runs: each target is tried."""

import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from .checkout import PROJECT, Checkout, copy_project

TARGETS = sorted(set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout of its own, with the project's Python environment, so that `make -o .installed` finds one."""
    return copy_project(tmp_path_factory.mktemp("make") / "kvasir copy")


def make(place: Checkout, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make without its set-up."""
    return place.run("make", "-o", ".installed", *arguments, timeout=300)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_planned(place: Checkout, target: str) -> None:
    done = place.run("make", "-n", target)
    assert done.returncode == 0 and done.stdout.strip(), done.stdout


def test_help_lists_every_target_in_one_line(place: Checkout) -> None:
    lines = make(place, "help").stdout.splitlines()
    assert sorted(line.split()[1] for line in lines if line.startswith("make ")) == TARGETS
    assert max(map(len, lines)) <= 120
    assert any("CORES=N (default: all)" in line for line in lines), "the variables are not cut off"
    assert make(place).stdout.splitlines() == lines, "help is what make alone does"


@pytest.mark.parametrize("cores", ["0", "-1", "abc", "1.5", "00"])
def test_cores_are_checked_before_anything_starts(place: Checkout, cores: str) -> None:
    done = place.run("make", "-o", ".installed", "reproduce", f"CORES={cores}", timeout=60)
    assert done.returncode != 0
    assert f"error: CORES={cores}: expected a whole number, 1 or more" in done.stdout


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        (
            "SCALE=papper",
            "error: SCALE=papper: allowed: kick, laptop, night, paper, smoke; did you mean 'paper'?",
        ),
        ("SITE=moon", "error: SITE=moon: allowed: emulated-power, emulated-slurm, local"),
        (
            "SITE=slurm",
            "error: SITE=slurm, but there is no config/sites/slurm.yaml: copy config/sites/slurm.ex",
        ),
        ("STUDIES=mimri", "error: STUDIES=mimri: allowed: eee, hpc, mimir, mrev, nvm; did you mean 'mimir'?"),
        ("STUDIES=mimir+eee", "error: STUDIES=mimir+eee: separate the names of studies by commas"),
        (
            "ARGS=fig_mimir_99",
            "error: fig_mimir_99: no such figure: there are fig_mimir_1, fig_mimir_2",
        ),
        (
            "ARGS=-n fig_mimri_3",
            "error: fig_mimri_3: no such figure: there are fig_mimir_...",
        ),
        ("ARGS=figurs", "error: figurs: no such target: there are mimir, eee"),
    ],
)
def test_what_was_typed_is_named_and_not_a_file(place: Checkout, variable: str, expected: str) -> None:
    done = make(place, "reproduce", variable)
    assert done.returncode != 0
    assert expected in done.stdout
    assert "config.yaml: " not in done.stdout and "Traceback" not in done.stdout
    assert not (place.folder / "build").exists(), "nothing was started"


def words(process: psutil.Process) -> str:
    """Returns the command line of a process; '' of one that has ended."""
    with contextlib.suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


IN_BACKGROUND = ("sh", "-c", "trap '' INT QUIT; exec \"$@\"", "sh")
"""Starts a command as a script does with &."""


@contextlib.contextmanager
def compiling(
    place: Checkout, log: Path, way: tuple[str, ...] = ()
) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """`make smoke` that has begun to compile, and all that it started; these do not outlive the block."""
    family: list[psutil.Process] = []
    with log.open("w") as output:
        command = [*way, "make", "-o", ".installed", "smoke", "STUDIES=eee,mimir", "CORES=1"]
        process = place.start(*command, output=output)
        try:
            deadline = time.monotonic() + 120
            while not any("cmake --build" in words(one) for one in family):
                assert time.monotonic() < deadline and process.poll() is None, log.read_text()
                time.sleep(0.2)
                with contextlib.suppress(psutil.NoSuchProcess):
                    family = psutil.Process(process.pid).children(recursive=True)
            yield process, family
        finally:
            for one in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
    shutil.rmtree(place.folder / "build", ignore_errors=True)


@pytest.mark.parametrize(
    ("number", "way"),
    [(signal.SIGTERM, ()), (signal.SIGTERM, IN_BACKGROUND), (signal.SIGHUP, ()), (signal.SIGINT, ())],
)
def test_a_signal_to_make_ends_all_that_it_started(
    place: Checkout, number: signal.Signals, way: tuple[str, ...]
) -> None:
    log = place.folder / "signal.log"
    with compiling(place, log, way) as (process, family):
        if number == signal.SIGTERM:
            process.send_signal(number)  # to make alone, as kill does
        else:
            os.killpg(process.pid, number)  # to make and its script, as a terminal does
        assert process.wait(60) != 0
        _, alive = psutil.wait_procs(family, timeout=30)
        assert not alive, [words(one) for one in alive]
    assert "the same command goes on where it stopped" in log.read_text()
    assert not list((place.folder / ".snakemake/locks").glob("*")), "Snakemake took its lock away"


@pytest.mark.parametrize("victim", ["scripts/reproduce.sh", "bin/snakemake"])
def test_what_compiles_ends_with_a_workflow_that_is_killed(place: Checkout, victim: str) -> None:
    with compiling(place, place.folder / "killed.log") as (process, family):
        next(one for one in family if victim in words(one)).kill()
        assert process.wait(60) != 0
        _, alive = psutil.wait_procs(family, timeout=30)
        assert not alive, [words(one) for one in alive]


def test_clean_leaves_results(place: Checkout) -> None:
    for name in ("build/x", "results/smoke/x"):
        (place.folder / name).mkdir(parents=True)
    assert make(place, "clean").returncode == 0
    assert not (place.folder / "build").exists() and (place.folder / "results/smoke/x").is_dir()
    done = make(place, "clean-results")
    assert done.returncode != 0 and "results/" in done.stdout and "FORCE=1" in done.stdout
    assert (place.folder / "results/smoke/x").is_dir(), "nobody could be asked"
    done = make(place, "clean-results", "FORCE=1")
    assert done.returncode == 0 and not (place.folder / "results").exists(), done.stdout


def test_clean_results_and_retry_know_the_folder_that_a_site_names(place: Checkout) -> None:
    site = place.folder / "config/sites/mine.yaml"
    site.write_text("description: mine\nresults: measured\n")
    run = place.folder / "measured/smoke/runs/mimir/combiner/group-by-key_215W/1/run.json"
    replayed = place.folder / "results-replay" / run.relative_to(place.folder / "measured")
    for path in (run, replayed):
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    (place.folder / "measured/smoke/logs").mkdir()
    try:
        assert "1 runs will be run again" in make(place, "retry").stdout
        assert not run.exists() and replayed.exists()
        site.write_text("description: mine\nresults: scripts\n")
        assert "scripts/" not in make(place, "clean-results").stdout
        site.write_text("description: mine\nresults: 'measured'  # here\n")
        done = make(place, "clean-results", "FORCE=1")
        assert done.returncode == 0 and not run.parents[5].exists(), done.stdout
    finally:
        site.unlink()


@pytest.mark.parametrize(("answer", "there"), [("n", True), ("y", False)])
def test_clean_results_asks(place: Checkout, answer: str, there: bool) -> None:
    results = place.folder / "results"
    results.mkdir()
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        done = subprocess.run(
            ["scripts/clean_results.sh"],
            cwd=place.folder,
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert results.exists() == there
    assert (done.returncode != 0) == there and "results/" in done.stdout
    if there:
        results.rmdir()


def test_the_cheap_targets_work(place: Checkout) -> None:
    schema = {path: path.read_text() for path in (place.folder / "config/schema").glob("*.json")}
    assert make(place, "schema").returncode == 0
    assert schema and {path: path.read_text() for path in schema} == schema
    done = make(place, "retry")
    assert done.returncode == 0 and "0 runs will be run again" in done.stdout
    done = make(place, "costs")
    assert done.returncode != 0 and "no runs are there: `make smoke` makes them" in done.stdout
