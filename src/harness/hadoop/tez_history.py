"""Parses what Tez's SimpleHistoryLoggingService writes of a MapReduce job into the form of Hadoop's. Pure functions.

A record is JSON with a separator after it. The job is a graph of two vertices: map tasks are those of `initialmap`,
reduce tasks those of the other one. Counters that mean the same as Hadoop's get their names and groups, all others keep
Tez's. An attempt that a container was launched for begins with the launch, as in Hadoop's history, so that Java's start
is part of it; a later one in the same container begins when it runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from harness.core.errors import KvasirError
from harness.hadoop.history import Counters, Failure, JobHistory, Phase, Span, added, reading

FOLDER = "/history/tez"
"""Where the plug-in `tez` has the service write."""
SEPARATOR = "\x01\n"
MAP_VERTEX = "initialmap"
TASKS = "TaskCounter"
Kind = Literal["map", "reduce"]

SAME = {
    "NUM_SHUFFLED_INPUTS": "SHUFFLED_MAPS",
    "NUM_FAILED_SHUFFLE_INPUTS": "FAILED_SHUFFLE",
    "SHUFFLE_BYTES": "REDUCE_SHUFFLE_BYTES",
}
"""Hadoop's names of task counters, by Tez's."""
SAME_OF_MAPS = {
    **SAME,
    "INPUT_RECORDS_PROCESSED": "MAP_INPUT_RECORDS",
    "OUTPUT_RECORDS": "MAP_OUTPUT_RECORDS",
    "OUTPUT_BYTES": "MAP_OUTPUT_BYTES",
    "OUTPUT_BYTES_PHYSICAL": "MAP_OUTPUT_MATERIALIZED_BYTES",
}
SAME_OF_REDUCES = {**SAME, "OUTPUT_RECORDS": "REDUCE_OUTPUT_RECORDS"}


def prefix(job: str) -> str:
    """Return what the names of a job's files begin with: one a start of its application master, in their order."""
    return f"history.txt.{job.replace('job_', 'appattempt_')}_"


def _records(text: str) -> Iterator[dict[str, Any]]:
    *records, rest = text.split(SEPARATOR)
    if not records or rest:
        raise KvasirError(f"no Tez history: it ends with {text[-20:]!r}, expected the end of a record")
    for record in records:
        try:
            found = json.loads(record)
        except ValueError:
            raise KvasirError(f"no Tez history: cannot read the record {record[:100]!r}") from None
        if not isinstance(found, dict):
            raise KvasirError(f"no Tez history: expected an object, found {record[:100]!r}")
        yield found


def _counters(found: Mapping[str, Any] | None, names: Mapping[str, str]) -> Counters:
    groups: Counters = {}
    for group in (found or {}).get("counterGroups", []):
        name = str(group["counterGroupName"])
        short = name.rpartition(".")[2].rpartition("$")[2] or name
        known = names if short == TASKS else {}
        counts = {
            known.get(count["counterName"], count["counterName"]): int(count["counterValue"])
            for count in group["counters"]
        }
        # Combiners count in the group of Hadoop's own tasks, all else in Tez's of that name.
        joined = short not in groups or short == TASKS
        groups.setdefault(short if joined else name, {}).update(counts)
    return groups


