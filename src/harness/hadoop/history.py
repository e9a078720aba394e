"""Parses Hadoop's job history files. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import Field

from harness.core.errors import KvasirError
from harness.core.models import Strict

Phase = Literal["map", "shuffle", "merge", "reduce"]
Counters = dict[str, dict[str, int]]
"""Group, name, value. Groups go by the last part of their class name; a second of the same by all of it."""


COUNTERS = {
    "counters": "totalCounters",
    "map_counters": "mapCounters",
    "reduce_counters": "reduceCounters",
}
"""Fields of a job, and of the event that ends it."""
STAGES = "StageCount"
"""Group of the counters of a map's stages: of plug-in nvm."""


class Span(Strict):
    """One phase of one attempt at a task, in seconds since the job was submitted."""

    attempt: str
    """Such as m_000003_0: the fourth map task's first attempt."""
    host: str
    phase: Phase
    start_s: float
    end_s: float


class MapStages(Strict):
    """The counters of one map task's attempt that a plug-in keeps of the stages of its time."""

    attempt: str
    host: str
    counts: dict[str, int]
    """Such as SPILL_NS and OUTPUT_BYTES."""


class Failure(Strict):
    """An attempt that did not end well, in seconds since the job was submitted."""

    attempt: str
    host: str
    start_s: float
    end_s: float
    status: str
    """FAILED or KILLED."""
    reason: str


class JobHistory(Strict):
    """One job. Times are seconds since it was submitted."""

    id: str
    name: str
    status: str
    """SUCCEEDED, FAILED or KILLED."""
    reason: str
    submitted_ms: int
    """Milliseconds since 1970."""
    master_s: float
    """When its application master started."""
    launched_s: float
    """When its first tasks were asked for."""
    finished_s: float
    maps: int
    reduces: int
    counters: Counters
    """Of the whole job."""
    map_counters: Counters = Field(default_factory=dict)
    """Of its map tasks alone."""
    reduce_counters: Counters = Field(default_factory=dict)
    """Of its reduce tasks alone."""
    stages: list[MapStages] = Field(default_factory=list)
    """Of map tasks whose collector times its stages."""
    spans: list[Span]
    failures: list[Failure]

    @property
    def first_task_s(self) -> float:
        """Return when the first task that ended well started; when tasks were asked for, if there was none."""
        return min((span.start_s for span in self.spans), default=self.launched_s)

    def counter(self, group: str, name: str) -> int:
        """Return a counter of the job; raise KvasirError when it is not there."""
        try:
            return self.counters[group][name]
        except KeyError:
            raise KvasirError(f"{self.id} ({self.name}) has no counter {group}.{name}") from None


def added(some: Counters, others: Counters) -> Counters:
    """Return counters of the same things summed up."""
    found = {group: dict(counts) for group, counts in some.items()}
    for group, counts in others.items():
        into = found.setdefault(group, {})
        for name, value in counts.items():
            into[name] = into.get(name, 0) + value
    return found


@contextmanager
def reading(what: str, writer: str) -> Iterator[None]:
    """Raise KvasirError where an entry of a history is missing, or has not the form that its writer gives it."""
    try:
        yield
    except KeyError as error:
        raise KvasirError(f"no complete {what}: {error} is missing") from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise KvasirError(f"no {what}: an entry has not the form that {writer} writes: {error}") from None


