"""A cell on a real cluster: records, traces, tasks and tables; a timeout; the end of all when the workflow goes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.cells.driver import Driver
from harness.cells.measure import SPECIFICATION
from harness.results.layout import Runs, TableSpec
from harness.results.records import read
from harness.results.tables import counter_table, metric_table, task_table, trace_table
from tests.hadoop.small import FACTORS, PROGRAMS, hadoop_cell

pytestmark = pytest.mark.usefixtures("builds")


@pytest.mark.timeout(600)
def test_a_cell(shared: Path) -> None:
    text = {"data_mb": 4, "timeout_s": 300}
    spec = hadoop_cell(shared / "driver", {"terasort": text, "sort": {"data_mb": 4, "timeout_s": 300}})
    # Making the text takes longer than it gives, so this one is not a failure of the run's own program.
    hasty = spec.runs[1].model_copy(update={"settings": {"data_mb": 4, "timeout_s": 2}})
    spec = spec.model_copy(update={"runs": [spec.runs[0], hasty]})
    Driver(spec, PROGRAMS).make()

    done, late = (Path(run.folder) for run in spec.runs)
    record = read(done / "run.json")
    assert record.outcome.status == "ok", record.outcome.reason
    found = {metric.name: metric for metric in record.metrics}
    assert found["time.total"].value == record.outcome.seconds
    assert 0 < found["time.work"].value < found["time.total"].value  # type: ignore[operator]
    value = {name: metric.value or 0.0 for name, metric in found.items()}
    assert value["time.startup"] > 1, "Java, its application master and its first container"
    parts = value["time.startup"] + value["time.work"] + value["time.between"]
    assert parts == pytest.approx(value["time.total"])
    assert (value["input.files"], value["input.replication"], value["input.block"]) == (3, 2, 4 << 20)
    assert value["input.bytes"] == value["hdfs.written"] > 4e6, "TeraGen leaves an empty file beside its two"
    assert value["shuffle.bytes"] > value["input.bytes"]
    assert (value["maps"], value["conf.maps_at_once"], value["conf.map_heap"]) == (2, 2, 200)
    assert found["conf.block"].source == "measured:job.xml" and value["conf.digest"] > 0
    assert found["cpu.seconds"].value > 1 and found["net.bytes"].value > 1e6  # type: ignore[operator]
    assert (found["link.rate"].value, found["link.rate"].source) == (500, "emulated:tbf")
    assert found["energy.total"].value is None and found["energy.total"].reason
    # Less what is deleted before it is written back: the files of the job that made the input, with two replicas.
    assert value["storage.written.datanode"] >= value["input.bytes"] / 2, (
        "what TeraSort leaves is on the disks"
    )
    assert value["storage.written.nodemanager"] > 0, "logs, job files and what its tasks have spilled"
    assert found["disturbed"].value == 0
    files = {path.name for path in done.iterdir()}
    assert files == {
        "run.json",
        "trace.csv",
        "tasks.csv",
        "counters.csv",
        "stages.csv",
        "log.txt",
        SPECIFICATION,
    }
    assert "terasort" in (done / "log.txt").read_text()

    outcome = read(late / "run.json").outcome
    assert outcome.status == "timeout" and "took longer than 2 s" in outcome.reason
    assert read(late / "run.json").metrics == []

    facts = json.loads((shared / "driver" / "cell.json").read_text())
    assert [run["status"] for run in facts["runs"]] == ["ok", "timeout"]
    events = (shared / "driver" / "events.log").read_text()
    assert "cluster is up after" in events and "[2/2] hadoop-ipoib sort 1: timeout" in events

    table = TableSpec(
        study="mrev",
        experiment="terasort",
        scale="s",
        factors=FACTORS,
        runs={"p": Runs(folder=str(done.parent), repetitions=1)},
        not_run=[],
        repetitions=1,
    )
    assert "time.work" in metric_table(table)["metric"].to_list()
    assert set(trace_table(table)["host"].unique()) == {"n0", "n1", "n2", "mean"}
    tasks = task_table(table)
    assert set(tasks["phase"].unique()) == {"map", "shuffle", "merge", "reduce"}
    for kind in ("map", "reduce"):
        placed = tasks.filter(tasks["kind"] == kind).select("task", "host").unique()
        assert sorted(placed["host"]) == ["n1", "n2"], "a place for each kind of task on each worker"
    counted = {
        kind: value
        for kind, name, value in counter_table(table).select("kind", "counter", "value").iter_rows()
        if name == "REDUCE_SHUFFLE_BYTES"
    }
    assert counted["all"] == counted["reduce"] == value["shuffle.bytes"] and "map" not in counted
    assert tasks["start_s"].min() > 0 and tasks["end_s"].max() < found["time.total"].value + 5  # type: ignore[operator]

    Driver(spec, PROGRAMS).make()
    again = (shared / "driver" / "events.log").read_text().removeprefix(events)
    assert "0 runs to make, 2 are there" in again and "hosts are up" not in again


CHILD = """
import sys
from pathlib import Path
from harness.cells.driver import Driver
from harness.plan.spec import CellSpec
from harness.core.process import follow_owner
follow_owner(2)
Driver(CellSpec.model_validate_json(Path(sys.argv[1]).read_text()), {"hadoop": {}}).make()
"""


@contextlib.contextmanager
def started(command: list[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """A program that does not outlive the block, however that ends."""
    with subprocess.Popen(command, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.timeout(300)
def test_all_of_a_cell_goes_with_the_workflow(shared: Path) -> None:
    spec = hadoop_cell(shared / "orphan", {"terasort": {"data_mb": 4}})
    (shared / "orphan.json").write_text(spec.model_dump_json())
    command = [sys.executable, "-c", CHILD, str(shared / "orphan.json")]
    with started(["sleep", "600"]) as owner:
        environment = {**os.environ, "KVASIR_OWNER": str(owner.pid)}
        with started(command, env=environment, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            said = ""
            while "cluster is up" not in said:
                line = child.stdout.readline()
                assert line, f"no cluster: {said}"
                said += line
            family = psutil.Process(child.pid).children(recursive=True)
            # Not by cmdline(), which raises for one of the small programs of hosts that has just ended.
            found = [one.info["cmdline"] for one in psutil.process_iter(["cmdline"]) if one in family]
            assert any("NameNode" in " ".join(words or []) for words in found)
            owner.send_signal(signal.SIGKILL)
            owner.wait()
            _, alive = psutil.wait_procs([psutil.Process(child.pid), *family], timeout=30)
            assert not alive
    assert not list((shared / "orphan").glob("runs/*/*/run.json"))
