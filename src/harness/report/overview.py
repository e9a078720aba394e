"""What the report says about the runs as a whole: one row a run, and which environments they had."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.config import CellsStudy, Config, Study
from harness.report.best_framework import METRICS, RATE
from harness.report.inputs import CHOICE_COLUMNS
from harness.report.manifest import Command, Figure, GitState, ReportManifest
from harness.report.manifest import Study as ReportStudy
from harness.results.layout import TableSpec
from harness.results.records import Record

RUN_COLUMNS = ["study", "experiment", "point", "rep", "order", "status", "reason", "seconds", "started"]


def run_rows(records: list[Record], tables: Iterable[TableSpec]) -> list[dict[str, Any]]:
    """One row a run in the order they were made, then one a level that could not be run here."""
    rows: list[dict[str, Any]] = []
    for order, record in enumerate(sorted(records, key=lambda record: record.outcome.started), 1):
        who, outcome = record.identity, record.outcome
        rows.append(
            {
                **{key: getattr(who, key) for key in ("study", "experiment", "point", "rep")},
                "order": order,
                **{key: getattr(outcome, key) for key in ("status", "reason", "seconds", "started")},
            }
        )
    for table in tables:
        for absent in table.not_run:
            who_row = {"study": table.study, "experiment": table.experiment, "point": absent.point}
            rows.append({**who_row, "status": "not-run", "reason": absent.reason})
    return [{column: row.get(column) for column in RUN_COLUMNS} for row in rows]


CHOICE_METRICS = (*METRICS, RATE)


def choice_rows(
    tables: Iterable[TableSpec], read: Callable[[Path], Record], labels: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What frameworks on clusters can be chosen by: each run that ended well and undisturbed once, though several
    tables may have it. `read` gives the record of a file, `labels` the frameworks' names for people."""
    wanted: dict[str, set[str]] = {}
    repetitions: dict[str, int] = {}
    for table in tables:
        for runs in table.runs.values():
            wanted.setdefault(runs.folder, set()).add(table.study)
            repetitions[runs.folder] = max(runs.repetitions, repetitions.get(runs.folder, 0))
    rows = []
    for folder, studies in wanted.items():
        for rep in range(1, repetitions[folder] + 1):
            record = read(Path(folder) / str(rep) / "run.json")
            metrics = {metric.name: metric for metric in record.metrics}
            disturbed = metrics.get("disturbed")
            if record.outcome.status != "ok" or (disturbed is not None and disturbed.value):
                continue
            levels = record.identity.factors
            who = {name: levels[name] for name in ("benchmark", "nodes", "disk")}
            label = labels[str(levels["framework"])]
            rows += [
                {**who, "studies": ", ".join(sorted(studies)), "framework": label, "metric": name}
                | {key: getattr(metrics[name], key) for key in ("value", "unit", "source", "reason")}
                for name in CHOICE_METRICS
                if name in metrics
            ]
    return [{column: row[column] for column in CHOICE_COLUMNS} for row in rows]


OF_STUDIES = ("programs", "power", "hosts")
"""Parts of an environment in which studies differ by nature: what they run, whether a meter was read, and where."""


OF_RUNS = ("load_before", "batch")
"""Parts that every run has its own of: how busy the machine was, and which job of a scheduler it was."""


def _joined(known: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Two environments as one if they agree in all that both say; None if they do not."""
    if any(known.get(key) != other.get(key) for key in {*known, *other} - {*OF_STUDIES}):
        return None
    parts = {key: {**known[key], **other[key]} for key in OF_STUDIES}
    if any(parts[key][name] != value for key in OF_STUDIES for name, value in known[key].items()):
        return None
    return {**known, **parts}


def route(programs: dict[str, Any]) -> str:
    """Where the programs of some runs came from: images, or the machine itself."""
    images = {facts["image"]["name"] for facts in programs.values() if "image" in facts}
    own = sorted(name for name, facts in programs.items() if "image" not in facts)
    if not images:
        return "this machine"
    return f"images {', '.join(sorted(images))}" + (f"; this machine: {', '.join(own)}" if own else "")


def environments(records: list[Record]) -> list[dict[str, Any]]:
    """Distinct environments with the number of runs each had. What differs from run to run is left out, but for
    the load before the runs, of which the least and the greatest are kept."""
    groups: list[tuple[dict[str, Any], list[float]]] = []
    for record in records:
        values = {key: value for key, value in record.environment.items() if key not in OF_RUNS}
        values["power"] = {k: v for k, v in values.get("power", {}).items() if k in ("source", "reason")}
        values |= {key: values.get(key, {}) for key in OF_STUDIES}
        load = float(record.environment.get("load_before", 0.0))
        for place, (known, loads) in enumerate(groups):
            both = _joined(known, values)
            if both is not None:
                groups[place] = (both, [*loads, load])
                break
        else:
            groups.append((values, [load]))
    return [
        {
            "runs": len(loads),
            "values": {
                **values,
                "software": route(values["programs"]),
                "load_before": f"{min(loads):.2f} … {max(loads):.2f}",
            },
        }
        for values, loads in sorted(groups, key=lambda group: -len(group[1]))
    ]


def figures_of(study: Study, results: str) -> list[Figure]:
    """The study's figures as the report shows them."""
    return [
        Figure.model_validate(
            {
                "id": figure.id,
                "title": figure.title,
                "stem": f"{results}/figures/{study.id}/{figure.id}",
                "paper_says": figure.paper_says,
                "how": figure.how,
                "discussion": figure.discussion,
                "command": f"snakemake --cores 2 fig_{study.id}_{figure.alias}",
            }
        )
        for figure in study.figures
    ]


def manifest(config: Config, folder: str, git: dict[str, Any], generated: str) -> ReportManifest:
    """The report's manifest; run rows and environments lie in `folder`."""
    results = config.results
    site = f" SITE={config.top.site}" if config.top.site != "local" else ""
    return ReportManifest.model_validate(
        {
            "scale": config.top.scale,
            "site": config.top.site,
            "title": "Five studies of MapReduce on HPC systems, run again",
            "generated": generated,
            "git": GitState(**git) if git else None,
            "studies": [
                ReportStudy.model_validate(
                    {
                        "id": study.id,
                        "title": study.title,
                        "paper": study.paper,
                        "claims_csv": f"{results}/claims/{study.id}.csv",
                        "runs_csv": f"{folder}/{study.id}.runs.csv",
                        "figures": figures_of(study, results),
                    }
                )
                for study in config.studies.values()
            ],
            "environment_json": f"{folder}/environments.json",
            "choice_csv": f"{folder}/choice.csv"
            if any(isinstance(study, CellsStudy) for study in config.studies.values())
            else None,
            "benchmarks_dir": f"{results}/benchmarks",
            "shared_benchmarks": {"programs": "build/benchmarks", "texts": "data/benchmarks"},
            "commands": [
                Command(
                    what="Everything on this page", command=f"make reproduce SCALE={config.top.scale}{site}"
                ),
                Command(what="Every step on tiny data", command=f"make smoke{site}"),
                Command(what="All tests", command="make test"),
            ],
        }
    )
