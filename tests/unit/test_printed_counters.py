"""Counters that a program prints whose jobs ran in its own process, and so have no history."""

import pytest

from harness.core.errors import KvasirError
from harness.hadoop.jobs import JobResult

TASK = """10:00:01 INFO mapred.Task: Final Counters for attempt_local1_0001_m_000000_0: Counters: 2
\tMap-Reduce Framework
\t\tMap input records=7
\torg.apache.hadoop.examples.terasort.TeraGen$Counters
\t\tCHECKSUM=40
"""
JOB = """10:00:02 INFO mapreduce.Job: Counters: 3
\tMap-Reduce Framework
\t\tMap input records=7
\torg.apache.hadoop.examples.terasort.TeraGen$Counters
\t\tCHECKSUM=42
\tkvasir.graph.Count
\t\tCHECKSUM=1
"""


def test_jobs_count_and_their_tasks_do_not() -> None:
    done = JobResult(1.0, f"begin\n{TASK}{TASK}{JOB}and so on\n{JOB}", [], [])
    assert done.counter("Counters", "CHECKSUM") == 84
    assert done.counter("Count", "CHECKSUM") == 2


def test_a_counter_that_was_not_printed_is_an_error() -> None:
    with pytest.raises(KvasirError, match=r"no counter Counters\.CHECKSUM"):
        JobResult(1.0, TASK, [], []).counter("Counters", "CHECKSUM")
