"""The command kvasir: it runs make's targets with their variables, and ends clearly."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli import app as cli

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would have replaced the process."""
    found: list[list[str]] = []
    monkeypatch.setattr(cli, "become", found.append)
    return found


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("reproduce", "reproduce"),
        (
            "reproduce --scale smoke --study mimir --study eee --cores 4",
            "reproduce SCALE=smoke STUDIES=mimir,eee CORES=4",
        ),
        ("reproduce fig_mimir_3 fig_eee_2", "reproduce 'ARGS=-- fig_mimir_3 fig_eee_2'"),
        ("replay --scale laptop", "replay SCALE=laptop"),
        ("kick --site mine", "kick SITE=mine"),
        ("claims --study nvm", "verdicts STUDIES=nvm"),
        ("agree", "compare"),
        ("costs --from laptop --nodes 16", "costs 'ARGS=--from laptop --nodes 16'"),
        ("cluster-shell -- --nodes 8", "cluster-shell 'ARGS=--nodes 8'"),
    ],
)
def test_a_command_is_a_target_with_its_variables(
    started: list[list[str]], typed: str, expected: str
) -> None:
    done = CliRunner().invoke(cli.app, shlex.split(typed))
    assert done.exit_code == 0, done.output
    assert started == [["make", "--no-print-directory", "-C", str(PROJECT), *shlex.split(expected)]]


def test_every_target_that_it_runs_is_one_of_the_makefile() -> None:
    text = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for target in ("reproduce", "replay", "kick", "verdicts", "compare", "costs", "cluster-shell"):
        assert f"\n{target}:" in text


def test_the_set_up_installs_it_and_mistakes_are_one_line(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("kvasir")
    kvasir = (
        [str(program)]
        if program.exists()
        else [sys.executable, "-c", "from harness.cli.app import main; main()"]
    )
    done = subprocess.run([*kvasir, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "cluster-shell" in done.stdout
    wrong = subprocess.run(
        [*kvasir, "report", "--scale", "papper"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 1
    assert (
        wrong.stderr.startswith("error: ")
        and "papper" in wrong.stderr
        and len(wrong.stderr.splitlines()) == 1
    )


def test_a_report_is_found_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("config", "src", "rules"):
        (tmp_path / name).symlink_to(PROJECT / name)
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    before = Path.cwd()
    try:
        missing = CliRunner().invoke(cli.app, ["report", "--scale", "smoke"])
        assert "there is no report yet" in str(missing.exception)
        page = tmp_path / "results/smoke/report.html"
        page.parent.mkdir(parents=True)
        page.write_text("x", encoding="utf-8")
        assert CliRunner().invoke(cli.app, ["report", "--scale", "smoke"]).output.strip() == str(page)
    finally:
        os.chdir(before)