class _Reader:
    """Collects the records of one job."""

    def __init__(self, hosts: Mapping[int, str]) -> None:
        self.hosts = hosts
        self.facts: dict[str, Any] = {}
        self.vertices: dict[str, dict[str, Any]] = {}
        """By the number that attempts have of them."""
        self.launched: dict[str, int] = {}
        """Containers whose first attempt has not begun, with their start."""
        self.began: dict[str, tuple[str, int]] = {}
        """Host and start of attempts."""
        self.spans: list[Span] = []
        self.failures: list[Failure] = []

    def seconds(self, milliseconds: int) -> float:
        return float(round((milliseconds - int(self.facts["submitted"])) / 1000, 3))

    def kind(self, attempt: str) -> Kind:
        name = self.vertices[attempt.split("_")[4]]["vertexName"]
        return "map" if name == MAP_VERTEX else "reduce"

    def short(self, attempt: str) -> str:
        """attempt_1795_0001_1_00_000003_0 as Hadoop calls it, without what all attempts of a job share."""
        _, task, number = attempt.rsplit("_", 2)
        return f"{self.kind(attempt)[0]}_{task}_{number}"

    def take(self, record: dict[str, Any]) -> None:
        entity, facts = record["entity"], record.get("otherinfo", {})
        for event in record.get("events", []):
            self.event(event["eventtype"], int(event["ts"]), entity, record, facts)

    def event(self, kind: str, at: int, entity: str, record: dict[str, Any], facts: dict[str, Any]) -> None:
        if kind == "AM_LAUNCHED":
            # A second application master only takes over; the job began with the first.
            self.facts.setdefault("submitted", facts["appSubmitTime"])
            self.facts.setdefault("master", at)
        elif kind == "DAG_SUBMITTED":
            self.facts |= {"id": entity.rpartition("_")[0], "name": record["primaryfilters"]["dagName"]}
        elif kind == "DAG_STARTED":
            self.facts.setdefault("launched", at)
        elif kind in ("VERTEX_INITIALIZED", "VERTEX_FINISHED"):
            self.vertices.setdefault(entity.rpartition("_")[2], {}).update(facts)
        elif kind == "CONTAINER_LAUNCHED":
            self.launched[entity] = at
        elif kind == "TASK_ATTEMPT_STARTED":
            self.attempt_started(at, entity, record)
        elif kind == "TASK_ATTEMPT_FINISHED":
            self.attempt_finished(entity, facts)
        elif kind == "DAG_FINISHED":
            self.facts |= {"finished": facts["endTime"], "status": facts["status"]}
            self.facts |= {"reason": facts.get("diagnostics", ""), "counters": facts.get("counters")}

    def attempt_started(self, at: int, attempt: str, record: dict[str, Any]) -> None:
        about = {one["entitytype"]: str(one["entity"]) for one in record["relatedEntities"]}
        host, _, port = about["nodeId"].rpartition(":")
        start = self.launched.pop(f"tez_{about['containerId']}", at)
        self.began[attempt] = self.hosts.get(int(port), host), min(start, at)

    def attempt_finished(self, attempt: str, facts: dict[str, Any]) -> None:
        # One that was killed before it ran has no start.
        host, began = self.began.get(attempt, ("", facts["endTime"]))
        start, end = self.seconds(began), self.seconds(facts["endTime"])
        name = self.short(attempt)
        if facts["status"] == "SUCCEEDED":
            for phase, since, until in self.phases(attempt, start, end, facts):
                self.spans.append(Span(attempt=name, host=host, phase=phase, start_s=since, end_s=until))
            return
        reason = str(facts.get("diagnostics", ""))[:500]
        self.failures.append(
            Failure(attempt=name, host=host, start_s=start, end_s=end, status=facts["status"], reason=reason)
        )

    def phases(
        self, attempt: str, start: float, end: float, facts: dict[str, Any]
    ) -> list[tuple[Phase, float, float]]:
        if self.kind(attempt) == "map":
            return [("map", start, end)]
        counts = _counters(facts.get("counters"), {}).get(TASKS, {})
        # Both are counted from where the attempt runs, not from the launch of its container.
        runs = max(start, self.seconds(int(facts["startTime"])))
        shuffled = min(runs + counts.get("SHUFFLE_PHASE_TIME", 0) / 1000, end)
        merged = min(max(shuffled, runs + counts.get("MERGE_PHASE_TIME", 0) / 1000), end)
        marks = [round(mark, 3) for mark in (start, shuffled, merged, end)]
        return [
            ("shuffle", marks[0], marks[1]),
            ("merge", marks[1], marks[2]),
            ("reduce", marks[2], marks[3]),
        ]

    def history(self) -> JobHistory:
        maps = [vertex for vertex in self.vertices.values() if vertex["vertexName"] == MAP_VERTEX]
        reduces = [vertex for vertex in self.vertices.values() if vertex["vertexName"] != MAP_VERTEX]
        map_counters, reduce_counters = Counters(), Counters()
        for vertex in maps:
            map_counters = added(map_counters, _counters(vertex.get("counters"), SAME_OF_MAPS))
        for vertex in reduces:
            reduce_counters = added(reduce_counters, _counters(vertex.get("counters"), SAME_OF_REDUCES))
        # Tez's own sums have one name for what maps and reduces put out; what no task counts is the graph's alone.
        own = {k: v for k, v in _counters(self.facts["counters"], {}).items() if k == "DAGCounter"}
        return JobHistory(
            id=self.facts["id"].replace("dag_", "job_"),
            name=self.facts["name"],
            status=self.facts["status"],
            reason=str(self.facts["reason"])[:2000],
            submitted_ms=self.facts["submitted"],
            master_s=self.seconds(self.facts["master"]),
            # A job that fails while it is set up has no launch time.
            launched_s=self.seconds(self.facts.get("launched", self.facts["finished"])),
            finished_s=self.seconds(self.facts["finished"]),
            maps=sum(vertex["numTasks"] for vertex in maps),
            reduces=sum(vertex["numTasks"] for vertex in reduces),
            counters={**added(map_counters, reduce_counters), **own},
            map_counters=map_counters,
            reduce_counters=reduce_counters,
            spans=self.spans,
            failures=self.failures,
        )


def parse(text: str, hosts: Mapping[int, str]) -> JobHistory:
    """Read the files of a job, one after another; `hosts` names hosts by their NodeManager's port.

    Raises KvasirError when it is no such history or is not complete.
    """
    reader = _Reader(hosts)
    with reading("Tez history", "Tez"):
        for record in _records(text):
            reader.take(record)
        return reader.history()


def configuration(text: str) -> dict[str, str]:
    """Return the properties that a job ran with, by name. Raises KvasirError when the history has none."""
    for record in _records(text):
        info = record.get("otherinfo")
        if isinstance(info, dict) and isinstance(found := info.get("config"), dict):
            return {str(name): str(value) for name, value in found.items()}
    raise KvasirError("no complete Tez history: the job's configuration is missing")
