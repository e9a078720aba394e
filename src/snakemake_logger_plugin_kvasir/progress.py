"""What has been done, what is running and how long the rest may take."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

STEP = re.compile(r"\[(?P<done>[1-9]\d*)/(?P<total>\d+)\] .{1,60}")
TAIL = 4096
"""Bytes at the end of a log that are looked at."""
TYPICAL_S = {
    "build_engine": 60.0,
    "build_engine_hdfs": 40.0,
    "build_netsim": 40.0,
    "build_hadoop": 20.0,
    "build_plugin": 8.0,
    "build_image": 300.0,
    "generate_text": 2.0,
    "make_table": 1.5,
    "draw_figure": 4.5,
    "draw_resources": 15.0,
    "check_claims": 3.0,
    "collect_manifest": 5.0,
    "make_report": 5.0,
}
"""Seconds that a job of a rule takes on two cores; runs and cells have theirs from the plan."""
WORDS = {
    "run_point": "run",
    "run_batch": "simulate",
    "run_cell": "cluster",
    "make_table": "table",
    "draw_figure": "draw",
    "draw_resources": "draw resources of",
    "check_claims": "check claims of",
}
"""What a job of a rule does, where it is not the rule's name with blanks."""
SHORT_S = 1.0
"""The same for a rule that collects, or writes a small file."""
CERTAIN = 1 / 3
"""The share of the time that must have passed before one number is said instead of a range."""
RANGE = (0.8, 1.3)
"""That range, as multiples of the estimate."""
TELLING_S = 20.0
"""Seconds that jobs of a rule must have been expected to take before their speed says something about other rules:
what is over in an instant says nothing."""
FEW, MANY = 0.2, 5.0
"""Least and most that this machine's speed may differ from the plan's."""


@dataclass(frozen=True)
class Expected:
    """What the plan knows of one job before it starts."""

    seconds: float
    """Time during which it, or its share of the machine, keeps others from running."""
    there: bool
    """Whether its result is there already."""


Plan = dict[str, dict[str, Expected]]
"""Jobs by rule and by `name_of` their wildcards."""

_planned: list[Callable[[], Plan]] = []


def provide(plan: Callable[[], Plan]) -> None:
    """Lets the workflow say what its runs and cells take; asked for only when jobs are about to start."""
    _planned[:] = [plan]


def planned() -> Plan:
    """Returns what the workflow provided, nothing if it did not."""
    return _planned[0]() if _planned else {}


def name_of(wildcards: Mapping[str, str]) -> str:
    """Returns the name by which a plan knows a job: the wildcards that tell jobs of a rule apart."""
    keys = ("study", "experiment", "point", "cell", "batch", "rep")
    return " ".join(wildcards[key] for key in keys if key in wildcards)


def clock(seconds: float) -> str:
    """h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def changed(log: Path) -> int:
    """When a file was last written, nanoseconds; 0 when it is not there."""
    try:
        return log.stat().st_mtime_ns
    except OSError:
        return 0


def told(log: Path) -> str:
    """The last `[done/total] what was done` in a job's log, '' when there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    found = [match for line in lines if (match := STEP.search(line))]
    return found[-1][0] if found else ""


