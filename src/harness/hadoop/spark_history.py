"""Parses the event log of a Spark program, JSON in lines, into the form of Hadoop's job histories. Pure functions.

Each job of the program is a job here. Tasks of stages that read no shuffle are map tasks, all others reduce tasks,
numbered through over the stages of a job. The first task of an executor begins with the executor's Java, as tasks of
Hadoop do. A reduce task shuffles for as long as it waits for blocks that it fetches, which it does while it works;
Spark tells no more. Counters that mean the same as Hadoop's get their names and groups, all others keep Spark's. What
a program counts in an accumulator named `Group.NAME` is that counter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.core.errors import KvasirError
from harness.hadoop.history import Counters, Failure, JobHistory, Phase, Span, added, reading

Kind = Literal["map", "reduce"]
TASKS, FILES = "TaskCounter", "FileSystemCounter"
GROUPS = ("Shuffle Read Metrics", "Shuffle Write Metrics", "Input Metrics", "Output Metrics")
"""Parts of a task's metrics; what lies deeper is of shuffles that tasks push, which is off."""
WHY = ("Description", "Message", "Kill Reason", "Loss Reason")
"""Where the ends of tasks have their reasons, by their kinds."""
PEAKS = "Peak "
"""What the names begin with of numbers that have no sum."""


def job_id(application: str, number: int) -> str:
    """Return what tables call a job of a program."""
    return f"{application}_job_{number}"


def application_of(job: str) -> str:
    """Return the program of a job that tables name: so its event log is called."""
    return job.rpartition("_job_")[0]


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            known = isinstance(found["Event"], str)
        except (ValueError, LookupError, TypeError):
            known = False
        if not known:
            raise KvasirError(f"no Spark event log: cannot read the event {line[:100]!r}")
        yield found


@dataclass
class _Stage:
    """What is known of a stage, and its tasks that have ended."""

    info: dict[str, Any]
    job: int
    kept: bool
    """Whether it reads what an earlier stage has kept in memory."""
    ends: list[dict[str, Any]] = field(default_factory=list)

    @property
    def good(self) -> list[dict[str, Any]]:
        """Metrics of the tasks that ended well."""
        return [end["Task Metrics"] for end in self.ends if end["Task End Reason"]["Reason"] == "Success"]

    @property
    def kind(self) -> Kind:
        fetched = sum(
            task["Shuffle Read Metrics"][f"{where} Blocks Fetched"]
            for task in self.good
            for where in ("Remote", "Local")
        )
        # Parents may have run long before, for what is kept in memory now.
        empty = self.info["Parent IDs"] and not sum(task["Input Metrics"]["Bytes Read"] for task in self.good)
        return "reduce" if fetched or empty else "map"

    def counters(self) -> Counters:
        found: Counters = {}
        for task in self.good:
            for part in ("", *GROUPS):
                group = found.setdefault(part.replace(" ", "") or "TaskMetrics", {})
                for name, value in (task[part] if part else task).items():
                    if isinstance(value, int) and not name.startswith(PEAKS):
                        group[name] = group.get(name, 0) + value
        return added(found, self._as_hadoop(found)) if found else found

    def _as_hadoop(self, own: Counters) -> Counters:
        """What Hadoop has a name for."""
        read, written = own["InputMetrics"], own["OutputMetrics"]
        fetched, put = own["ShuffleReadMetrics"], own["ShuffleWriteMetrics"]
        files = {"HDFS_BYTES_READ": 0 if self.kept else read["Bytes Read"]}
        files["HDFS_BYTES_WRITTEN"] = written["Bytes Written"]
        if self.kind == "reduce":
            shuffled = fetched["Remote Bytes Read"] + fetched["Local Bytes Read"]
            tasks = {
                "REDUCE_SHUFFLE_BYTES": shuffled,
                "REDUCE_INPUT_RECORDS": fetched["Total Records Read"],
                "REDUCE_OUTPUT_RECORDS": written["Records Written"],
            }
        else:
            tasks = {
                "MAP_INPUT_RECORDS": read["Records Read"],
                "MAP_OUTPUT_MATERIALIZED_BYTES": put["Shuffle Bytes Written"],
            }
        return {FILES: files, TASKS: tasks}


