"""Broken inputs: one clear message, a non-zero exit, the old page untouched and nothing left beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from report_sample import figure

from harness.claims.verdicts import COLUMNS, Row, write_csv
from harness.config.load import STUDY, parse, read_yaml
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.report.build import build, gather
from harness.report.overview import overview

ROOT = Path(__file__).resolve().parents[2]


def project(folder: Path) -> Path:
    """A project of study mimir at scale smoke without a run: verdicts and a benchmark file are all there is."""
    (folder / "config").symlink_to(ROOT / "config")
    rows = [
        Row.model_validate(
            {**dict.fromkeys(COLUMNS, ""), "basis": None, "value": None, "low": None, "high": None, "n": 0,
             "source": "none", "id": f"MIMIR-{number}", "study": "mimir", "tier": 1, "verdict": "not run",
             "reason": "no run yet"}
        )
        for number in (1, 2)
    ]  # fmt: skip
    numbers = {
        "verdict": "direction",
        "basis": "measured",
        "value": 31.2,
        "low": 29.1,
        "high": 33.0,
        "n": 3,
        "source": "measured:clock",
    }
    write_csv([rows[0].model_copy(update=numbers), rows[1]], folder / VERDICTS)
    (folder / BENCHMARK).parent.mkdir(parents=True)
    (folder / BENCHMARK).write_text("s\tmax_rss\tcpu_time\n1.5\t100\t2\n")
    return folder


VERDICTS = "results/smoke/claims/mimir.csv"
BENCHMARK = "results/smoke/benchmarks/tables/mimir/stages.tsv"
FIGURE = "results/smoke/figures/mimir/fig02.svg"


def report(folder: Path, output: str = "results/smoke/report.html") -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        ROOT / "scripts/report.py",
        output,
        "--choose=scale=smoke",
        "--choose=studies=mimir",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def cut(name: str, keep: int = -30) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:keep]) and None


def half_a_figure(folder: Path) -> None:
    figure(folder / "results/smoke", "mimir", "fig02")
    cut(FIGURE)(folder)


def half_a_record(folder: Path) -> None:
    path = folder / "results/smoke/runs/mimir/stages/map-aggregate_knl_215W/1/run.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 1, "ident')


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "claims missing": (
        lambda folder: (folder / VERDICTS).unlink(),
        "mimir.csv: the table of verdicts cannot be read",
    ),
    "claims cut off": (cut(VERDICTS), "mimir.csv: the table of verdicts is cut off"),
    "claims empty": (cut(VERDICTS, 0), "mimir.csv: the table of verdicts is cut off"),
    "claims with a wrong column": (edit(VERDICTS, "verdict", "verdikt"), "has no column 'verdict'; it has: id,"),
    "a row too short": (edit(VERDICTS, ",not run,,no run yet", ",not run,"), "line 3 of the table of verdicts has 16"),
    "an unknown verdict": (edit(VERDICTS, "not run", "maybe"), "line 3: unknown verdict 'maybe'; known: reproduced"),
    "a claim twice": (edit(VERDICTS, "MIMIR-2", "MIMIR-1"), "line 3: claim id 'MIMIR-1' is empty or given twice"),
    "a word for a number": (edit(VERDICTS, "29.1", "low"), "line 2: column 'low' should be a number, not 'low'"),
    "another study's claims": (edit(VERDICTS, ",mimir,", ",eee,"), "a claim of study 'eee' among those of 'mimir'"),
    "claims that are not text": (lambda folder: (folder / VERDICTS).write_bytes(b"\xff\xfe\n"), "is not UTF-8 text"),
    "a record cut off": (half_a_record, "run.json: not a run record: "),
    "a benchmark cut off": (cut(BENCHMARK, -3), "stages.tsv: the benchmark file is cut off"),
    "a figure cut off": (half_a_figure, "fig02.svg: not a whole SVG file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change, says = BROKEN[name]
    monkeypatch.chdir(project(tmp_path))
    output = tmp_path / "results/smoke/report.html"
    output.write_text("the page before")
    change(tmp_path)
    planner = choose(["scale=smoke", "studies=mimir"])
    shown = overview(planner.config, {}, datetime.now(UTC))
    with pytest.raises(KvasirError) as caught:
        build(shown, gather(planner, shown, output.parent), output)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert output.read_text() == "the page before"
    assert [path.name for path in output.parent.iterdir() if path.is_file()] == ["report.html"]


def test_the_command_ends_with_one_message(tmp_path: Path) -> None:
    cut(VERDICTS)(project(tmp_path))
    (tmp_path / "results/smoke/report.html").write_text("the page before")
    done = report(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert "mimir.csv: the table of verdicts is cut off" in done.stderr
    assert (tmp_path / "results/smoke/report.html").read_text() == "the page before"


def test_good_input_makes_folder_and_page(tmp_path: Path) -> None:
    done = report(project(tmp_path), "new/folder/report.html")
    assert (done.returncode, done.stderr) == (0, "")
    output = tmp_path / "new/folder/report.html"
    assert [path.name for path in output.parent.iterdir()] == ["report.html"]
    text = output.read_text()
    assert "MIMIR-1" in text and "no run yet" in text and "31.2" in text


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (project(tmp_path) / "file").write_text("")
    done = report(tmp_path, "file/report.html")
    assert done.returncode == 1
    assert "report.html: cannot be written: " in done.stderr


def test_a_figure_given_twice_is_a_mistake_of_the_configuration() -> None:
    path = ROOT / "config/studies/mimir.yaml"
    study = read_yaml(path)
    parse(STUDY, study, "mimir.yaml")
    study["figures"][1]["id"] = study["figures"][0]["id"]
    with pytest.raises(KvasirError, match=r"mimir.yaml: .*figure fig01 is given twice"):
        parse(STUDY, study, "mimir.yaml")
