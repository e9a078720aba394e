"""Runs programs that submit jobs, with a time limit, and reads the histories of their jobs."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.core.errors import KvasirError
from harness.core.process import how_ended
from harness.hadoop import history, tez_history
from harness.hadoop.cluster import UNFINISHED, Cluster
from harness.hadoop.configuration import parse
from harness.hadoop.hdfs import PROBE, Hdfs
from harness.hadoop.history import JobHistory

CLIENT_HEAP_MB = 256
HISTORIES = ("/history/new", "/history/done")
"""Where histories are first written, and where the JobHistoryServer moves those that it is asked for, as it is by a
client that has lost the application master."""
HISTORY_WAIT_S = 30.0
"""The application master writes the history while it ends, after it has told the client that the job is done."""
LEFT = "Left to the stock shuffle"
"""Job counter of the shuffle plug-ins, in a group of each."""


class JobError(KvasirError):
    """Reports a program on the cluster that failed, or took too long: its time means nothing."""


class JobTimeout(JobError):
    """Reports a program that took too long and was stopped."""


@dataclass(frozen=True)
class JobResult:
    """Describes a program that ended well, and the jobs it submitted."""

    seconds: float
    """Wall time of the program, start of its Java included."""
    output: str
    """What it printed."""
    jobs: list[JobHistory]
    disturbed: list[str]
    """Daemons that were dead when it ended, even those that died before it began."""
    own_work_s: float | None = None
    """What a program without Hadoop jobs says of its work: the time after its start-up, seconds."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What a benchmark of several programs says of each: seconds by name."""

    @property
    def work_seconds(self) -> float:
        """Sum over its jobs of the time from the first task's start to the job's end."""
        if self.own_work_s is not None:
            return self.own_work_s
        return sum(job.finished_s - job.first_task_s for job in self.jobs)

    def startup_seconds(self, began: float) -> float:
        """Return the time from the program's start to its first job's first task, within the time without tasks.

        `began`: time.time() when the program was started.
        """
        rest = max(self.seconds - self.work_seconds, 0.0)
        if not self.jobs:
            return rest
        first = min(job.submitted_ms / 1000 + job.first_task_s for job in self.jobs)
        return min(max(first - began, 0.0), rest)

    def counter(self, group: str, name: str) -> int:
        """Return the sum of a counter over its jobs; those that ran in its own process have no history but print it."""
        if self.jobs:
            return sum(job.counter(group, name) for job in self.jobs)
        return printed_counter(self.output, group, name)


def job_ids(output: str) -> list[str]:
    """Return the jobs that a program submitted, in their order, by its messages."""
    return list(dict.fromkeys(re.findall(r"Submitting tokens for job: (job_\d+_\d+)", output)))


def printed_counter(output: str, group: str, name: str) -> int:
    """Return the sum of a counter over the jobs whose counters a program printed. Raises KvasirError without any.

    Tasks in the same process print theirs as well, but not as mapreduce.Job.
    """
    found = [
        int(value)
        for job in re.findall(r"mapreduce\.Job: Counters: \d+\n((?:\t.*\n?)*)", output)
        for title, counters in re.findall(r"^\t(\S.*)\n((?:\t\t.*\n?)*)", job, re.MULTILINE)
        if re.split(r"[.$]", title)[-1] == group
        for value in re.findall(rf"^\t\t{re.escape(name)}=(\d+)$", counters, re.MULTILINE)
    ]
    if not found:
        raise KvasirError(f"no counter {group}.{name} in what the program printed: {output[-300:]!r}")
    return sum(found)


def generic_options(properties: Mapping[str, str | int | float]) -> list[str]:
    """Return properties as the options that Hadoop's programs take before their own arguments."""
    return [word for name, value in properties.items() for word in ("-D", f"{name}={value}")]