@dataclass
class Progress:
    """Counts jobs by rule and remembers how long they took."""

    total: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    names: dict[int, tuple[str, str]] = field(default_factory=dict)
    logs: dict[int, Path] = field(default_factory=dict)
    """Logs of jobs that tell in them how far they are: `[3/12] what`."""
    stale: dict[int, int] = field(default_factory=dict)
    """When those logs were last written before the job."""
    jobs: dict[int, str] = field(default_factory=dict)
    """Jobs by `name_of` their wildcards."""
    expected: Plan = field(default_factory=dict)
    begun: dict[str, set[str]] = field(default_factory=dict)
    """Names of jobs that have started, by rule."""
    ended_s: Counter[str] = field(default_factory=Counter)
    """What the plan expected of the jobs that have ended, by rule."""
    cores: int = 1
    threads: dict[int, int] = field(default_factory=dict)
    running: dict[int, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def plan(self, stats: dict[str, int], expected: Plan | None = None) -> None:
        """Take the number of jobs of each rule, and what the plan expects of each run and cell."""
        self.expected = expected or {}
        self.total = Counter({rule: count for rule, count in stats.items() if rule != "total"})

    def know(self, job: int, rule: str, wildcards: dict[str, str]) -> None:
        """Learn what a job is, before it starts."""
        what = " ".join(
            v
            for k, v in wildcards.items()
            if k in ("study", "experiment", "point", "cell", "batch", "hadoop", "plugin", "figure", "name")
        )
        rep = f", repetition {wildcards['rep']}" if "rep" in wildcards else ""
        does = WORDS.get(rule, rule.replace("_", " "))
        self.names[job] = (rule, f"{does} {what}{rep}".strip())
        self.jobs[job] = name_of(wildcards)

    def follow(self, job: int, log: Path) -> None:
        """Learn where a job tells how far it is. What an earlier job left there is not its own."""
        self.logs[job] = log
        self.stale[job] = changed(log)

    def start(self, job: int) -> None:
        """A job has started."""
        self.running[job] = time.monotonic()
        self.begun.setdefault(self.names.get(job, ("", ""))[0], set()).add(self.jobs.get(job, ""))

    def finish(self, job: int) -> None:
        """A job has ended well."""
        began = self.running.pop(job, time.monotonic())
        rule = self.names.get(job, ("", ""))[0]
        self.done[rule] += 1
        share = min(1.0, self.threads.get(job, self.cores) / self.cores)
        self.spent[rule] += share * (time.monotonic() - began)  # type: ignore[assignment]
        self.ended_s[rule] += self.planned_s(rule, self.jobs.get(job, ""))  # type: ignore[assignment]

    def drop(self, job: int) -> None:
        """A job has failed."""
        self.running.pop(job, None)

    def planned_s(self, rule: str, name: str) -> float:
        """Seconds that the plan, or else experience, expects of one job."""
        known = self.expected.get(rule, {}).get(name)
        return known.seconds if known else TYPICAL_S.get(rule, SHORT_S)

    def speed(self, rule: str) -> float:
        """How much longer than expected jobs take here: those of the rule so far, or else those of longer rules.

        The steps of a running cell count for cells of which none has ended.
        """
        if self.done[rule] and self.ended_s[rule]:
            return self.spent[rule] / self.ended_s[rule]
        for job, began in list(self.running.items()):
            step = STEP.search(self.said_by(job))
            if step and self.names[job][0] == rule:
                whole = (time.monotonic() - began) * int(step["total"]) / int(step["done"])
                return whole / self.planned_s(rule, self.jobs[job])
        telling = [other for other, expected in self.ended_s.items() if expected >= TELLING_S]
        if not telling:
            return 1.0
        ended = sum(self.ended_s[other] for other in telling)
        return min(MANY, max(FEW, sum(self.spent[other] for other in telling) / ended))

    def waiting_s(self, rule: str) -> float:
        """Seconds that the plan expects of the jobs of a rule that have not begun."""
        begun = self.begun.get(rule, set())
        rest = self.total[rule] - self.done[rule]
        rest -= sum(1 for job in self.running if self.names.get(job, ("", ""))[0] == rule)
        known = self.expected.get(rule, {})
        waiting = [job.seconds for name, job in known.items() if name not in begun]
        # Those whose results are there wait only if they are made again, as all are that a change concerns.
        missing = [job.seconds for name, job in known.items() if name not in begun and not job.there]
        some = missing if len(missing) >= rest > 0 else waiting
        mean = sum(some) / len(some) if some else self.planned_s(rule, "")
        return max(0, rest) * mean

    def left_s(self) -> float:
        """Seconds the rest may take: jobs that have not begun, and what running ones have before them."""
        rest = sum(self.waiting_s(rule) * self.speed(rule) for rule in self.total)
        now = time.monotonic()
        for job, began in list(self.running.items()):
            rule = self.names.get(job, ("", ""))[0]
            rest += max(0.0, self.planned_s(rule, self.jobs.get(job, "")) * self.speed(rule) - (now - began))
        return rest

    def now(self, job: int) -> str:
        """What a job does, with what it says of its own steps."""
        name = self.names[job][1]
        return f"{name} {self.said_by(job)}".strip()

    def said_by(self, job: int) -> str:
        """What a job says of its own steps, '' when nothing."""
        log = self.logs.get(job)
        return told(log) if log is not None and changed(log) != self.stale[job] else ""

    def steps(self) -> str:
        """What running jobs say of their own steps, '' when none says anything."""
        return ", ".join(filter(None, (self.said_by(job) for job in list(self.running))))

    def left(self, spent: float) -> str:
        """What is said of the time left after so many seconds."""
        left = self.left_s()
        if spent < CERTAIN * (spent + left):
            return f"about {clock(RANGE[0] * left)} to {clock(RANGE[1] * left)} left"
        return f"about {clock(left)} left"

    def line(self, width: int | None = None) -> str:
        """One line for people, cut to `width` characters. Percent are of the time, not of the number of jobs."""
        total, done = self.total.total(), self.done.total()
        spent = time.monotonic() - self.began
        left = self.left_s() if done < total else 0.0
        share = min(99, int(100 * spent / (spent + left))) if done < total and spent + left > 0 else 100
        share = share if done or self.steps() or done == total else 0
        now = [self.now(job) for job in self.running if job in self.names]
        what = now[0] + (f", +{len(now) - 1}" if len(now) > 1 else "") if now else ""
        estimate = f", {self.left(spent)}" if (done or self.steps()) and done < total else ""
        text = f"[{done:>{len(str(total))}}/{total} {share:>3} %, {clock(spent)}{estimate}] {what}".rstrip()
        return text if width is None or len(text) <= width else text[: width - 1] + "…"
