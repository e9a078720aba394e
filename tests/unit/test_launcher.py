"""The launcher is tried once before any run, and the disk of the results is looked at."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.core.errors import KvasirError
from harness.plan import requirements
from harness.plan.planner import Planner
from harness.runs.launcher import refuse_wrong_launcher, try_launcher

FILE = "config/sites/local.yaml"


def test_a_misspelt_launcher_is_named() -> None:
    with pytest.raises(
        KvasirError, match=r"local.yaml: launcher: found 'mpirunn -x': there is no program 'mpirunn'"
    ):
        try_launcher("mpirunn -x", FILE)


def test_a_launcher_that_starts_nothing_says_why(tmp_path: Path) -> None:
    program = tmp_path / "launch"
    program.write_text("#!/bin/sh\necho no slots >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(KvasirError, match="launch -n 1 true ended with 3: no slots"):
        try_launcher(str(program), FILE)
    program.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    try_launcher(str(program), FILE)


@pytest.fixture
def planner() -> Planner:
    return Planner({"scale": "smoke", "site": "local", "seed": 1, "studies": ["mimir"]})


def test_it_is_tried_only_if_a_run_needs_it(tmp_path: Path, planner: Planner) -> None:
    runs = [run for run in planner.plan("mimir").runs if run.launcher][:1]
    site = planner.config.site.model_copy(update={"launcher": "mpirunn"})
    with pytest.raises(KvasirError, match="mpirunn"):
        refuse_wrong_launcher(site, FILE, tmp_path, runs)
    refuse_wrong_launcher(site, FILE, tmp_path, [])
    refuse_wrong_launcher(site.model_copy(update={"here": False}), FILE, tmp_path, runs)
    who = runs[0].identity
    folder = tmp_path / "runs" / who.study / who.experiment / who.point / str(who.rep)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    refuse_wrong_launcher(site, FILE, tmp_path, runs)


def test_the_disk_of_the_results_is_looked_at(
    tmp_path: Path, planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "data").mkdir()

    def usage(path: Any) -> SimpleNamespace:
        return SimpleNamespace(free=2_000_000 if Path(path).name == "results" else 10**12)

    monkeypatch.setattr(requirements.shutil, "disk_usage", usage)
    short, lines = requirements.shortage(planner.config, [planner.plan("mimir")])
    assert "disk of results: needs" in short and "has 0.002 GB" in short
    assert any("0.0 GB where results go" in line for line in lines)
