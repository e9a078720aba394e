"""What has been done, what is running and how long the rest may take."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

STEP = re.compile(r"\[(?P<done>[1-9]\d*)/(?P<total>\d+)\] .{1,60}")
TAIL = 4096
"""Bytes at the end of a log that are looked at."""
UNKNOWN_S = 1.0
"""Guess for a job of a rule of which none has finished yet, seconds."""


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
    running: dict[int, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def plan(self, stats: dict[str, int]) -> None:
        """Take the number of jobs of each rule."""
        self.total = Counter({rule: count for rule, count in stats.items() if rule != "total"})

    def know(self, job: int, rule: str, wildcards: dict[str, str]) -> None:
        """Learn what a job is, before it starts."""
        what = " ".join(
            v
            for k, v in wildcards.items()
            if k in ("study", "experiment", "point", "cell", "hadoop", "figure", "name")
        )
        rep = f", repetition {wildcards['rep']}" if "rep" in wildcards else ""
        self.names[job] = (rule, f"{rule} {what}{rep}".strip())

    def follow(self, job: int, log: Path) -> None:
        """Learn where a job tells how far it is. What an earlier job left there is not its own."""
        self.logs[job] = log
        self.stale[job] = changed(log)

    def start(self, job: int) -> None:
        """A job has started."""
        self.running[job] = time.monotonic()

    def finish(self, job: int) -> None:
        """A job has ended well."""
        began = self.running.pop(job, time.monotonic())
        rule = self.names.get(job, ("", ""))[0]
        self.done[rule] += 1
        self.spent[rule] += time.monotonic() - began  # type: ignore[assignment]

    def drop(self, job: int) -> None:
        """A job has failed."""
        self.running.pop(job, None)

    def expected_s(self, rule: str) -> float:
        """Seconds a job of a rule may take: the mean so far, or by the steps of the one that is running."""
        if self.done[rule]:
            return self.spent[rule] / self.done[rule]
        for job, began in list(self.running.items()):
            step = STEP.search(self.said_by(job))
            if step and self.names[job][0] == rule:
                return (time.monotonic() - began) * int(step["total"]) / int(step["done"])
        return UNKNOWN_S

    def left_s(self) -> float:
        """Seconds the rest may take, one job at a time; what running jobs have taken so far counts as done."""
        rest = sum((count - self.done[rule]) * self.expected_s(rule) for rule, count in self.total.items())
        begun = sum(time.monotonic() - began for job, began in list(self.running.items()) if job in self.logs)
        return max(rest - begun, 0.0)

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

    def line(self) -> str:
        """One line for people."""
        total, done = self.total.total(), self.done.total()
        share = 100 * done // total if total else 100
        now = ", ".join(self.now(job) for job in self.running if job in self.names)
        spent = clock(time.monotonic() - self.began)
        left = f", about {clock(self.left_s())} left" if (done or self.steps()) and done < total else ""
        return f"[{done:>{len(str(total))}}/{total} {share:>3} %, {spent}{left}] {now}".rstrip()
