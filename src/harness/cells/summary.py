"""Summarises cells as MREv does (its paper, Sec. 3.2): parameters, main results, statistics. Pure functions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from pydantic import BaseModel

from harness.core.models import without_defaults
from harness.core.numbers import number
from harness.hadoop.benchmarks import make
from harness.hadoop.benchmarks.tpcx_hs import METRIC, NO_RESULT, Outcome, TpcxHs, outcome
from harness.plan.spec import CellSpec
from harness.results.records import Record

STATISTICS = (
    *("cell", "nodes", "disk", "framework", "benchmark", "run"),
    *("metric", "unit", "n", "min", "mean", "median", "max", "source"),
)
MAIN = ("time.total", "time.startup", "time.work", "throughput.aggregate", "energy.total", "ed2p")
"""The main results, where a run has them."""
Row = dict[str, Any]


def exclusion(record: Record) -> str:
    """Return the reason why a run says nothing about speed; '' of a good one."""
    return "" if record.outcome.status == "ok" else f"{record.outcome.status}: {record.outcome.reason}"


def statistics(cells: Iterable[CellSpec], records: Mapping[str, Record]) -> list[Row]:
    """Return number of good runs, least, mean, median and most by metric and benchmark. `records`: by folder."""
    rows: list[Row] = []
    for cell in cells:
        found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
        who: dict[str, Row] = {}
        for run in cell.runs:
            record = records[run.folder]
            head = {"cell": cell.cell, "nodes": cell.nodes, "disk": cell.disk}
            point = run.identity.point
            who[point] = {**head, "framework": run.framework, "benchmark": run.benchmark, "run": point}
            for metric in record.metrics if not exclusion(record) else ():
                if metric.value is not None and metric.name != "disturbed":
                    key = point, f"{metric.name}\t{metric.unit}"
                    found[key].append((metric.value, metric.source))
        for (point, name), values in found.items():
            metric_name, unit = name.split("\t")
            numbers = [value for value, _ in values]
            rows.append(
                {**who[point], "metric": metric_name, "unit": unit, "n": len(numbers)}
                | {
                    "min": min(numbers),
                    "mean": fmean(numbers),
                    "median": median(numbers),
                    "max": max(numbers),
                }
                | {"source": ", ".join(sorted({source for _, source in values}))}
            )
    return rows


def summary(cells: Sequence[CellSpec], records: Mapping[str, Record], title: str) -> str:
    """Return the summary report, as Markdown."""
    rows = statistics(cells, records)
    lines = [f"# {title}", ""]
    if sizes := _by_size(rows):
        lines += ["## Times by cluster size", "", *sizes, ""]
    for cell in cells:
        own = [row for row in rows if row["cell"] == cell.cell]
        lines += [f"## Cell {cell.cell}", "", *_parameters(cell, records), ""]
        lines += ["### Results", "", *_results(own), ""]
        if rules := _rules(cell, records):
            lines += [f"### TPCx-HS's rules, {NO_RESULT}", "", *rules, ""]
        trouble = [
            (run, exclusion(records[run.folder])) for run in cell.runs if exclusion(records[run.folder])
        ]
        if trouble:
            lines += ["### Runs that say nothing about speed", ""]
            lines += [
                f"- {run.identity.point}, repetition {run.identity.rep}: {what}" for run, what in trouble
            ]
            lines += [""]
    if not cells:
        lines += ["No cell can be made here."]
    return "\n".join(lines).rstrip() + "\n"


def _by_size(rows: Iterable[Row]) -> list[str]:
    """Return the total times on clusters of each size, a line for each benchmark, framework and disk.

    Nothing where all clusters have one size.
    """
    found: dict[tuple[str, str, str, str], dict[int, Row]] = defaultdict(dict)
    for row in rows:
        if row["metric"] == MAIN[0]:
            found[row["benchmark"], row["framework"], row["disk"], row["run"]][row["nodes"]] = row
    sizes = sorted({nodes for times in found.values() for nodes in times})
    if len(sizes) < 2:
        return []
    head = ("benchmark", "framework", "disk", *(f"{nodes} nodes (s)" for nodes in sizes))
    return _table(
        head, [(*key[:3], *(_value(times.get(n)) for n in sizes)) for key, times in sorted(found.items())]
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells)]


def _parameters(cell: CellSpec, records: Mapping[str, Record]) -> list[str]:
    """Return all parameters that were chosen: cluster, Hadoop, benchmarks."""
    hosts = cell.hosts
    link = hosts.interfaces[cell.interface].rate_mbit_s
    disk = ", ".join(f"{key} {value}" for key, value in without_defaults(hosts.disks[cell.disk]).items())
    programs: dict[str, Any] = {}
    for run in cell.runs:
        programs |= records[run.folder].environment.get("programs", {})
    chosen = {
        "nodes": f"{cell.nodes}, the master among them",
        "hosts": hosts.kind,
        "interface": f"{cell.interface}, {f'{link:g} Mbit/s' if link else 'no rate set'}",
        "disk": f"{cell.disk}{f' ({disk})' if disk else ''}",
        **{f"program {name}": f"{facts.get('version', '')}".strip() for name, facts in programs.items()},
        "sampling period": f"{cell.period_s:g} s",
        **{name: _shown(value) for name, value in cell.parameters},
    }
    settings = {run.identity.point: make(run.benchmark, run.settings).settings for run in cell.runs}
    repetitions = Counter(run.identity.point for run in cell.runs)
    told = [(point, repetitions[point], _shown(found)) for point, found in sorted(settings.items())]
    return [
        *["### Parameters", "", *_table(("parameter", "value"), chosen.items()), ""],
        *_table(("run", "repetitions", "settings"), told),
    ]


def _shown(value: object) -> str:
    """Return a parameter for people; several values as `name value, name value`."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(one)}" for key, one in value.items()) or "none"
    return "not set" if value is None else str(value)


