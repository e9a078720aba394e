"""Broken inputs: one clear message, a non-zero exit, the old page untouched and nothing left beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from report_sample import write_sample

ROOT = Path(__file__).resolve().parents[2]


def report(folder: Path, output: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "scripts/report.py",
        "--manifest",
        folder / "manifest.json",
        "--output",
        output,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def cut(name: str, keep: int = -30) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:keep]) and None


BROKEN = {
    "claims missing": (
        lambda folder: (folder / "alpha.csv").unlink(),
        "alpha.csv: the table of verdicts cannot be read",
    ),
    "claims cut off": (cut("alpha.csv"), "alpha.csv: the table of verdicts is cut off"),
    "claims empty": (cut("alpha.csv", 0), "alpha.csv: the table of verdicts is cut off"),
    "claims with a wrong column": (edit("alpha.csv", "verdict", "verdikt"), "has no column 'verdict'; it has: id,"),
    "a row too short": (edit("beta.csv", ",not run,no run yet", ",not run"), "line 2 of the table of verdicts has 15"),
    "an unknown verdict": (edit("beta.csv", "not run", "maybe"), "line 2: unknown verdict 'maybe'; known: reproduced"),
    "a claim twice": (edit("alpha.csv", "ALPHA-2", "ALPHA-1"), "line 3: claim id 'ALPHA-1' is empty or given twice"),
    "a word for a number": (edit("alpha.csv", "29.1", "low"), "line 2: column 'low' should be a number, not 'low'"),
    "another study's claims": (edit("beta.csv", ",beta,", ",gamma,"), "a claim of study 'gamma' among those of 'beta'"),
    "claims that are not text": (lambda folder: (folder / "beta.csv").write_bytes(b"\xff\xfe\n"), "is not UTF-8 text"),
    "runs cut off": (cut("alpha.runs.csv"), "alpha.runs.csv: the table of runs is cut off"),
    "an unknown status": (edit("alpha.runs.csv", "timeout", "late"), "unknown status 'late'; known: ok, failed"),
    "environment cut off": (cut("environment.json"), "environment.json: the list of environments is not JSON"),
    "environment of another shape": (edit("environment.json", '"runs"', '"jobs"'), "should look like"),
    "environment missing": (lambda folder: (folder / "environment.json").unlink(), "environments cannot be read"),
    "a benchmark cut off": (cut("benchmarks/figures/alpha/fig01.tsv", -3), "fig01.tsv: the benchmark file is cut off"),
    "a figure cut off": (cut("figures/alpha/fig02.svg"), "fig02.svg: not a whole SVG file"),
    "a wrong key": (edit("manifest.json", '"scale"', '"skale"'), "manifest.json: not a report manifest: "),
    "a manifest cut off": (cut("manifest.json"), "manifest.json: not a report manifest: "),
    "a figure id twice": (edit("manifest.json", '"id": "fig02"', '"id": "fig01"'), "figure fig01 is given twice"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "manifest cannot be read: No such file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input(name: str, tmp_path: Path) -> None:
    change, says = BROKEN[name]
    write_sample(tmp_path / "in")
    change(tmp_path / "in")
    output = tmp_path / "out" / "report.html"
    output.parent.mkdir()
    output.write_text("the page before")
    done = report(tmp_path / "in", output)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert says in done.stderr
    assert output.read_text() == "the page before"
    assert [path.name for path in output.parent.iterdir()] == ["report.html"]


def test_good_input_makes_folder_and_page(tmp_path: Path) -> None:
    write_sample(tmp_path / "in")
    output = tmp_path / "new" / "folder" / "report.html"
    done = report(tmp_path / "in", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in output.parent.iterdir()] == ["report.html"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    write_sample(tmp_path / "in")
    (tmp_path / "file").write_text("")
    done = report(tmp_path / "in", tmp_path / "file" / "report.html")
    assert done.returncode == 1
    assert "report.html: cannot be written: " in done.stderr
