"""Job histories as data."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.core.errors import KvasirError
from harness.core.rows import write_rows
from harness.hadoop import history
from harness.hadoop.jobs import generic_options, job_ids
from harness.measure import counters as job_counters
from harness.measure import stages, tasks

T0 = 1_700_000_000_000
JOB = "job_1700_0001"


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, "event": {f"org.apache.hadoop.mapreduce.jobhistory.{kind}": fields}})


def counters(**values: int) -> dict[str, Any]:
    counts = [{"name": name, "displayName": name.lower(), "value": value} for name, value in values.items()]
    group = {"name": "org.apache.hadoop.mapreduce.TaskCounter", "displayName": "", "counts": counts}
    own = {"name": "kvasir.graph.PageRank$Count", "displayName": "", "counts": counts[:1]}
    return {"name": "TOTAL_COUNTERS", "groups": [group, own]}


def stage_counters(**values: int) -> dict[str, Any]:
    counts = [{"name": name, "displayName": name, "value": value} for name, value in values.items()]
    own = {"name": "kvasir.nvm.StageCount", "displayName": "", "counts": counts}
    return {"name": "MAP_COUNTERS", "groups": [*counters(MAP_INPUT_RECORDS=7)["groups"], own]}


def attempt(task: str) -> dict[str, str]:
    return {"attemptId": f"attempt_1700_0001_{task}", "taskid": f"task_1700_0001_{task[:-2]}"}


EVENTS = [
    event("AM_STARTED", startTime=T0 + 1000, nodeManagerHost="h"),
    event("JOB_SUBMITTED", jobid=JOB, jobName="words", submitTime=T0, userName="u"),
    event("JOB_INITED", launchTime=T0 + 2000, totalMaps=1, totalReduces=1),
    event("MAP_ATTEMPT_STARTED", **attempt("m_000000_0"), startTime=T0 + 2500),
    event(
        "MAP_ATTEMPT_FAILED",
        **attempt("m_000000_0"),
        finishTime=T0 + 2700,
        hostname="h",
        port=30,
        status="FAILED",
        error="no memory",
    ),
    event("MAP_ATTEMPT_STARTED", **attempt("m_000000_1"), startTime=T0 + 3000),
    event(
        "MAP_ATTEMPT_FINISHED",
        **attempt("m_000000_1"),
        mapFinishTime=T0 + 4000,
        counters=stage_counters(SPILL_NS=250_000_000, OUTPUT_BYTES=1000, SAMPLES=3),
        finishTime=T0 + 4100,
        hostname="h",
        port=31,
    ),
    event("AM_STARTED", startTime=T0 + 4500, nodeManagerHost="h"),
    event("REDUCE_ATTEMPT_STARTED", **attempt("r_000000_0"), startTime=T0 + 3500),
    event(
        "REDUCE_ATTEMPT_FINISHED",
        **attempt("r_000000_0"),
        shuffleFinishTime=T0 + 5000,
        sortFinishTime=T0 + 5250,
        finishTime=T0 + 6000,
        hostname="other",
        port=99,
    ),
    event(
        "JOB_FINISHED",
        finishTime=T0 + 6100,
        totalCounters=counters(MAP_INPUT_RECORDS=7, SPILLED_RECORDS=3),
        mapCounters=counters(MAP_INPUT_RECORDS=7, SPILLED_RECORDS=2),
        reduceCounters=counters(SPILLED_RECORDS=1),
    ),
]


def text(events: list[str]) -> str:
    return "\n".join(["Avro-Json", '{"type":"record"}', *events, ""])


def test_phases_counters_and_failures() -> None:
    job = history.parse(text(EVENTS), {30: "n1", 31: "n2"})
    assert (job.id, job.name, job.status, job.maps, job.reduces) == (JOB, "words", "SUCCEEDED", 1, 1)
    assert (job.master_s, job.launched_s, job.finished_s) == (1.0, 2.0, 6.1)
    assert [(s.attempt, s.host, s.phase, s.start_s, s.end_s) for s in job.spans] == [
        ("m_000000_1", "n2", "map", 3.0, 4.0),
        ("r_000000_0", "other", "shuffle", 3.5, 5.0),
        ("r_000000_0", "other", "merge", 5.0, 5.25),
        ("r_000000_0", "other", "reduce", 5.25, 6.0),
    ]
    assert [(f.attempt, f.host, f.start_s, f.end_s, f.status, f.reason) for f in job.failures] == [
        ("m_000000_0", "n1", 2.5, 2.7, "FAILED", "no memory")
    ]
    assert job.counter("TaskCounter", "SPILLED_RECORDS") == 3
    assert job.counter("Count", "MAP_INPUT_RECORDS") == 7
    with pytest.raises(KvasirError, match=r"has no counter TaskCounter\.NONE"):
        job.counter("TaskCounter", "NONE")


def test_rows_of_tasks(tmp_path: Path) -> None:
    job = history.parse(text(EVENTS), {30: "n1", 31: "n2"})
    write_rows(tasks.TaskRow, tasks.of_jobs([job], T0 / 1000 - 10), tmp_path / "tasks.csv")
    assert (tmp_path / "tasks.csv").read_text().splitlines() == [
        "job,task,attempt,host,kind,phase,start_s,end_s,status",
        f"{JOB},m_000000,0,n1,map,attempt,12.5,12.7,FAILED",
        f"{JOB},m_000000,1,n2,map,map,13.0,14.0,SUCCEEDED",
        f"{JOB},r_000000,0,other,reduce,shuffle,13.5,15.0,SUCCEEDED",
        f"{JOB},r_000000,0,other,reduce,merge,15.0,15.25,SUCCEEDED",
        f"{JOB},r_000000,0,other,reduce,reduce,15.25,16.0,SUCCEEDED",
    ]


def test_rows_of_counters(tmp_path: Path) -> None:
    job = history.parse(text(EVENTS), {})
    write_rows(job_counters.CounterRow, job_counters.of_jobs([job]), tmp_path / "counters.csv")
    assert (tmp_path / "counters.csv").read_text().splitlines() == [
        "job,job_name,kind,counter_group,counter,value",
        f"{JOB},words,all,Count,MAP_INPUT_RECORDS,7",
        f"{JOB},words,all,TaskCounter,MAP_INPUT_RECORDS,7",
        f"{JOB},words,all,TaskCounter,SPILLED_RECORDS,3",
        f"{JOB},words,map,Count,MAP_INPUT_RECORDS,7",
        f"{JOB},words,map,TaskCounter,MAP_INPUT_RECORDS,7",
        f"{JOB},words,map,TaskCounter,SPILLED_RECORDS,2",
        f"{JOB},words,reduce,Count,SPILLED_RECORDS,1",
        f"{JOB},words,reduce,TaskCounter,SPILLED_RECORDS,1",
    ]


def test_groups_of_one_short_name_are_all_kept() -> None:
    found = counters(SPILLED_RECORDS=3)
    found["groups"].append({**found["groups"][1], "name": "other.Count"})
    job = history.parse(
        text([*EVENTS[:-1], event("JOB_FINISHED", finishTime=T0 + 6100, totalCounters=found)]), {}
    )
    assert sorted(job.counters) == ["Count", "TaskCounter", "other.Count"]


def test_a_job_that_failed() -> None:
    end = event("JOB_FAILED", finishTime=T0 + 900, jobStatus="FAILED", diagnostics={"string": "bad input"})
    job = history.parse(text([*EVENTS[:2], end]), {})
    assert (job.status, job.reason, job.launched_s, job.counters) == ("FAILED", "bad input", 0.9, {})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "no job history"),
        ("Obj\x01", "no job history"),
        (text(EVENTS[:-1]), "no complete job history"),
        (text(["{"]), "cannot read the event"),
        (text(['{"type": "A", "event": 1}']), "cannot read the event"),
        (text(['{"type": "JOB_SUBMITTED", "event": {"x": 3}}']), "has not the form that Hadoop writes"),
    ],
)
def test_what_is_no_history_is_refused(content: str, complaint: str) -> None:
    with pytest.raises(KvasirError, match=complaint):
        history.parse(content, {})


def test_jobs_of_a_program_in_their_order() -> None:
    output = (
        "x: Submitting tokens for job: job_17_0002\ny job_17_0009\nSubmitting tokens for job: job_17_0001\n"
    )
    assert job_ids(output + output) == ["job_17_0002", "job_17_0001"]


def test_generic_options() -> None:
    assert generic_options({"a": 1, "b": "x y"}) == ["-D", "a=1", "-D", "b=x y"]


def test_rows_of_stages_are_seconds_and_bytes_of_maps_that_ended_well(tmp_path: Path) -> None:
    job = history.parse(text(EVENTS), {30: "n1", 31: "n2"})
    write_rows(stages.StageRow, stages.of_jobs([job]), tmp_path / "stages.csv")
    assert (tmp_path / "stages.csv").read_text().splitlines() == [
        "job,task,host,stage,value,unit",
        f"{JOB},m_000000,n2,output,1000.0,B",
        f"{JOB},m_000000,n2,spill,0.25,s",
    ]


def test_a_job_whose_maps_have_no_stages_has_none() -> None:
    plain = [line.replace("kvasir.nvm.StageCount", "kvasir.Other") for line in EVENTS]
    assert not history.parse(text(plain), {30: "n1", 31: "n2"}).stages