@dataclass(frozen=True)
class Driver:
    """Holds what a driver prints and its event log does not have. Milliseconds since 1970."""

    applications: tuple[str, ...] = ()
    """Those that it submitted."""
    submitted_ms: int | None = None
    """When the ResourceManager got the application; by default when the driver began."""
    executors_ms: Mapping[str, int] = field(default_factory=dict)
    """When the Java of each executor began; by default with its first task."""

    @classmethod
    def of(cls, output: str) -> Driver:
        """Read what a driver printed."""
        submitted = re.search(r"^\s+start time: (\d+)$", output, re.MULTILINE)
        began = re.findall(r"^executor (\S+) began at (\d+)$", output, re.MULTILINE)
        applications = re.findall(r"Submitted application (application_\d+_\d+)", output)
        return cls(
            tuple(dict.fromkeys(applications)),
            int(submitted[1]) if submitted else None,
            {executor: int(at) for executor, at in began},
        )


class _Reader:
    """Collects the events of one program."""

    def __init__(self, hosts: Mapping[int, str], driver: Driver) -> None:
        self.hosts = hosts
        self.driver = driver
        self.master_ms: int | None = None
        self.first: dict[str, tuple[int, int]] = {}
        """When each executor got its first task, and that task."""
        self.executors: dict[str, str] = {}
        """Hosts of executors."""
        self.application: dict[str, Any] = {}
        self.jobs: dict[int, dict[str, Any]] = {}
        self.stages: dict[int, _Stage] = {}
        self.kept: set[int] = set()
        """RDDs that stages have kept in memory."""
        self.counted: dict[int, Counters] = {}
        """What the program counted, by job."""
        self.ended = False

    def take(self, event: dict[str, Any]) -> None:
        kind = event["Event"].rpartition(".")[2].removeprefix("SparkListener")
        if kind == "ApplicationStart":
            self.application = event
        elif kind == "MiscellaneousProcessAdded" and event["processId"] == "yarn-am":
            self.master_ms = int(event["time"])
        elif kind == "ExecutorAdded":
            info = event["Executor Info"]
            port = int(info["Attributes"].get("NM_PORT") or -1)
            self.executors[event["Executor ID"]] = self.hosts.get(port, info["Host"])
        elif kind == "JobStart":
            self.jobs[event["Job ID"]] = event
        elif kind == "JobEnd":
            self.jobs[event["Job ID"]] |= {"end": event}
        elif kind == "StageSubmitted":
            self.stage(event["Stage Info"])
        elif kind == "TaskEnd":
            self.stages[event["Stage ID"]].ends.append(event)
            info = event["Task Info"]
            task = int(info["Launch Time"]), int(info["Task ID"])
            self.first[info["Executor ID"]] = min(self.first.get(info["Executor ID"], task), task)
        elif kind == "StageCompleted":
            self.count(event["Stage Info"])
        elif kind == "ApplicationEnd":
            self.ended = True

    def stage(self, info: dict[str, Any]) -> None:
        number = info["Stage ID"]
        if number in self.stages:
            return  # another attempt at it
        keeps = {rdd["RDD ID"] for rdd in info["RDD Info"] if rdd["Storage Level"]["Use Memory"]}
        # Jobs run one after another.
        self.stages[number] = _Stage(info, max(self.jobs), bool(keeps & self.kept))
        self.kept |= keeps

    def count(self, info: dict[str, Any]) -> None:
        for found in info["Accumulables"]:
            group, dot, name = str(found.get("Name", "")).partition(".")
            if dot and not found["Internal"]:
                job = self.stages[info["Stage ID"]].job
                self.counted[job] = added(self.counted.get(job, {}), {group: {name: int(found["Value"])}})

    def histories(self) -> list[JobHistory]:
        if not self.ended:
            raise KvasirError("no complete Spark event log: the end of the program is missing")
        return [self.history(number) for number in sorted(self.jobs)]

    def history(self, number: int) -> JobHistory:
        job = self.jobs[number]
        began, ended = int(job["Submission Time"]), job["end"]
        # The first job came to YARN with the program; the others find it running.
        first = number == min(self.jobs)
        came = self.driver.submitted_ms or int(self.application["Timestamp"])
        zero = min(came, began) if first else began
        result = ended["Job Result"]
        counters: dict[Kind, Counters] = {"map": {}, "reduce": {}}
        spans: list[Span] = []
        failures: list[Failure] = []
        tasks: dict[Kind, int] = {"map": 0, "reduce": 0}
        for stage in (stage for stage in self.stages.values() if stage.job == number):
            kind = stage.kind
            counters[kind] = added(counters[kind], stage.counters())
            self.attempts(stage, tasks[kind], zero, spans, failures)
            tasks[kind] += stage.info["Number of Tasks"]
        own = self.counted.get(number, {})
        # Executors are asked for before there is a job.
        launched = min([_seconds(began, zero), *(span.start_s for span in spans)])
        good = result["Result"] == "JobSucceeded"
        return JobHistory(
            id=job_id(self.application["App ID"], number),
            name=str(job["Properties"].get("spark.job.description") or self.application["App Name"]),
            status="SUCCEEDED" if good else "FAILED",
            reason="" if good else str(result.get("Exception", {}).get("Message", ""))[:2000],
            submitted_ms=zero,
            master_s=_seconds(max(self.master_ms or zero, zero), zero) if first else 0.0,
            launched_s=launched,
            finished_s=_seconds(ended["Completion Time"], zero),
            maps=tasks["map"],
            reduces=tasks["reduce"],
            counters=added(added(counters["map"], counters["reduce"]), own),
            map_counters=counters["map"],
            reduce_counters=counters["reduce"],
            spans=spans,
            failures=failures,
        )

    def attempts(
        self, stage: _Stage, before: int, zero: int, spans: list[Span], failures: list[Failure]
    ) -> None:
        """Add the attempts of a stage's tasks, which are numbered from `before` on."""
        tries: dict[int, int] = {}
        kind = stage.kind
        for end in stage.ends:
            info, reason = end["Task Info"], end["Task End Reason"]
            index = int(info["Index"])
            attempt = tries[index] = tries.get(index, -1) + 1
            name = f"{kind[0]}_{before + index:06d}_{attempt}"
            host = self.executors.get(info["Executor ID"], info["Host"])
            start, finish = _seconds(self.begin(info, zero), zero), _seconds(info["Finish Time"], zero)
            if reason["Reason"] == "Success":
                for phase, since, until in _phases(kind, start, finish, end["Task Metrics"]):
                    spans.append(Span(attempt=name, host=host, phase=phase, start_s=since, end_s=until))
                continue
            said = next((str(reason[key]) for key in WHY if reason.get(key)), reason["Reason"])
            failures.append(
                Failure(
                    attempt=name,
                    host=host,
                    start_s=start,
                    end_s=finish,
                    status="KILLED" if info["Killed"] else "FAILED",
                    reason=said[:500],
                )
            )

    def begin(self, info: Mapping[str, Any], zero: int) -> int:
        """Return when a task began: an executor's first one with its Java, if that was started for the task's job."""
        launched, executor = int(info["Launch Time"]), info["Executor ID"]
        began = self.driver.executors_ms.get(executor, launched)
        return began if self.first[executor][1] == info["Task ID"] and zero <= began < launched else launched