def _events(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = text.splitlines()
    if not lines or lines[0] != "Avro-Json":
        raise KvasirError(f"no job history: it begins with {text[:20]!r}")
    for line in lines[2:]:
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            (event,) = entry["event"].values()
            yield entry["type"], event
        except (ValueError, LookupError, TypeError, AttributeError):
            raise KvasirError(f"no job history: cannot read the event {line[:100]!r}") from None


def _counters(found: dict[str, Any]) -> Counters:
    groups: Counters = {}
    for group in found["groups"]:
        name = group["name"]
        short = name.rpartition(".")[2].rpartition("$")[2] or name
        counts = {count["name"]: count["value"] for count in group["counts"]}
        groups[name if short in groups else short] = counts
    return groups


def _short(attempt: str) -> str:
    """attempt_1795_0001_m_000003_0 without what all attempts of a job share."""
    return "_".join(attempt.split("_")[3:])


def _text(value: Any) -> str:
    """Avro writes an optional text as {"string": text}."""
    return str(value.get("string", "")) if isinstance(value, dict) else str(value or "")


class _Reader:
    """Collects the events of one job."""

    def __init__(self, hosts: Mapping[int, str]) -> None:
        self.hosts = hosts
        self.facts: dict[str, Any] = {}
        self.started: dict[str, int] = {}
        self.spans: list[Span] = []
        self.stages: list[MapStages] = []
        self.failures: list[Failure] = []

    def seconds(self, milliseconds: int) -> float:
        return float(round((milliseconds - int(self.facts["submitTime"])) / 1000, 3))

    def host(self, event: dict[str, Any]) -> str:
        return self.hosts.get(event.get("port", -1), event.get("hostname", ""))

    def span(self, event: dict[str, Any], phase: Phase, start: float, end: float) -> None:
        name = _short(event["attemptId"])
        self.spans.append(Span(attempt=name, host=self.host(event), phase=phase, start_s=start, end_s=end))

    def take(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "AM_STARTED":
            # A second application master only takes over; the job began with the first.
            self.facts.setdefault("master", event["startTime"])
        elif kind == "JOB_SUBMITTED":
            self.facts |= {key: event[key] for key in ("jobid", "jobName", "submitTime")}
        elif kind == "JOB_INITED":
            self.facts |= {key: event[key] for key in ("launchTime", "totalMaps", "totalReduces")}
        elif kind.endswith("_ATTEMPT_STARTED"):
            self.started[event["attemptId"]] = event["startTime"]
        elif kind == "MAP_ATTEMPT_FINISHED":
            start = self.seconds(self.started[event["attemptId"]])
            self.span(event, "map", start, self.seconds(event["mapFinishTime"]))
            counts = _counters(event["counters"]).get(STAGES) if "counters" in event else None
            if counts:
                name = _short(event["attemptId"])
                self.stages.append(MapStages(attempt=name, host=self.host(event), counts=counts))
        elif kind == "REDUCE_ATTEMPT_FINISHED":
            start = self.seconds(self.started[event["attemptId"]])
            shuffled, sorted_ = (
                self.seconds(event["shuffleFinishTime"]),
                self.seconds(event["sortFinishTime"]),
            )
            self.span(event, "shuffle", start, shuffled)
            self.span(event, "merge", shuffled, sorted_)
            self.span(event, "reduce", sorted_, self.seconds(event["finishTime"]))
        elif kind.endswith(("_ATTEMPT_FAILED", "_ATTEMPT_KILLED")):
            end = event["finishTime"]
            self.failures.append(
                Failure(
                    attempt=_short(event["attemptId"]),
                    host=self.host(event),
                    # One that was killed before it ran has no start.
                    start_s=self.seconds(self.started.get(event["attemptId"], end)),
                    end_s=self.seconds(end),
                    status=event["status"],
                    reason=_text(event.get("error"))[:500],
                )
            )
        elif kind in ("JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR"):
            self.facts["finishTime"] = event["finishTime"]
            self.facts["status"] = event.get("jobStatus", "SUCCEEDED")
            self.facts["reason"] = _text(event.get("diagnostics"))[:2000]
            for fact, key in COUNTERS.items():
                self.facts[fact] = _counters(event[key]) if key in event else {}


def parse(text: str, hosts: Mapping[int, str]) -> JobHistory:
    """Read a job history file; `hosts` names hosts by their NodeManager's port.

    Raises KvasirError when it is none or is not complete.
    """
    reader = _Reader(hosts)
    with reading("job history", "Hadoop"):
        for kind, event in _events(text):
            reader.take(kind, event)
        facts = reader.facts
        submitted = facts["submitTime"]
        return JobHistory(
            id=facts["jobid"],
            name=facts["jobName"],
            status=facts["status"],
            reason=facts["reason"],
            submitted_ms=submitted,
            master_s=reader.seconds(facts["master"]),
            # A job that fails while it is set up has no launch time.
            launched_s=reader.seconds(facts.get("launchTime", facts["finishTime"])),
            finished_s=reader.seconds(facts["finishTime"]),
            maps=facts.get("totalMaps", 0),
            reduces=facts.get("totalReduces", 0),
            **{fact: facts[fact] for fact in COUNTERS},
            stages=reader.stages,
            spans=reader.spans,
            failures=reader.failures,
        )
