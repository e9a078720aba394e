"""Histories of Tez: a recorded one as Hadoop's form has it, and what is none or is cut is one clear message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.core.errors import KvasirError
from harness.hadoop.history import JobHistory
from harness.hadoop.tez_history import SEPARATOR, configuration, parse, prefix
from harness.measure import counters as job_counters
from harness.measure import tasks

RECORDED = Path(__file__).with_name("tez_history.txt").read_text(encoding="utf-8")
"""TeraSort of 6 MB on two workers: two maps and two reduces, all of them in two containers of one worker."""
HOSTS = {21373: "worker1", 21393: "worker2"}
ATTEMPT = "attempt_1795_0003_1_00_000000_0"


def changed(change: Callable[[str, dict[str, Any]], None]) -> str:
    """The recorded history after `change` of each record, which is given the record's event."""
    records = [json.loads(record) for record in RECORDED.split(SEPARATOR) if record]
    for record in records:
        change(record.get("events", [{"eventtype": "APP_LAUNCHED"}])[0]["eventtype"], record)
    return "".join(json.dumps(record) + SEPARATOR for record in records)


@pytest.fixture
def job() -> JobHistory:
    return parse(RECORDED, HOSTS)


def test_the_job(job: JobHistory) -> None:
    assert (job.id, job.name, job.status, job.reason) == ("job_1795_0003", "TeraSort", "SUCCEEDED", "")
    assert (job.maps, job.reduces, job.failures, job.stages) == (2, 2, [], [])
    assert job.submitted_ms == 1795720170051
    assert (job.master_s, job.launched_s, job.finished_s) == (1.332, 2.481, 7.905)


def test_a_files_name_says_which_job_it_is_of() -> None:
    assert "history.txt.appattempt_1795_0003_000001".startswith(prefix("job_1795_0003"))


def test_the_first_attempt_in_a_container_begins_with_its_launch(job: JobHistory) -> None:
    spans = [(s.attempt, s.host, s.phase, s.start_s, s.end_s) for s in job.spans]
    assert spans[:1] == [("m_000000_0", "worker2", "map", 4.37, 6.867)]
    # The reduce took over its container, and counts its phases from where it runs.
    assert spans[2:5] == [
        ("r_000000_0", "worker2", "shuffle", 7.021, 7.168),
        ("r_000000_0", "worker2", "merge", 7.168, 7.172),
        ("r_000000_0", "worker2", "reduce", 7.172, 7.758),
    ]
    assert job.first_task_s == 4.36


def test_counters_that_mean_the_same_have_hadoops_names(job: JobHistory) -> None:
    for name in ("MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS"):
        assert job.counter("TaskCounter", name) == 62_914, name
    assert job.counter("TaskCounter", "MAP_OUTPUT_BYTES") == 6_417_228
    assert job.counter("TaskCounter", "REDUCE_SHUFFLE_BYTES") == 6_543_096
    assert job.counter("TaskCounter", "SPILLED_RECORDS") == 2 * 62_914
    assert job.counter("FileSystemCounter", "HDFS_BYTES_WRITTEN") == 6_291_400
    # Tez's own keep their names.
    assert job.counter("DAGCounter", "TOTAL_CONTAINER_REUSE_COUNT") == 2
    assert job.counter("TaskCounter", "SHUFFLE_BYTES_DISK_DIRECT") == 6_543_096


def test_what_combiners_count_joins_the_tasks_counters() -> None:
    def combined(event: str, record: dict[str, Any]) -> None:
        if event == "VERTEX_FINISHED" and record["entity"].endswith("_00"):
            own = {"counterName": "COMBINE_INPUT_RECORDS", "counterValue": 7}
            group = {"counterGroupName": "org.apache.hadoop.mapreduce.TaskCounter", "counters": [own]}
            record["otherinfo"]["counters"]["counterGroups"].append(group)

    found = parse(changed(combined), HOSTS).map_counters["TaskCounter"]
    assert (found["COMBINE_INPUT_RECORDS"], found["MAP_OUTPUT_RECORDS"]) == (7, 62_914)


