"""Says why a job failed, and when to stop because all fail for the same reason."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOG_LINES = 12
MOST = 3
"""Runs that may fail for the same reason before nothing more is started."""
FULL = "No space left on device"
FULL_BYTES = 1 << 20
"""A file system with less than this is full."""


def unwritable(log: Path) -> str:
    """Returns why nothing can be written where a log should be, '' if it can."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(log.parent).free < FULL_BYTES:
            return FULL
        with log.open("ab"):
            pass
    except OSError as error:
        return error.strerror or str(error)
    return ""


def tail_of(log: Path) -> list[str]:
    """Returns the last lines of a log, none if it is not there."""
    try:
        return log.read_text(errors="replace").splitlines()[-LOG_LINES:]
    except OSError:
        return []


def cause_of(tail: list[str]) -> str:
    """Returns the line of a log that says what was wrong: the last with an error in it, or the last."""
    lines = [line.strip() for line in tail if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["its log is empty"])[-1]


def same(cause: str) -> str:
    """Returns the cause without what differs from run to run: paths and numbers."""
    return re.sub(r"\S*/\S*|\d+", "*", cause)


@dataclass
class Failures:
    """Counts failed runs by their cause."""

    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    stop: str = ""
    """Why nothing more should be started; '' while something should."""

    def take(self, record: Any) -> str:
        """Returns what to tell of a failed job, and learns whether to stop."""
        lines = [f"failed: {record.rule_name}"]
        cause = ""
        for log in getattr(record, "log", None) or []:
            path = Path(str(log).split(" (")[0])
            tail = tail_of(path)
            problem = unwritable(path)
            lines += [f"  log: {path}" + (f": cannot be written: {problem}" if problem else "")]
            lines += [f"  | {line}" for line in tail]
            cause = cause_of(tail)
            if FULL in problem or any(FULL in line for line in tail):
                self.stop = f"{path.parent}: {FULL.lower()}: make room, then the same command goes on"
                return ""
        if record.rule_name in ("run_point", "run_batch"):
            key = (record.rule_name, same(cause))
            self.causes[key] += 1
            if self.causes[key] == MOST:
                self.stop = f"{MOST} runs failed for the same reason, no more are started: {cause}"
        return "\n".join(lines)
