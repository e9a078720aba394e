"""What a trial run says: PASS, FAIL or LEFT OUT of each component and paper."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.report.trial import component_of, components, paper
from harness.results.layout import NotRun, Runs, TableSpec
from harness.results.records import Identity, Outcome, Record

PROJECT = Path(__file__).parents[2]


def record(status: str = "ok", reason: str = "") -> Record:
    who = {
        "study": "s",
        "experiment": "e",
        "point": "p",
        "rep": 1,
        "seed": 1,
        "scale": "kick",
        "site": "local",
    }
    outcome = Outcome.model_validate({"status": status, "reason": reason})
    return Record(
        identity=Identity.model_validate({**who, "factors": {}}), environment={}, outcome=outcome, metrics=[]
    )


def table(runs: int, *reasons: str) -> TableSpec:
    return TableSpec(
        study="s",
        experiment="e",
        scale="kick",
        factors=[],
        runs={f"p{i}": Runs(folder=f"r/p{i}", repetitions=1) for i in range(runs)},
        not_run=[NotRun(point="q", factors={}, reason=reason) for reason in reasons],
        repetitions=1,
    )


@pytest.mark.parametrize(
    ("runs", "records", "drawn", "broken", "state", "words"),
    [
        (2, [record(), record()], True, False, "PASS", "2 of 2 runs ended well, 1 of 1 figures drawn"),
        (
            2,
            [record(), record("timeout", "too slow\nmore")],
            True,
            False,
            "FAIL",
            "1 of 2 runs timeout: e/p/1: too slow",
        ),
        (2, [record()], True, True, "FAIL", "1 of 2 runs ended well, the others were not made"),
        (2, [record(), record()], False, True, "FAIL", "not drawn: fig"),
        (2, [], False, True, "FAIL", "0 of 2"),
        (2, [], False, False, "LEFT OUT", "not asked for"),
        (0, [], False, True, "LEFT OUT", "no hosts here"),
    ],
)
def test_a_paper_passes_if_its_runs_ended_well_and_its_figures_are_drawn(
    runs: int, records: list[Record], drawn: bool, broken: bool, state: str, words: str
) -> None:
    reasons = [] if runs else ["no hosts here"]
    line = paper("s", [table(runs, *reasons)], records, {"fig": drawn}, broken)
    assert (line.name, line.state) == ("s", state)
    assert words in line.words and "\n" not in line.words


def test_a_component_that_is_missing_fails_only_where_the_workflow_did() -> None:
    built = {"build/programs/engine.json": True, "build/netsim/netsim.json": False}
    assert [line.state for line in components(built, True)] == ["PASS", "FAIL"]
    assert [line.state for line in components(built, False)] == ["PASS", "LEFT OUT"]
    assert component_of("build/hadoop-plugins/3.4.2/rdma.json") == "plug-in rdma"


def test_a_trial_prints_no_verdict_and_says_fail_where_nothing_was_made(tmp_path: Path) -> None:
    (tmp_path / "config").symlink_to(PROJECT / "config")
    (tmp_path / "src").symlink_to(PROJECT / "src")
    script = str(PROJECT / "scripts/summary.py")
    command = [sys.executable, script, "--broken", "scale=kick", "studies=mimir,eee"]
    environment = {"PYTHONPATH": str(PROJECT / "src"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("FAIL     component simulator") for line in lines)
    assert any(line.startswith("FAIL     paper mimir  0 of 2 runs") for line in lines)
    assert any(line.startswith("FAIL: ") and line.endswith("mimir, eee") for line in lines)
    assert "verdicts yet" not in done.stdout
