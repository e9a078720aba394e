"""Event logs of Spark: a recorded one as Hadoop's form has it, and what is none or is cut is one clear message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.hadoop.history import JobHistory
from harness.hadoop.spark_history import Driver, application_of, configuration, parse
from harness.measure import counters as job_counters
from harness.measure import tasks

RECORDED = Path(__file__).with_name("spark_events.txt").read_text(encoding="utf-8").splitlines(keepends=True)
"""PageRank of 455 vertices with two iterations, on an executor of two cores on each of two workers."""
HOSTS = {30853: "worker1", 30873: "worker2"}
DRIVER = Driver(("application_1795731898625_0001",), 1795731923000, {"1": 1795731931000, "2": 1795731930500})


def changed(change: Callable[[str, dict[str, Any]], None]) -> list[str]:
    """The recorded log after `change` of each event, which is given its name."""
    events = [json.loads(line) for line in RECORDED]
    for event in events:
        change(event["Event"].removeprefix("SparkListener"), event)
    return [json.dumps(event) for event in events]


@pytest.fixture
def jobs() -> list[JobHistory]:
    return parse(RECORDED, HOSTS, DRIVER)


def test_each_job_of_the_program_is_a_job(jobs: list[JobHistory]) -> None:
    names = ["pagerank: targets", "pagerank: iteration 1", "pagerank: iteration 2"]
    assert [job.name for job in jobs] == names
    assert [(job.maps, job.reduces, job.status, job.failures) for job in jobs] == [
        (2, 2, "SUCCEEDED", [])
    ] * 3
    assert [job.id for job in jobs] == [f"application_1795731898625_0001_job_{i}" for i in range(3)]
    assert {application_of(job.id) for job in jobs} == {"application_1795731898625_0001"}


def test_the_first_job_came_with_the_program(jobs: list[JobHistory]) -> None:
    first, second, _ = jobs
    assert first.submitted_ms == DRIVER.submitted_ms
    assert (first.master_s, first.first_task_s, first.finished_s) == (5.047, 7.5, 12.801)
    assert first.launched_s == first.first_task_s
    assert (second.submitted_ms, second.master_s, second.launched_s) == (1795731935950, 0, 0)
    assert second.first_task_s == 0.012


def test_the_first_task_of_an_executor_begins_with_its_java(jobs: list[JobHistory]) -> None:
    spans = [(s.attempt, s.host, s.phase, s.start_s, s.end_s) for s in jobs[0].spans]
    assert spans[:4] == [
        ("m_000001_0", "worker2", "map", 7.5, 12.025),
        ("m_000000_0", "worker1", "map", 8.0, 12.39),
        ("r_000000_0", "worker1", "shuffle", 12.414, 12.446),
        ("r_000000_0", "worker1", "reduce", 12.446, 12.655),
    ]


def test_an_executor_that_waited_for_the_job_is_none_of_its_time() -> None:
    def idle(kind: str, event: dict[str, Any]) -> None:
        if kind == "TaskEnd" and event["Stage ID"] < 3:
            event["Task Info"]["Executor ID"] = "2"

    first, second, _ = parse(changed(idle), HOSTS, DRIVER)
    assert first.first_task_s == 7.5
    assert second.first_task_s == 0.012


def test_without_the_drivers_words_all_begins_with_what_the_log_has() -> None:
    first, *_ = parse(RECORDED, {})
    assert first.submitted_ms == 1795731921330
    assert first.first_task_s == 12.661
    assert {span.host for span in first.spans} == {"n1", "n2"}


def test_what_a_driver_says() -> None:
    output = (
        "26/11/26 22:01:00 INFO YarnClientImpl: Submitted application application_17_0002\n"
        "26/11/26 22:01:01 INFO Client: \n\t queue: root.default\n\t start time: 1795730460068\n"
        "executor 1 began at 1795730466000\nexecutor 2 began at 1795730466100\n"
        "\t start time: 1795730460068\n"
    )
    executors = {"1": 1795730466000, "2": 1795730466100}
    assert Driver.of(output) == Driver(("application_17_0002",), 1795730460068, executors)
    assert Driver.of("nothing") == Driver()


def test_counters_that_mean_the_same_have_hadoops_names(jobs: list[JobHistory]) -> None:
    first, second, third = jobs
    assert first.counter("TaskCounter", "MAP_INPUT_RECORDS") == 991
    assert first.counter("FileSystemCounter", "HDFS_BYTES_READ") == 7091
    for job in jobs:
        assert job.counter("TaskCounter", "REDUCE_SHUFFLE_BYTES") == job.counter(
            "TaskCounter", "MAP_OUTPUT_MATERIALIZED_BYTES"
        )
    # What lies in memory is not read from HDFS again, though Spark counts it as input.
    assert second.counter("FileSystemCounter", "HDFS_BYTES_READ") == 0
    assert second.counter("InputMetrics", "Bytes Read") > 0
    assert third.counter("FileSystemCounter", "HDFS_BYTES_WRITTEN") == 11459
    assert third.counter("TaskCounter", "REDUCE_OUTPUT_RECORDS") == 455
    # Spark's own keep their names.
    assert first.counter("ShuffleReadMetrics", "Remote Blocks Fetched") > 0
    assert first.counter("TaskMetrics", "Executor CPU Time") > 0
    assert not [name for name in first.counters["TaskMetrics"] if name.startswith("Peak")]


def test_what_the_program_counts(jobs: list[JobHistory]) -> None:
    assert jobs[0].counter("Count", "VERTICES") == 455
    assert jobs[0].counter("Count", "SINKS") == 113
    assert "Count" not in jobs[1].counters


def test_rows_of_tasks_and_counters(jobs: list[JobHistory]) -> None:
    rows = tasks.of_jobs(jobs, jobs[0].submitted_ms / 1000)
    assert [(row.task, row.kind, row.phase) for row in rows[:3]] == [
        ("m_000001", "map", "map"),
        ("m_000000", "map", "map"),
        ("r_000001", "reduce", "shuffle"),
    ]
    assert {row.kind for row in job_counters.of_jobs(jobs)} == {"all", "map", "reduce"}


def test_a_task_that_failed_is_tried_again() -> None:
    events = [json.loads(line) for line in RECORDED]
    at = next(i for i, event in enumerate(events) if event["Event"].endswith("TaskEnd"))
    lost = json.loads(RECORDED[at])
    lost["Task End Reason"] = {"Reason": "ExceptionFailure", "Description": "no memory"}
    lost["Task Info"]["Task ID"] = 100
    events.insert(at, lost)
    first, *_ = parse(map(json.dumps, events), HOSTS, DRIVER)
    (failure,) = first.failures
    assert (failure.attempt, failure.status, failure.reason) == ("m_000001_0", "FAILED", "no memory")
    assert "m_000001_1" in [span.attempt for span in first.spans]
    assert first.maps == 2


def test_a_task_that_was_killed_and_the_job_with_it() -> None:
    def killed(kind: str, event: dict[str, Any]) -> None:
        if kind == "TaskEnd" and event["Task Info"]["Task ID"] == 11:
            event["Task End Reason"] = {"Reason": "TaskKilled", "Kill Reason": "Stage cancelled"}
            event["Task Info"]["Killed"] = True
        if kind == "JobEnd" and event["Job ID"] == 2:
            event["Job Result"] = {
                "Result": "JobFailed",
                "Exception": {"Message": "cancelled", "Stack Trace": []},
            }

    *_, last = parse(changed(killed), HOSTS, DRIVER)
    assert (last.status, last.reason) == ("FAILED", "cancelled")
    assert [(f.attempt, f.status, f.reason) for f in last.failures] == [
        ("r_000000_0", "KILLED", "Stage cancelled")
    ]


def test_the_properties_that_it_ran_with() -> None:
    found = configuration(RECORDED)
    assert (found["dfs.blocksize"], found["spark.executor.cores"]) == ("4194304", "2")
    with pytest.raises(KvasirError, match="the program's configuration is missing"):
        configuration(line for line in RECORDED if "EnvironmentUpdate" not in line)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "the end of the program is missing"),
        (["Avro-Json"], "cannot read the event 'Avro-Json'"),
        (["[]"], r"cannot read the event '\[\]'"),
        (['{"Event": 3}'], "cannot read the event"),
        (['{"Event": "SparkListenerJobEnd"}'], "no complete Spark event log: 'Job ID' is missing"),
        (['{"Event": "SparkListenerStageSubmitted", "Stage Info": 3}'], "has not the form that Spark writes"),
    ],
)
def test_what_is_no_log_is_refused(lines: list[str], said: str) -> None:
    with pytest.raises(KvasirError, match=said):
        parse(lines, HOSTS)


WHOLE = "".join(RECORDED)


@given(st.integers(0, len(WHOLE) - 2))
@example(WHOLE.rindex("\n", 0, -1) + 1)
def test_a_log_that_is_cut_is_refused(end: int) -> None:
    with pytest.raises(KvasirError, match=r"no (complete )?Spark event log"):
        parse(WHOLE[:end].splitlines(), HOSTS)


@given(st.integers(0, len(WHOLE) - 1), st.characters(codec="ascii"))
def test_a_damaged_log_is_read_or_refused(at: int, other: str) -> None:
    try:
        parse((WHOLE[:at] + other + WHOLE[at + 1 :]).splitlines(), HOSTS, DRIVER)
    except KvasirError as error:
        assert "Spark event log" in str(error)


@given(st.integers(0, len(RECORDED) - 1))
def test_a_log_without_one_event_is_read_or_refused(which: int) -> None:
    try:
        parse([*RECORDED[:which], *RECORDED[which + 1 :]], HOSTS, DRIVER)
    except KvasirError as error:
        assert "Spark event log" in str(error)
