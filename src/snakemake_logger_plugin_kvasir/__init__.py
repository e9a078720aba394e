"""Progress for people, as a Snakemake logger plugin: `snakemake --logger kvasir`.

One line says how many jobs of how many are done, the time left by the plan and this machine's speed so far, and what
is running now. On a terminal the line is rewritten in place. A failed job shows the end of its log; a dry run shows
what would be done on one screen.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_kvasir.dry_run import DryRun
from snakemake_logger_plugin_kvasir.failures import Failures
from snakemake_logger_plugin_kvasir.progress import Progress, planned

LOOK_S = 2.0
NOTHING = "Nothing to be done"


class LogHandler(LogHandlerBase):
    """Turns Snakemake's events into progress lines on stderr."""

    def __post_init__(self) -> None:
        """Called by Snakemake in place of a constructor."""
        self.progress = Progress(cores=os.cpu_count() or 1)
        self.failures = Failures()
        self.dry_run = DryRun() if self.common_settings.dryrun else None
        self.stopped = False
        self.rewrites = sys.stderr.isatty()
        self.said = ""
        self.saying = threading.Lock()
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, self._interrupted)
        threading.Thread(target=self._follow, daemon=True, name="progress").start()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Say nothing of jobs that fail because the user has stopped them."""
        self.stopped = True
        if callable(self.before):
            self.before(number, frame)

    def _follow(self) -> None:
        """Say how far a long job is, whenever it says so itself: Snakemake has no news until it ends."""
        while True:
            time.sleep(LOOK_S)
            line = self.progress.steps()
            if line and line != self.said:
                self.said = line
                self._say_progress()

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one event."""
        event = getattr(record, "event", None)
        if self.dry_run is not None:
            self._emit_dry(record, self.dry_run)
        elif event == LogEvent.RESOURCES_INFO:
            self.progress.cores = getattr(record, "cores", None) or self.progress.cores
        elif event == LogEvent.RUN_INFO:
            self.progress.plan(getattr(record, "stats", {}), planned())
        elif event == LogEvent.JOB_INFO:
            self._know(record)
        elif event == LogEvent.JOB_STARTED:
            jobs = getattr(record, "jobs", getattr(record, "job_ids", []))
            for job in [jobs] if isinstance(jobs, int) else jobs:
                self.progress.start(job)
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id)  # type: ignore[attr-defined]
        elif event == LogEvent.JOB_ERROR:
            self._fail(record)
        elif event == LogEvent.PROGRESS:
            if record.done == record.total:  # type: ignore[attr-defined]
                self._say_progress(keep=True)
        elif event in (None, LogEvent.ERROR) and record.levelno >= logging.WARNING:
            self._say_message(record)

    def _emit_dry(self, record: logging.LogRecord, dry_run: DryRun) -> None:
        """Handle one event of a dry run, which ends with its numbers of jobs said for the second time."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            dry_run.take(record.rule_name, str(getattr(record, "reason", "")))  # type: ignore[attr-defined]
            self._say_ahead(record)
        elif event == LogEvent.RUN_INFO and dry_run.counts:
            self._say(dry_run.text(planned()), keep=True)
        elif record.getMessage().startswith(NOTHING):
            self._say("dry run: nothing to be done", keep=True)
        elif event in (None, LogEvent.ERROR) and record.levelno >= logging.WARNING:
            self._say_message(record)

    def _know(self, record: Any) -> None:
        """Learn what a job is; Snakemake says that it starts before it says this."""
        wildcards = dict(getattr(record, "wildcards", {}) or {})
        self._say_ahead(record)
        self.progress.threads[record.jobid] = getattr(record, "threads", None) or self.progress.cores
        self.progress.know(record.jobid, record.rule_name, wildcards)
        for log in (getattr(record, "log", None) or []) if {"cell", "batch"} & wildcards.keys() else []:
            self.progress.follow(record.jobid, Path(str(log)))
        self._say_progress()

    def _say_ahead(self, record: Any) -> None:
        """Say what a rule wants to have said before its job starts."""
        if message := getattr(record, "rule_msg", None):
            self._say(str(message), keep=True)

    def _fail(self, record: Any) -> None:
        """Tell of a failed job; stop Snakemake when all others would fail as well."""
        self.progress.drop(record.jobid)
        if self.stopped:
            return
        text = self.failures.take(record)
        if text:
            self._say(text, keep=True)
        if self.failures.stop:
            self.stopped = True
            self._say(f"error: {self.failures.stop}", keep=True)
            # As Ctrl-C: Snakemake ends what runs, and the same command goes on later.
            os.kill(os.getpid(), signal.SIGINT)

    def _say_message(self, record: logging.LogRecord) -> None:
        """Pass on what Snakemake says, unless it is about jobs that have been told of already."""
        text = self.format(record)
        # A failed job has been told already, with the end of its log instead of its whole command.
        if "CalledProcessError" not in text and not self.stopped:
            self._say(text, keep=True)

    def _say_progress(self, keep: bool = False) -> None:
        width = shutil.get_terminal_size().columns - 1 if self.rewrites else None
        self._say(self.progress.line(width), keep)

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