def _seconds(milliseconds: int, zero: int) -> float:
    return float(round((int(milliseconds) - zero) / 1000, 3))


def _phases(
    kind: Kind, start: float, end: float, metrics: Mapping[str, Any]
) -> list[tuple[Phase, float, float]]:
    if kind == "map":
        return [("map", start, end)]
    waited = metrics["Shuffle Read Metrics"]["Fetch Wait Time"] / 1000
    fetched = round(min(start + waited, end), 3)
    return [("shuffle", start, fetched), ("reduce", fetched, end)]


def parse(lines: Iterable[str], hosts: Mapping[int, str], driver: Driver | None = None) -> list[JobHistory]:
    """Read an event log, line after line, with what the driver said; `hosts` names hosts by their NodeManager's port.

    Raises KvasirError when it is no such log or is not complete.
    """
    reader = _Reader(hosts, driver or Driver())
    with reading("Spark event log", "Spark"):
        for event in _events(lines):
            reader.take(event)
        return reader.histories()


def configuration(lines: Iterable[str]) -> dict[str, str]:
    """Return the properties that a program ran with, Hadoop's and Spark's. Raises KvasirError when the log has none."""
    for event in _events(lines):
        if event["Event"] == "SparkListenerEnvironmentUpdate":
            parts = [event.get(part) for part in ("Hadoop Properties", "Spark Properties")]
            return {
                str(name): str(value)
                for part in parts
                if isinstance(part, dict)
                for name, value in part.items()
            }
    raise KvasirError("no complete Spark event log: the program's configuration is missing")
