"""Makes one run on a cell: inputs, the timed part under the monitor, the check of the output, the record."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.cells.conditions import input_facts
from harness.cells.frameworks import Framework, framework_of
from harness.config import FrameworkEntry
from harness.core.environment import git_state, machine, moment
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.core.models import without_defaults
from harness.core.rows import write_rows
from harness.hadoop.benchmarks import Cell, InvalidOutput, make
from harness.hadoop.cluster import settle, storage_bytes
from harness.hadoop.jobs import JobResult, JobTimeout, left_to_stock
from harness.hadoop.plugins import BUILT
from harness.hosts import Hosts
from harness.measure import Monitor, counters, stages, tasks
from harness.measure.efficiency import efficiency
from harness.plan.spec import CellRun, CellSpec
from harness.results.records import Metric, Outcome, Record, Status, record_failure, save, write_folder

SPECIFICATION = "specification.json"
CLOCK = "measured:clock"
REASON_CHARACTERS = 600


@dataclass(frozen=True)
class CellContext:
    """The specification, cluster, hosts and programs that all runs of a cell share."""

    spec: CellSpec
    cell: Cell
    hosts: Hosts
    programs: dict[str, dict[str, Any]]
    """Facts of Hadoop and the other frameworks' programs, by name."""
    batch: dict[str, Any] | None = None
    """The scheduler's job that the cell is in."""


