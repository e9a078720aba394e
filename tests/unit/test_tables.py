"""Tables: what ran, what failed and what could not run, each with its reason; never a number from a failed run."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from harness.core.errors import KvasirError
from harness.results.layout import NotRun, Runs, TableSpec
from harness.results.records import Factors, Identity, Metric, Outcome, Record, save, write_folder
from harness.results.tables import (
    columns_of,
    counter_table,
    event_table,
    metric_table,
    trace_table,
    usage_table,
    write_csv,
)

PROJECT = Path(__file__).parents[2]
TRACE = "t_s,half_width_s,host,domain,metric,value,unit,source\n0.1,0.0001,h,ranks,cpu,1.5,cores,measured:procfs\n"


def factors(point: str) -> Factors:
    return {"data": point, "ranks": 2, "unique": None}


def write(root: Path, point: str, rep: int, status: str = "ok", started: str = "2026-01-01T00:00:00") -> Path:
    identity = Identity(
        study="s",
        experiment="e",
        point=point,
        rep=rep,
        seed=1,
        scale="smoke",
        site="local",
        factors=factors(point),
    )
    metrics = [
        Metric(name="runtime", value=1.5, unit="s", source="measured:clock"),
        Metric(name="energy.pkg", value=None, unit="J", source="none", reason="no power source"),
    ]
    outcome = Outcome.model_validate(
        {"status": status, "reason": "" if status == "ok" else "exit code 3", "started": started}
    )
    made = Record(
        identity=identity, environment={}, outcome=outcome, metrics=metrics if status == "ok" else []
    )
    target = root / "s" / "e" / point / str(rep)
    with write_folder(target) as folder:
        (folder / "trace.csv").write_text(TRACE)
        (folder / "events.csv").write_text(
            "rank,word_index,partition,records,bytes,capacity_bytes,event\n0,1,0,1,24,64,put\n"
        )
        save(made, folder)
    return target


def spec_of(root: Path, runs: dict[str, int], not_run: list[NotRun] | None = None) -> TableSpec:
    return TableSpec(
        study="s",
        experiment="e",
        scale="smoke",
        factors=["data", "ranks", "unique"],
        runs={point: Runs(folder=str(root / "s" / "e" / point), repetitions=n) for point, n in runs.items()},
        not_run=not_run or [],
        repetitions=2,
    )


def test_every_run_and_every_absence_has_its_rows(tmp_path: Path) -> None:
    write(tmp_path, "a", 1, started="2026-01-01T00:00:09")
    write(tmp_path, "a", 2, status="failed", started="2026-01-01T00:00:01")
    absent = NotRun(point="b", factors=factors("b"), reason="no cap here")
    table = metric_table(spec_of(tmp_path, {"a": 2}, [absent]))
    assert table.columns[:7] == ["study", "experiment", "point", "rep", "order", "status", "reason"]
    rows = table.select("point", "rep", "order", "status", "reason", "metric", "value", "source").rows()
    assert rows == [
        ("a", 1, 2, "ok", "", "runtime", 1.5, "measured:clock"),
        ("a", 1, 2, "ok", "no power source", "energy.pkg", None, "none"),
        ("a", 2, 1, "failed", "exit code 3", None, None, "none"),
        ("b", 1, None, "not-run", "no cap here", None, None, "none"),
        ("b", 2, None, "not-run", "no cap here", None, None, "none"),
    ]


def test_traces_and_events_carry_the_runs_identity_and_leave_failed_runs_out(tmp_path: Path) -> None:
    write(tmp_path, "a", 1)
    write(tmp_path, "a", 2, status="timeout")
    trace = trace_table(spec_of(tmp_path, {"a": 2}))
    assert trace.select("point", "rep", "data", "ranks", "t_s", "value").rows() == [
        ("a", 1, "a", 2, 0.1, 1.5)
    ]
    events = event_table(spec_of(tmp_path, {"a": 2}))
    assert events.rows() == [("a", "a", 0, 1, 0, 1, 24, 64, "put")]


COUNTERS = "job,job_name,kind,counter_group,counter,value\nj_1,sort,all,TaskCounter,SPILLED_RECORDS,{}\n"


def test_counters_carry_the_runs_identity_and_stay_whole(tmp_path: Path) -> None:
    large = 2**62 + 1
    for rep, status in ((1, "ok"), (2, "failed")):
        (write(tmp_path, "a", rep, status) / "counters.csv").write_text(COUNTERS.format(large))
    table = counter_table(spec_of(tmp_path, {"a": 2}))
    assert table.columns == columns_of(spec_of(tmp_path, {}), ".counters")
    assert table.select("point", "rep", "kind", "counter", "value").rows() == [
        ("a", 1, "all", "SPILLED_RECORDS", large)
    ]
    (tmp_path / "s/e/a/1/counters.csv").write_text(COUNTERS.format("many"))
    with pytest.raises(
        KvasirError, match=r"a/1/counters\.csv: expected a CSV file with columns job,job_name"
    ):
        counter_table(spec_of(tmp_path, {"a": 1}))


def test_nothing_but_failures_makes_a_table_without_numbers(tmp_path: Path) -> None:
    write(tmp_path, "a", 1, status="failed")
    spec = spec_of(tmp_path, {"a": 1})
    assert metric_table(spec)["value"].to_list() == [None]
    assert trace_table(spec).is_empty()
    write_csv(trace_table(spec), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().startswith("study,experiment,point,rep,data,ranks,unique,t_s")


def test_an_experiment_that_the_scale_leaves_out_has_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    write_csv(metric_table(spec_of(tmp_path, {})), path)
    header = "study,experiment,point,rep,order,status,reason,data,ranks,unique,metric,value,unit,source"
    assert path.read_text().split() == [header]


def test_truncated_trace_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, "a", 1)
    (folder / "trace.csv").write_text(TRACE[:30])
    with pytest.raises(KvasirError, match=r"a/1/trace\.csv: expected a CSV file with columns t_s,host"):
        trace_table(spec_of(tmp_path, {"a": 1}))


def test_missing_and_foreign_records_are_named(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, {"a": 1})
    with pytest.raises(KvasirError, match=r"a/1/run\.json: cannot be read"):
        metric_table(spec)
    folder = write(tmp_path, "a", 1)
    content = json.loads((folder / "run.json").read_text())
    content["metrics"][0]["value"] = "fast"
    (folder / "run.json").write_text(json.dumps(content))
    with pytest.raises(KvasirError, match=r"run\.json: not a run record: metrics\.0\.value"):
        metric_table(spec)


def test_table_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KvasirError, match="cannot be written"):
        write_csv(pl.DataFrame({"a": [1]}), tmp_path / "file" / "t.csv")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("combiner.samples.csv", "expected EXPERIMENT.csv or one of EXPERIMENT.trace.csv, "),
        ("combiner.tsv", "expected EXPERIMENT.csv"),
        ("levitation.csv", "study mimir has no experiment levitation: stages, "),
    ],
)
def test_the_command_names_a_file_that_is_no_table(tmp_path: Path, name: str, said: str) -> None:
    command = [sys.executable, "scripts/tables.py", "mimir", str(tmp_path / name)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_trace_of_whole_numbers_is_one_of_numbers(tmp_path: Path) -> None:
    run = write(tmp_path, "a", 1)
    (run / "trace.csv").write_text(
        "t_s,host,domain,metric,value,unit,source\n0,h,port,state,2,1,simulated:netsim\n"
    )
    (row,) = trace_table(spec_of(tmp_path, {"a": 1})).select("t_s", "value", "unit").rows()
    assert row == (0.0, 2.0, "1")


def test_usage_is_that_of_the_first_good_run_of_each_point(tmp_path: Path) -> None:
    runs = [
        ("sort", 1, "failed"),
        ("sort", 2, "ok"),
        ("sort", 3, "ok"),
        ("grep", 1, "timeout"),
        ("bayes", 1, "ok"),
    ]
    places = [(point, rep, write(tmp_path, point, rep, status)) for point, rep, status in runs]
    (tmp_path / "s/e/bayes/1/trace.csv").unlink()
    table = usage_table("3n_ssd_ib", reversed(places))
    assert table.select("cell", "point", "rep").rows() == [("3n_ssd_ib", "sort", 2)]
    assert table.columns[3:] == [
        "sharing", "links", "t_s", "host", "domain", "metric", "value", "unit", "source",
    ]  # fmt: skip
    assert table.select("sharing", "links").row(0) == (1, "none"), "the record knows neither"
    assert usage_table("3n_ssd_ib", places[:1]).is_empty()
    (tmp_path / "s/e/sort/2/trace.csv").write_text("t_s,host\n1,a\n")
    with pytest.raises(KvasirError, match=r"sort/2/trace\.csv: expected a CSV file with columns"):
        usage_table("3n_ssd_ib", places)
