"""Batches of simulations: every simulation is in one, what is there is not made again, what stops leaves no half."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.core.errors import KvasirError
from harness.plan.batches import SIMULATIONS, digest_of_batch
from harness.plan.planner import Planner
from harness.plan.spec import BatchSpec, RunSpec
from harness.results.records import Identity, read
from harness.runs.batch import BatchDriver

PROJECT = Path(__file__).parents[2]
PROGRAM = """#!/bin/sh
# Counts its calls; REPORT gets a metric, or the number says how to fail.
echo "$1" >> calls
case $1 in
fail*) echo "no such policy" >&2; exit 3 ;;
slow*) exec sleep 60 ;;
esac
cat > "${2#--report=}" << 'END'
{"format": "kvasir-report-1", "windows": {},
 "metrics": {"m": {"value": 1, "unit": "1", "source": "simulated:x"}}}
END
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KVASIR_OWNER", raising=False)
    (tmp_path / "program").write_text(PROGRAM)
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "built.json").write_text('{"sha256": {"program": "1"}}')
    return tmp_path


def run_of(here: Path, point: str, rep: int = 1) -> RunSpec:
    who = Identity(
        study="s", experiment="e", point=point, rep=rep, seed=1, scale="x", site="local", factors={}
    )
    return RunSpec(
        identity=who,
        program=[str(here / "program"), point, "--report={report}"],
        built="built.json",
        timeout_s=90,
    )


def batch_of(here: Path, *points: str) -> BatchSpec:
    runs = [run_of(here, point) for point in points]
    return BatchSpec(study="s", batch="e_1", results="r/x", built="built.json", runs=runs)


def calls(here: Path) -> list[str]:
    return sorted((here / "calls").read_text().split())


@pytest.mark.parametrize("site", ["local", "emulated-slurm"])
def test_every_simulation_is_in_one_batch_and_tables_wait_for_it(site: str) -> None:
    values = {"scale": "laptop", "site": site, "seed": 1, "studies": ["mimir", "eee"]}
    planner = Planner(values, PROJECT / "config")
    for study in values["studies"]:
        plan = planner.plan(study)
        simulations = [run.identity for run in plan.runs if run.watch is None]
        batched = [run.identity for batch in plan.batches.values() for run in batch.runs]
        assert batched == simulations != []
        experiments = {identity.experiment for identity in simulations}
        assert len(plan.batches) <= len(experiments) + len(simulations) / SIMULATIONS
        for batch in plan.batches.values():
            assert 0 < len(batch.runs) <= SIMULATIONS
            assert len({run.identity.experiment for run in batch.runs}) == 1
        files = {batch.file for batch in plan.batches.values()}
        for table in plan.tables.values():
            for runs in table.runs.values():
                assert set(runs.files) <= files or all(name.endswith("run.json") for name in runs.files)
        assert {
            name for table in plan.tables.values() for runs in table.runs.values() for name in runs.declared
        } == files


def test_a_batch_changes_with_its_runs_but_not_with_what_they_are_expected_to_take(here: Path) -> None:
    batch = batch_of(here, "a", "b")
    slower = batch.model_copy(update={"runs": [r.model_copy(update={"expected_s": 9}) for r in batch.runs]})
    assert digest_of_batch(batch) == digest_of_batch(slower)
    assert digest_of_batch(batch) != digest_of_batch(batch_of(here, "a", "c"))


def test_each_simulation_has_its_own_record_and_failure(here: Path) -> None:
    batch = batch_of(here, "a", "fail", "b")
    BatchDriver.of(batch).make(cores=2)
    found = {run.parents[1].name: read(run) for run in here.glob("r/x/runs/s/e/*/1/run.json")}
    assert {name: record.outcome.status for name, record in found.items()} == {
        "a": "ok",
        "b": "ok",
        "fail": "failed",
    }
    assert "no such policy" in found["fail"].outcome.reason
    assert found["a"].metrics[0].name == "m"
    told = json.loads(Path(batch.file).read_text())
    assert [run["status"] for run in told["runs"]] == ["ok", "failed", "ok"]


def test_what_is_there_is_not_made_again_unless_it_or_its_program_has_changed(here: Path) -> None:
    BatchDriver.of(batch_of(here, "a", "b")).make(cores=1)
    BatchDriver.of(batch_of(here, "a", "b", "c")).make(cores=1)
    assert calls(here) == ["a", "b", "c"]
    other = batch_of(here, "a", "b", "c")
    other.runs[1].program.append("more")
    BatchDriver.of(other).make(cores=1)
    assert calls(here) == ["a", "b", "b", "c"]
    (here / "built.json").write_text('{"sha256": {"program": "2"}}')
    BatchDriver.of(other).make(cores=1)
    assert calls(here) == ["a", "a", "b", "b", "b", "c", "c"]
    (here / "r/x/runs/s/e/c/1/run.json").write_text("cut off")
    BatchDriver.of(other).make(cores=1)
    assert calls(here).count("c") == 3


def test_a_batch_that_is_given_up_keeps_what_it_has(here: Path) -> None:
    BatchDriver.of(batch_of(here, "a")).make(cores=1)
    batch = batch_of(here, "a", "b")
    BatchDriver.of(batch).give_up("job 7 on n1: NODE_FAIL")
    status = {run["run"]: run["status"] for run in json.loads(Path(batch.file).read_text())["runs"]}
    assert status == {"a/1": "ok", "b/1": "failed"}
    assert "NODE_FAIL" in read(here / "r/x/runs/s/e/b/1/run.json").outcome.reason


def test_a_program_that_cannot_be_had_makes_no_records(here: Path) -> None:
    batch = batch_of(here, "a")
    (here / "program").unlink()
    with pytest.raises((KvasirError, OSError)):
        BatchDriver.of(batch).make(cores=1)
    assert not list(here.glob("r/x/runs/s/e/*/*/run.json"))
    assert not Path(batch.file).exists()


DRIVER = """
import os, sys
from pathlib import Path
from harness.plan.spec import BatchSpec
from harness.runs.batch import BatchDriver
from harness.runs.run import Interrupted, install_signal_handlers
install_signal_handlers()
try:
    BatchDriver.of(BatchSpec.model_validate_json(Path("batch").read_text())).make(cores=2)
except Interrupted:
    os._exit(1)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_batch_leaves_whole_records_and_no_process(here: Path, number: signal.Signals) -> None:
    batch = batch_of(here, "b", "slow1", "slow2", "a")  # begun from the end
    (here / "batch").write_text(batch.model_dump_json())
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], env=environment)
    deadline = time.monotonic() + 60
    while not (here / "calls").is_file() or len(calls(here)) < 3:
        assert time.monotonic() < deadline and driver.poll() is None
        time.sleep(0.05)
    family = psutil.Process(driver.pid).children(recursive=True)
    driver.send_signal(number)
    assert driver.wait(10) != 0, "it does not wait for what runs"
    _, alive = psutil.wait_procs(family, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    made = {path.parents[1].name for path in here.glob("r/x/runs/s/e/*/1/run.json")}
    assert made == {"a"}
    assert not Path(batch.file).exists()