def specification(spec: CellSpec, run: CellRun, programs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return all parameters of a run's outcome: a record with equal ones need not be made again."""
    framework = framework_of(spec, run.framework)
    used = {"hadoop", *(Path(name).stem for name in framework.built)}
    return {
        "benchmark": run.benchmark,
        "settings": run.settings,
        "framework": entry_facts(framework.entry),
        **spec.model_dump(
            mode="json",
            include={"nodes", "disk", "interface", "hosts", "power", "parameters", "period_s"},
        ),
        "programs": {name: facts for name, facts in programs.items() if name in used},
        **plugins_of(spec, framework, programs),
    }


def entry_facts(entry: FrameworkEntry) -> dict[str, Any]:
    """Return the parameters of a run in its framework's entry; plug-ins and properties only where it has any."""
    found = entry.model_dump(mode="json", by_alias=True, exclude={"label", "note", "missing"})
    return {key: value for key, value in found.items() if value not in ([], {})}


def plugins_of(spec: CellSpec, framework: Framework, programs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the parameters of a run in its framework's plug-ins: declarations and jars; {} when it has none."""
    jars = programs.get("plugins", {})
    found = {
        name: {**spec.plugins[name].model_dump(mode="json", exclude={"folder"}), "built": jars.get(name)}
        for name in framework.entry.plugins
    }
    return {"plugins": found} if found else {}


def made_before(spec: CellSpec, run: CellRun, programs: dict[str, dict[str, Any]]) -> bool:
    """Return whether the record of a run is there and still counts."""
    folder = Path(run.folder)
    if not (folder / "run.json").is_file():
        return False
    try:
        known = json.loads((folder / SPECIFICATION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(known == json.loads(json.dumps(specification(spec, run, programs))))


def times(result: JobResult, began: float) -> list[Metric]:
    """Return total, and its parts in seconds: start-up, work, and what is between jobs and after the last one.

    The parts of a benchmark of several programs, which are another division of the same time, follow.

    `began`: time.time() when the program was started.
    """
    total, work, startup = result.seconds, result.work_seconds, result.startup_seconds(began)
    return [
        Metric(name="time.total", value=total, unit="s", source=CLOCK),
        Metric(name="time.work", value=work, unit="s", source=CLOCK),
        Metric(name="time.startup", value=startup, unit="s", source=CLOCK),
        Metric(name="time.between", value=total - work - startup, unit="s", source=CLOCK),
        *(
            Metric(name=f"time.{name}", value=seconds, unit="s", source=CLOCK)
            for name, seconds in result.parts.items()
        ),
    ]


def storage(
    before: Mapping[str, Mapping[str, tuple[int, int]]], after: Mapping[str, Mapping[str, tuple[int, int]]]
) -> list[Metric]:
    """Return what the daemons of each kind made storage read and write in a run, of all hosts together.

    before, after: as storage_bytes has them. A kind of which a daemon is missing at either time has no value.
    """
    found = []
    for kind, began in before.items():
        ended = after.get(kind, {})
        for index, way in enumerate(("read", "written")):
            name = f"storage.{way}.{kind}"
            if not began or began.keys() != ended.keys():
                reason = f"the kernel does not tell it of every {kind}, or one of them has died"
                found.append(Metric(name=name, value=None, unit="B", source="none", reason=reason))
                continue
            value = sum(ended[host][index] - began[host][index] for host in began)
            found.append(Metric(name=name, value=value, unit="B", source="measured:procfs"))
    return found


def link_rate(context: CellContext) -> Metric:
    """Return the rate of the cell's interface, where it is ours to set."""
    rate = context.hosts.interconnect(context.spec.interface).rate_mbit_s
    if rate is None:
        reason = "no rate is set: the link is as fast as it is"
        return Metric(name="link.rate", value=None, unit="Mbit/s", source="none", reason=reason)
    return Metric(name="link.rate", value=rate, unit="Mbit/s", source="emulated:tbf")


def environment(context: CellContext) -> dict[str, Any]:
    """Return machine, software, hosts and moment of a run."""
    hosts = context.spec.hosts
    return {
        **machine(),
        **moment(),
        "git": git_state(),
        "programs": context.programs,
        **({} if context.batch is None else {"batch": context.batch}),
        "hosts": {
            "kind": hosts.kind,
            "rates_mbit_s": {name: link.rate_mbit_s for name, link in hosts.interfaces.items()},
            "disks": {name: without_defaults(disk) for name, disk in hosts.disks.items()},
        },
    }


def record_unbegun(spec: CellSpec, run: CellRun, programs: dict[str, dict[str, Any]], reason: str) -> Outcome:
    """Record a run that could not even be begun as failed."""
    facts = {**machine(), **moment(), "git": git_state(), "programs": programs}
    documents = {SPECIFICATION: specification(spec, run, programs)}
    return record_failure(Path(run.folder), run.identity, facts, reason, documents=documents)


def measure(context: CellContext, run: CellRun, framework: Framework) -> Outcome:
    """Make a run and write its record. One that fails, takes too long or has a wrong output is recorded as such.

    So is one whose output is right although its cluster lost a daemon.

    Raises KvasirError when the record cannot be written.
    """
    name = f"{run.identity.point}-{run.identity.rep}"
    facts = environment(context)
    with write_folder(Path(run.folder)) as folder:
        started, began = datetime.now(UTC), time.monotonic()
        metrics: list[Metric] = []
        status: Status = "ok"
        reason = trace = ""
        try:
            metrics = attempt(context, run, framework, name, folder)
            reason = unusable(metrics)
            status = "failed" if reason else "ok"
        except KvasirError as error:
            status = "timeout" if isinstance(error, JobTimeout) else "failed"
            wrong = "the output is wrong: " if isinstance(error, InvalidOutput) else ""
            reason = f"{wrong}{error}"[:REASON_CHARACTERS]
        except Exception as error:
            # A defect of ours costs the run that met it, not the cell's others.
            status, trace = "failed", traceback.format_exc()
            reason = f"{type(error).__name__}: {error}"[:REASON_CHARACTERS]
        seconds = next((m.value for m in metrics if m.name == "time.total"), time.monotonic() - began)
        outcome = Outcome(status=status, reason=reason, started=started.isoformat(), seconds=seconds)
        write_log(context.cell.cluster.log(name), trace or reason, folder / "log.txt")
        dump_json(specification(context.spec, run, context.programs), folder / SPECIFICATION)
        save(Record(identity=run.identity, environment=facts, outcome=outcome, metrics=metrics), folder)
    return outcome


def attempt(
    context: CellContext, run: CellRun, framework: Framework, name: str, folder: Path
) -> list[Metric]:
    """Make the run itself, with trace, tasks, counters and stages in `folder`. Raises KvasirError when it is no time.

    Emulated links have their rates in the run alone: inputs are made and outputs checked as fast as the machine can.
    """
    benchmark = make(run.benchmark, run.settings)
    with context.hosts.unlimited():
        benchmark.prepare(context.cell)
        framework.prepare(benchmark, context.cell)
        settle(context.cell.cluster)
        conditions = input_facts(benchmark, context.cell)
        before = storage_bytes(context.cell.cluster)
    power = context.spec.power
    with Monitor(
        context.hosts, period_s=context.spec.period_s, trace=folder / "trace.csv", power=power
    ) as monitor:
        began = time.time()
        result = framework.execute(benchmark, context.cell, name)
    moved = storage(before, storage_bytes(context.cell.cluster))
    write_rows(tasks.TaskRow, tasks.of_jobs(result.jobs, monitor.origin), folder / "tasks.csv")
    write_rows(counters.CounterRow, counters.of_jobs(result.jobs), folder / "counters.csv")
    write_rows(stages.StageRow, stages.of_jobs(result.jobs), folder / "stages.csv")
    with context.hosts.unlimited():
        conditions += framework.conditions(context.cell, result)
        metrics, _ = benchmark.validate(context.cell, result)
    found = [*times(result, began), *metrics, *conditions, *monitor.metrics(result.seconds)]
    return [*found, *moved, link_rate(context), *faults(result), *efficiency(found)]


def faults(result: JobResult) -> list[Metric]:
    """Return whether a daemon died, and how many reduces a shuffle plug-in left to the stock shuffle, if any."""
    left = left_to_stock(result)
    found = [Metric(name="disturbed", value=float(bool(result.disturbed)), unit="1", source=CLOCK)]
    if left:
        found.append(Metric(name="shuffle.left", value=left, unit="1", source="measured:history"))
    return found


def unusable(metrics: Sequence[Metric]) -> str:
    """Return why the times of a run whose output is right are not those of its framework; '' when they are."""
    values = {metric.name: metric.value for metric in metrics}
    if values.get("disturbed"):
        return "disturbed: a daemon of the cluster died, so that its time says nothing"
    if left := values.get("shuffle.left"):
        return f"the shuffle plug-in left {left:g} reduce attempts to Hadoop's own shuffle (why: their logs)"
    return ""


def write_log(source: Path, reason: str, target: Path) -> None:
    """Write the output of the run's program, and the reason of a failure."""
    if source.is_file():
        shutil.copyfile(source, target)
    with target.open("a", encoding="utf-8") as file:
        file.write(f"{reason}\n" if reason else "")


BUILDS = Path("build/hadoop")
"""Where each Hadoop has its folder, and beside it the file that the workflow waits for."""


def programs_of(spec: CellSpec) -> dict[str, dict[str, Any]]:
    """Return the facts in the files of `built` that tell builds apart. Raises KvasirError without one."""
    found: dict[str, dict[str, Any]] = {}
    for name in spec.built:
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
            facts = json.loads(text)
        except (OSError, ValueError) as error:
            raise KvasirError(
                f"{path}: expected what the build writes there: {error}; build it again"
            ) from None
        if path.parent == BUILT / spec.hadoop:
            software = [facts["jar"], *([facts["released"]] if facts.get("released") else [])]
            found.setdefault("plugins", {})[path.stem] = " ".join(software)
        elif path.parent == BUILDS:
            digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
            found["hadoop"] = {
                "version": facts["version"],
                "java": facts["java"]["version"],
                "digest": digest,
                **({"image": facts["image"]} if "image" in facts else {}),
            }
        else:
            found[path.stem] = facts
    return found
