"""Simulated caches: the runs that are planned for them, and what is read from Valgrind's cachegrind."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.plan.engine import plan
from harness.results.records import Metric
from harness.runs.cachegrind import read_cachegrind, unaffected
from tests.unit.test_plan import config_of

FILE = """desc: D1 cache:         32768 B, 64 B, 8-way associative
cmd: reduce-by-key text.txt
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl=a.cpp
fn=main
1 1 1 1 1 1 1 1 1 1
summary: 1000 9 7 400 30 20 100 11 5
"""


@pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
def test_simulated_caches_have_one_rank_and_few_words_at_any_scale(scale: str) -> None:
    config = config_of(scale)
    runs = [run for run in plan(config.studies["mimir"], config, "").runs if run.cachegrind]
    assert {run.identity.experiment for run in runs} == {"cache"}
    assert {run.identity.factors["words"] for run in runs} == {1_000_000}
    assert all(run.ranks == 1 and not run.launcher and run.watch is None for run in runs)
    many = next(run for run in runs if run.identity.point == "4B42M")
    assert many.identity.factors["unique"] == 750_000, "Eq. 1 keeps its 25 % with one rank"
    assert many.program[:2] == ["valgrind", "--tool=cachegrind"]
    assert "build/programs-portable/bin/reduce-by-key" in many.program
    assert many.built == "build/programs-portable/engine.json"


def test_without_valgrind_nothing_is_planned_and_the_table_says_why() -> None:
    config = config_of("laptop")
    made = plan(config.studies["mimir"], config, "", "no valgrind here")
    assert not [run for run in made.runs if run.cachegrind]
    assert {absent.reason for absent in made.tables["cache"].not_run} == {"no valgrind here"}


def test_misses_of_reads_and_writes_are_added_up(tmp_path: Path) -> None:
    file = tmp_path / "cachegrind.out"
    file.write_text(FILE)
    metrics = read_cachegrind(file)
    assert {metric.name: metric.value for metric in metrics} == {
        "cache.instructions": 1000,
        "cache.references": 500,
        "cache.d1.misses": 41,
        "cache.ll.misses": 32,
    }
    assert {metric.source for metric in metrics} == {"simulated:cachegrind"}


@pytest.mark.parametrize("text", [None, "", FILE.replace("summary:", "sum:"), FILE.replace(" DLmw", "")])
def test_a_file_without_the_counts_is_one_clear_error(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "cachegrind.out"
    if text is not None:
        file.write_text(text)
    with pytest.raises(KvasirError, match=r"^cachegrind\.out: ") as caught:
        read_cachegrind(file)
    assert "\n" not in str(caught.value)


def test_times_and_memory_under_valgrind_are_left_out() -> None:
    counted = Metric(name="words", value=1, unit="1", source="measured:engine")
    timed = Metric(name="runtime", value=90, unit="s", source="measured:clock")
    resident = Metric(name="mem.peak", value=1e9, unit="B", source="measured:procfs")
    assert unaffected([counted, timed, resident]) == [counted]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_valgrind_writes_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "cachegrind.out"
    caches = ["--D1=32768,8,64", "--LL=524288,16,64", f"--cachegrind-out-file={file}"]
    subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=yes", *caches, "true"], check=True, capture_output=True
    )
    found = {metric.name: metric.value for metric in read_cachegrind(file)}
    assert (found["cache.instructions"] or 0) > (found["cache.references"] or 0) > 0
    assert (found["cache.d1.misses"] or 0) >= (found["cache.ll.misses"] or 0) / 2 > 0
