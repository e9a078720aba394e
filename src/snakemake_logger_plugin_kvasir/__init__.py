"""Progress for people, as a Snakemake logger plugin: `snakemake --logger kvasir`.

One line says how many jobs of how many are done, the time left by the mean duration of each rule so far, and
what is running now. On a terminal the line is rewritten in place. A failed job shows the end of its log.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_kvasir.progress import Progress

LOG_LINES = 12
LOOK_S = 2.0


class LogHandler(LogHandlerBase):
    """Turns Snakemake's events into progress lines on stderr."""

    def __post_init__(self) -> None:
        """Called by Snakemake in place of a constructor."""
        self.progress = Progress()
        self.rewrites = sys.stderr.isatty()
        self.said = ""
        self.saying = threading.Lock()
        threading.Thread(target=self._follow, daemon=True, name="progress").start()

    def _follow(self) -> None:
        """Say how far a long job is, whenever it says so itself: Snakemake has no news until it ends."""
        while True:
            time.sleep(LOOK_S)
            line = self.progress.steps()
            if line and line != self.said:
                self.said = line
                self._say(self.progress.line())

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one event."""
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self.progress.plan(getattr(record, "stats", {}))
        elif event == LogEvent.JOB_INFO:
            wildcards = dict(getattr(record, "wildcards", {}) or {})
            # Snakemake says that a job starts before it says what the job is.
            self.progress.know(record.jobid, record.rule_name, wildcards)  # type: ignore[attr-defined]
            for log in (getattr(record, "log", None) or []) if "cell" in wildcards else []:
                self.progress.follow(record.jobid, Path(str(log)))  # type: ignore[attr-defined]
            self._say(self.progress.line())
        elif event == LogEvent.JOB_STARTED:
            jobs = getattr(record, "jobs", getattr(record, "job_ids", []))
            for job in [jobs] if isinstance(jobs, int) else jobs:
                self.progress.start(job)
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id)  # type: ignore[attr-defined]
        elif event == LogEvent.JOB_ERROR:
            self.progress.drop(record.jobid)  # type: ignore[attr-defined]
            self._say(failure(record), keep=True)
        elif event == LogEvent.PROGRESS:
            if record.done == record.total:  # type: ignore[attr-defined]
                self._say(self.progress.line(), keep=True)
        elif event in (None, LogEvent.ERROR) and record.levelno >= logging.WARNING:
            text = self.format(record)
            # A failed job has been told already, with the end of its log instead of its whole command.
            if "CalledProcessError" not in text:
                self._say(text, keep=True)

    def _say(self, text: str, keep: bool = False) -> None:
        with self.saying:
            if self.rewrites:
                sys.stderr.write(f"\r\x1b[2K{text}" + ("\n" if keep else ""))
            else:
                sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False


def failure(record: Any) -> str:
    """What a failed job was and the end of its log."""
    lines = [f"failed: {record.rule_name}"]
    for log in getattr(record, "log", None) or []:
        path = Path(str(log).split(" (")[0])
        tail = path.read_text(errors="replace").splitlines()[-LOG_LINES:] if path.is_file() else []
        lines += [f"  log: {path}", *(f"  | {line}" for line in tail)]
    return "\n".join(lines)