def _results(rows: Sequence[Row]) -> list[str]:
    """Return main results by benchmark and framework: median, and the range of the runs."""
    if not rows:
        return ["No run has ended well."]
    metrics = [name for name in MAIN if any(row["metric"] == name for row in rows)]
    units = {row["metric"]: row["unit"] for row in rows}
    by_run: dict[tuple[str, str, str], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_run[row["benchmark"], row["framework"], row["run"]][row["metric"]] = row
    head = ["benchmark", "framework", "n", *(f"{name} ({units[name]})" for name in metrics)]
    body = []
    for (benchmark, framework, _), found in sorted(by_run.items()):
        counted = max(row["n"] for row in found.values())
        body.append([benchmark, framework, counted, *(_value(found.get(name)) for name in metrics)])
    return _table(head, body)


def _rules(cell: CellSpec, records: Mapping[str, Record]) -> list[str]:
    """Return what the two runs of each framework come to by TPCx-HS's rules: the slower one counts."""
    runs: dict[str, dict[int, float]] = defaultdict(dict)
    for run in cell.runs:
        record, valid = records[run.folder], runs[run.identity.point]
        if run.benchmark == TpcxHs.name and not exclusion(record):
            valid[run.identity.rep] = next(m.value or 0.0 for m in record.metrics if m.name == METRIC)
    names = {
        run.identity.point: f"{run.framework}, {make(run.benchmark, run.settings).data_mb} MB"
        for run in cell.runs
        if run.benchmark == TpcxHs.name
    }
    head = ("framework", "performance run (TB/h)", "repeatability run (TB/h)", "apart", "counts")
    return (
        _table(head, [_judged(name, outcome(runs[point])) for point, name in names.items()]) if names else []
    )


def _judged(name: str, found: Outcome | None) -> tuple[str, ...]:
    if found is None:
        return (name, "none: the rules want two valid runs", "", "", "")
    values = (number(found.performance), number(found.repeatability), f"{found.apart:.1%}")
    return (name, *values, f"run {found.counts}")


def _value(row: Row | None) -> str:
    if row is None:
        return ""
    spread = f" ({number(row['min'])} … {number(row['max'])})" if row["n"] > 1 else ""
    return f"{number(row['median'])}{spread}" + (" emulated" if "emulated:" in row["source"] else "")