def test_rows_of_tasks_and_counters(job: JobHistory) -> None:
    rows = tasks.of_jobs([job], job.submitted_ms / 1000)
    assert [(row.task, row.kind, row.phase) for row in rows[:3]] == [
        ("m_000001", "map", "map"),
        ("m_000000", "map", "map"),
        ("r_000000", "reduce", "shuffle"),
    ]
    assert {row.kind for row in job_counters.of_jobs([job])} == {"all", "map", "reduce"}


def test_an_attempt_that_failed_and_the_job_with_it() -> None:
    def failed(event: str, record: dict[str, Any]) -> None:
        if record["entity"] == ATTEMPT and event == "TASK_ATTEMPT_FINISHED":
            record["otherinfo"] |= {"status": "FAILED", "diagnostics": "no memory"}
        if event == "DAG_FINISHED":
            record["otherinfo"] |= {"status": "FAILED", "diagnostics": "Vertex failed"}

    found = parse(changed(failed), HOSTS)
    assert (found.status, found.reason) == ("FAILED", "Vertex failed")
    (lost,) = found.failures
    assert (lost.attempt, lost.host, lost.status, lost.reason) == (
        "m_000000_0",
        "worker2",
        "FAILED",
        "no memory",
    )


def test_an_attempt_that_was_killed_before_it_ran() -> None:
    def killed(event: str, record: dict[str, Any]) -> None:
        if record["entity"] == ATTEMPT:
            if event == "TASK_ATTEMPT_STARTED":
                record["events"] = []
            else:
                record["otherinfo"]["status"] = "KILLED"

    (lost,) = parse(changed(killed), HOSTS).failures
    assert (lost.status, lost.host, lost.start_s) == ("KILLED", "", lost.end_s)


def test_the_properties_that_it_ran_with() -> None:
    assert configuration(RECORDED)["mapreduce.task.io.sort.mb"] == "16"
    with pytest.raises(KvasirError, match="the job's configuration is missing"):
        configuration(SEPARATOR.join(RECORDED.split(SEPARATOR)[1:]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it ends with ''"),
        ("Avro-Json\n", "expected the end of a record"),
        (f"[]{SEPARATOR}", r"expected an object, found '\[\]'"),
        (f"{{{SEPARATOR}", "cannot read the record '{'"),
        (f"{{}}{SEPARATOR}", "no complete Tez history: 'entity' is missing"),
        (f'{{"entity": "a", "events": 3}}{SEPARATOR}', "has not the form that Tez writes"),
    ],
)
def test_what_is_no_history_is_refused(text: str, said: str) -> None:
    with pytest.raises(KvasirError, match=said):
        parse(text, HOSTS)


ENDS = [at for at in range(len(RECORDED)) if RECORDED.startswith(SEPARATOR, at)]


@given(st.integers(0, len(RECORDED) - 1))
@example(ENDS[-2] + len(SEPARATOR))
def test_a_history_that_is_cut_is_refused(end: int) -> None:
    with pytest.raises(KvasirError, match=r"no (complete )?Tez history"):
        parse(RECORDED[:end], HOSTS)


@given(st.integers(0, len(RECORDED) - 1), st.characters(codec="ascii"))
@example(982, "E")
def test_a_damaged_history_is_read_or_refused(at: int, other: str) -> None:
    try:
        parse(RECORDED[:at] + other + RECORDED[at + 1 :], HOSTS)
    except KvasirError as error:
        assert "Tez history" in str(error)


@given(st.integers(0, len(ENDS) - 1))
def test_a_history_without_one_record_is_read_or_refused(which: int) -> None:
    records = RECORDED.split(SEPARATOR)
    try:
        parse(SEPARATOR.join([*records[:which], *records[which + 1 :]]), HOSTS)
    except KvasirError as error:
        assert "Tez history" in str(error)
