"""What a run says of its conditions: parts of its time, its input, and what its jobs were configured with."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cells import conditions
from harness.cells.measure import storage, times
from harness.core.errors import KvasirError
from harness.hadoop.hdfs import Hdfs
from harness.hadoop.history import JobHistory, Span
from harness.hadoop.jobs import JobResult

SUBMITTED = 1_000.0


def job(submitted: float, first: float, finished: float, **counters: dict[str, int]) -> JobHistory:
    spans = [
        Span(attempt="m_000001_0", host="n1", phase="map", start_s=first + 2, end_s=finished),
        Span(attempt="m_000000_0", host="n2", phase="map", start_s=first, end_s=finished - 1),
    ]
    return JobHistory(
        id="job_1_0001", name="sort", status="SUCCEEDED", reason="", submitted_ms=round(submitted * 1000),
        master_s=1, launched_s=2, finished_s=finished, maps=6, reduces=2, counters=counters, spans=spans, failures=[],
    )  # fmt: skip


def result(jobs: list[JobHistory], seconds: float, own: float | None = None) -> JobResult:
    return JobResult(seconds=seconds, output="", jobs=jobs, disturbed=[], own_work_s=own)


def named(metrics: list[Any]) -> dict[str, Any]:
    return {metric.name: metric.value for metric in metrics}


def test_work_begins_with_the_first_task_and_the_parts_are_the_whole() -> None:
    two = [job(SUBMITTED + 4, 3, 10), job(SUBMITTED + 20, 5, 8)]
    found = named(times(result(two, 30.0), SUBMITTED))
    assert found == pytest.approx(
        {"time.total": 30, "time.startup": 7, "time.work": 7 + 3, "time.between": 13}
    ), "the second job's start-up is between"


def test_a_program_without_jobs_starts_until_its_own_work() -> None:
    found = named(times(result([], 2.0, 1.5), SUBMITTED))
    assert found == {"time.total": 2, "time.work": 1.5, "time.startup": 0.5, "time.between": 0}


def test_parts_of_a_time_are_never_negative_whatever_the_clocks() -> None:
    found = named(times(result([job(SUBMITTED - 60, 3, 10)], 9.0), SUBMITTED))
    assert (found["time.startup"], found["time.between"]) == (0, 2)
    found = named(times(result([job(SUBMITTED + 60, 3, 10)], 9.0), SUBMITTED))
    assert (found["time.startup"], found["time.between"]) == (2, 0)


def test_properties_are_those_of_the_job_and_others_are_left_out() -> None:
    found = conditions.configured(
        {
            "dfs.blocksize": "4194304",
            "dfs.replication": "3",
            "mapreduce.job.reduces": "4",
            "mapreduce.map.java.opts": "-Xmx300m -XX:+UseSerialGC -cp /a.jar",
            "mapreduce.reduce.java.opts": "-server",
        }
    )
    assert named(found) == {
        "conf.block": 4194304, "conf.replication": 3, "conf.reduces": 4, "conf.map_heap": 300,
    }  # fmt: skip
    assert {metric.source for metric in found} == {"measured:job.xml"}


def test_bytes_are_those_of_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "job_configuration", lambda *_: {})
    monkeypatch.setattr(conditions, "fingerprint", lambda *_: 7)
    cell: Any = SimpleNamespace(
        cluster=SimpleNamespace(layout=None, parameters=None, hadoop=None, plugins=()),
        once=lambda _, make: make(),
    )
    both = [
        job(0, 1, 2, TaskCounter={"REDUCE_SHUFFLE_BYTES": 40}, FileSystemCounter={"HDFS_BYTES_READ": 50}),
        job(0, 1, 2, TaskCounter={"REDUCE_SHUFFLE_BYTES": 2}),
    ]
    found = named(conditions.hadoop_facts(cell, result(both, 5)))
    assert (found["jobs"], found["maps"], found["reduces"], found["conf.digest"]) == (2, 12, 4, 7)
    assert (found["shuffle.bytes"], found["hdfs.read"], found["hdfs.written"]) == (42, 50, 0)


def test_delays_of_an_emulated_device_are_those_of_all_jobs_that_have_one() -> None:
    counts = {"WRITTEN_BYTES": 500, "WRITE_ASKED_NS": 3_000_000_000, "WRITE_GOT_NS": 3_030_000_000}
    jobs = [job(0, 1, 2), *(job(0, 1, 2, NvmCount={**counts, "DRAM_PS_PER_BYTE": ps}) for ps in (600, 1200))]
    found = conditions.device(result(jobs, 5), {})
    assert named(found) == pytest.approx({
        "nvm.written": 1000, "nvm.read": 0, "nvm.write.asked": 6, "nvm.write.got": 6.06, "nvm.read.asked": 0,
        "nvm.read.got": 0, "nvm.dram": 1.8 / 12,
    })  # fmt: skip
    assert {(metric.name, metric.unit) for metric in found} >= {("nvm.read.got", "s"), ("nvm.dram", "ns/B")}
    assert {metric.source for metric in found} == {"measured:history"}
    assert conditions.device(result(jobs[:1], 5), {}) == []


def test_time_of_dram_is_a_measurement_only_where_it_was_measured() -> None:
    def dram(picoseconds: int, **properties: str) -> tuple[float | None, str]:
        jobs = [job(0, 1, 2, NvmCount={"WRITTEN_BYTES": 5, "DRAM_PS_PER_BYTE": picoseconds})]
        [found] = [m for m in conditions.device(result(jobs, 5), properties) if m.name == "nvm.dram"]
        return found.value, found.source

    assert dram(600) == (pytest.approx(0.1), "measured:history")
    assert dram(600, **{conditions.GIVEN_DRAM: "0"}) == (pytest.approx(0.1), "measured:history")
    assert dram(600, **{conditions.GIVEN_DRAM: "100"}) == (pytest.approx(0.1), "measured:job.xml")
    assert dram(0) == (None, "none")


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("128m", 128 << 20), ("64M", 64 << 20), ("1k", 1024), ("4194304", 4194304), ("1.5", 1.5), ("", None), ("a", None)],
)  # fmt: skip
def test_numbers_are_read_as_hadoop_reads_them(text: str, bytes_: float | None) -> None:
    found = named(conditions.configured({"dfs.blocksize": text}))
    assert found == ({} if bytes_ is None else {"conf.block": bytes_})


LISTED = {
    "/input": [
        {"pathSuffix": "a", "type": "FILE", "length": 5, "blockSize": 8, "replication": 3, "modificationTime": 2000},
        {"pathSuffix": "more", "type": "DIRECTORY", "length": 0, "blockSize": 0, "modificationTime": 9},
    ],
    "/input/more": [
        {"pathSuffix": "b", "type": "FILE", "length": 6, "blockSize": 4, "replication": 2, "modificationTime": 3500}
    ],
}  # fmt: skip


def test_the_input_is_what_hdfs_holds_below_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    layout: Any = SimpleNamespace(master=SimpleNamespace(at=lambda _: "n0:1"))
    hdfs = Hdfs(SimpleNamespace(), layout)  # type: ignore[arg-type]
    monkeypatch.setattr(
        hdfs, "_json", lambda _, __, path: {"FileStatuses": {"FileStatus": LISTED.get(path, [])}}
    )
    cell: Any = SimpleNamespace(hdfs=hdfs)
    benchmark: Any = SimpleNamespace(input=lambda _: "/input")
    assert named(conditions.input_facts(benchmark, cell)) == {
        "input.files": 2, "input.bytes": 11, "input.block": 8, "input.replication": 2, "input.changed": 3.5,
    }  # fmt: skip
    assert conditions.input_facts(SimpleNamespace(input=lambda _: ""), cell) == []  # type: ignore[arg-type]
    with pytest.raises(KvasirError, match="/none: holds no files"):
        hdfs.stored("/none")


def test_names_of_the_metrics_are_those_that_the_module_promises() -> None:
    promised = Path(conditions.__file__).read_text(encoding="utf-8").split('"""')[1]
    names = {*conditions.BYTES, *conditions.PROPERTIES, *conditions.HEAPS, *conditions.DEVICE, "nvm.dram"}
    assert all(name in promised for name in names)


def test_bytes_of_daemons_are_summed_over_hosts_and_missing_ones_leave_no_number() -> None:
    before = {
        "datanode": {"n1": (1, 10), "n2": (2, 20)},
        "nodemanager": {"n1": (5, 5), "n2": (5, 5)},
        "namenode": {},
    }
    after = {"datanode": {"n1": (4, 11), "n2": (2, 40)}, "nodemanager": {"n1": (9, 9)}, "namenode": {}}
    found = {one.name: one for one in storage(before, after)}
    assert (found["storage.read.datanode"].value, found["storage.written.datanode"].value) == (3, 21)
    for kind in ("nodemanager", "namenode"):
        assert found[f"storage.read.{kind}"].value is None
        assert f"every {kind}" in found[f"storage.read.{kind}"].reason
    assert {one.unit for one in found.values()} == {"B"}