def _read_log(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _last_words(output: str) -> str:
    """The lines of a failed program that say why: from its first exception, or its last ones."""
    lines = output.splitlines()
    for i, line in enumerate(lines):
        if re.search(r"Exception|Error:|failed with state", line):
            return "\n".join(lines[i : i + 6])
    return "\n".join(lines[-6:])


def kill(cluster: Cluster, ids: Iterable[str]) -> None:
    """Kill the applications of jobs, or those named as applications, if they run."""
    for job in ids:
        application = job.replace("job_", "application_")
        command = cluster.hadoop.command(
            "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
            cluster.layout.master.conf,
            CLIENT_HEAP_MB,
        )
        with contextlib.suppress(KvasirError):
            cluster.master.run(
                [*command, "application", "-kill", application], env=cluster.environment, timeout_s=60
            )


def _find(hdfs: Hdfs, folder: str, job: str) -> str | None:
    """Path of a job's history below a folder."""
    for entry in hdfs.list(folder):
        path = f"{folder}/{entry.name}"
        if entry.folder:
            if found := _find(hdfs, path, job):
                return found
        elif entry.name.startswith(f"{job}-") and entry.name.endswith(".jhist"):
            return path
    return None


def _by_tez(hdfs: Hdfs, job: str) -> str:
    """What Tez recorded of a job, '' when there is nothing."""
    folder, prefix = tez_history.FOLDER, tez_history.prefix(job)
    names = sorted(entry.name for entry in hdfs.list(folder) if entry.name.startswith(prefix))
    return "".join(hdfs.read(f"{folder}/{name}") for name in names)


def job_configuration(cluster: Cluster, job: str) -> dict[str, str]:
    """Return the properties that a job which has ended ran with, by name. Raises KvasirError when there are none."""
    for folder in HISTORIES:
        with contextlib.suppress(KvasirError):
            if path := _find(cluster.hdfs, folder, job):
                return parse(cluster.hdfs.read(f"{path.rpartition('/')[0]}/{job}_conf.xml"))
    with contextlib.suppress(KvasirError):
        return tez_history.configuration(_by_tez(cluster.hdfs, job))
    raise KvasirError(f"{job}: there is no configuration beside its history")


def fetch(cluster: Cluster, job: str) -> JobHistory:
    """Return the history of a job that has ended; raise JobError when there is none."""
    hosts = cluster.by_port
    deadline = time.monotonic() + HISTORY_WAIT_S
    while True:
        why = ""
        for folder in HISTORIES:
            try:
                path = _find(cluster.hdfs, folder, job)
            except KvasirError:
                continue  # the folder is not there yet
            try:
                if path:
                    return history.parse(cluster.hdfs.read(path), hosts)
            except KvasirError as error:
                why = f": {error}"  # it may have been moved before it was read
        try:
            if text := _by_tez(cluster.hdfs, job):
                return tez_history.parse(text, hosts)
        except KvasirError as error:
            why = why or f": {error}"
        if time.monotonic() > deadline:
            raise JobError(f"{job}: there is no history of it after {HISTORY_WAIT_S:g} s{why}")
        time.sleep(0.2)


def left_to_stock(result: JobResult) -> int:
    """Return how many reduce attempts a shuffle plug-in left to Hadoop's own shuffle: those are not its times."""
    return sum(group.get(LEFT, 0) for job in result.jobs for group in job.counters.values())


@dataclass(frozen=True)
class Ended:
    """Describes how a program on the master ended; exit code None: it took too long and was stopped."""

    name: str
    code: int | None
    seconds: float
    output: str
    log: Path

    def require(self, limit_s: float, reason: Callable[[str], str]) -> None:
        """Raise JobTimeout or JobError unless it ended well; `reason` finds in its output what went wrong."""
        if self.code is None:
            raise JobTimeout(f"{self.name}: took longer than {limit_s:g} s, stopped (log: {self.log})")
        if self.code:
            how = how_ended(self.code, self.output)
            raise JobError(f"{self.name}: {how} (log: {self.log})\n{reason(self.output)}")


def on_master(
    cluster: Cluster,
    name: str,
    command: Sequence[str],
    env: Mapping[str, str],
    limit_s: float,
    folder: Path | None = None,
) -> Ended:
    """Run a program on the master, its output in the log of that name; stop it after `limit_s` seconds.

    What it leaves running in its session ends with it. `folder`: where it starts; by default where this process is.
    """
    log = cluster.log(name)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    began = time.monotonic()
    program = cluster.master.start(command, log=log, env=env, cwd=folder)
    try:
        code = program.wait(limit_s)
        seconds = time.monotonic() - began
    finally:
        program.stop()
    return Ended(name, code, seconds, _read_log(log), log)


def run_job(
    cluster: Cluster,
    name: str,
    main_class: str,
    arguments: Sequence[str],
    timeout_s: float,
    heap_mb: int = CLIENT_HEAP_MB,
) -> JobResult:
    """Run a program on the master and wait for its jobs.

    `name` is that of its log. Raises JobError when it fails or takes longer than `timeout_s` seconds (its jobs are
    killed then) or when one of its jobs did not succeed.
    """
    conf = cluster.layout.master.conf
    command = cluster.hadoop.command(main_class, conf, heap_mb, plugins=cluster.jars)
    ended = on_master(cluster, name, [*command, *arguments], cluster.environment, timeout_s)
    ids = job_ids(ended.output)
    if ended.code != 0:
        kill(cluster, ids)
    ended.require(timeout_s, _last_words)
    jobs = [fetch(cluster, job) for job in ids]
    for job in jobs:
        if job.status != "SUCCEEDED":
            raise JobError(f"{name}: {job.id} ({job.name}) {job.status}: {job.reason}")
    return JobResult(ended.seconds, ended.output, jobs, sorted(cluster.dead()))


@dataclass(frozen=True)
class Application:
    """Describes what the ResourceManager says of one application."""

    id: str
    kind: str
    state: str

    @property
    def job(self) -> str:
        """The job's name that it runs as; '' of an application that has no history of a job."""
        return self.id.replace("application_", "job_") if self.kind in JOB_KINDS else ""


JOB_KINDS = ("MAPREDUCE", "TEZ")


def applications(cluster: Cluster) -> list[Application]:
    """Return all applications that the ResourceManager knows, in their order. Raises KvasirError without an answer."""
    url = f"http://{cluster.layout.master.at('resourcemanager_http')}/ws/v1/cluster/apps"
    answer = cluster.master.run([*PROBE, "get", url], timeout_s=60).stdout
    try:
        listed = (json.loads(answer)["apps"] or {}).get("app", [])
        found = [Application(one["id"], one["applicationType"], one["state"]) for one in listed]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise KvasirError(f"{url}: expected a list of applications: {error!r}") from None
    return sorted(found, key=lambda one: one.id)


def run_command(
    cluster: Cluster,
    name: str,
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    timeout_s: float,
    reason: Callable[[str], str],
) -> JobResult:
    """Run a command of the user's on the master, in `folder`, and find the jobs that it submits.

    Nothing else submits any meanwhile. Those that it leaves running are killed. Raises JobError when it fails, takes
    longer than `timeout_s` seconds, leaves jobs running or ends well although one of its jobs did not.
    """
    before = {one.id for one in applications(cluster)}

    def submitted() -> list[Application]:
        return [one for one in applications(cluster) if one.id not in before]

    def unfinished() -> list[str]:
        return [one.id for one in submitted() if one.state in UNFINISHED]

    def end(left: list[str]) -> JobError:
        kill(cluster, left)
        return JobError(f"{name}: ended and left running {', '.join(left)}, now killed")

    ended = on_master(cluster, name, command, env, timeout_s, folder)
    if ended.code != 0:
        with contextlib.suppress(KvasirError):
            kill(cluster, unfinished())
        ended.require(timeout_s, reason)
    ids = [one.job for one in submitted() if one.job]
    try:
        jobs = [fetch(cluster, job) for job in ids]
    except JobError:
        if left := unfinished():
            raise end(left) from None
        raise
    # Those without a history are not waited for by fetch(), and tell the ResourceManager a little later, too.
    deadline = time.monotonic() + HISTORY_WAIT_S
    while left := [one.id for one in submitted() if not one.job and one.state in UNFINISHED]:
        if time.monotonic() > deadline:
            raise end(left)
        time.sleep(0.2)
    for job in jobs:
        if job.status != "SUCCEEDED":
            raise JobError(f"{name}: ended well, but {job.id} ({job.name}) {job.status}: {job.reason}")
    return JobResult(
        ended.seconds, ended.output, jobs, sorted(cluster.dead()), None if jobs else ended.seconds
    )
