"""Collects the report's texts, runs, environments and rankings from configuration and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from harness.config import Config
from harness.config import Study as StudyConfig
from harness.config.archive import Provenance
from harness.config.levers import Lever
from harness.report.best_framework import METRICS, RATE, Measure
from harness.report.environments import GitState
from harness.report.runs import Run
from harness.results.layout import TableSpec, figure_stem
from harness.results.records import Record


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure and its texts."""

    id: str
    title: str
    stem: Path
    """Path without extension; `.svg` is put into the page, `.pdf` and `.png` are linked where they exist."""
    paper_says: str
    how: str
    """How each number in it was obtained."""
    discussion: str = ""
    """Where it differs from the paper and why; '' where nothing is said."""
    command: str
    """The command that draws it again, with all it needs."""
    script: str = ""
    tables: list[Path] = field(default_factory=list)
    """What it is drawn from."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One study; one with neither claims nor runs nor figures is left out of the page."""

    id: str
    title: str
    paper: str
    """The paper's full reference."""
    question: str = ""
    """What the paper asks."""
    key_claim: str = ""
    """Id of the claim that answers it best."""
    figures: list[Figure] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of the workflow with its description."""

    what: str
    command: str


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The page's head, with the texts of its studies and the commands to reproduce them."""

    title: str
    scale: str
    site: str
    generated: datetime
    """When the page was made; shown in UTC. The only thing on the page that is not in its inputs."""
    git: GitState | None
    """None outside a git checkout."""
    studies: list[Study]
    commands: list[Command]
    together: Figure | None = None
    """The figure of all studies."""
    together_claims: tuple[str, ...] = ()
    """Ids of the claims that it shows."""
    replayed: str = ""
    """Where the records are from, if nothing was run for this page."""


def runs_of(records: list[Record], tables: Iterable[TableSpec]) -> list[Run]:
    """Returns one run a record in the order they were made, then one a level that could not be run here."""
    made = [
        Run(
            study=record.identity.study,
            experiment=record.identity.experiment,
            point=record.identity.point,
            rep=str(record.identity.rep),
            status=record.outcome.status,
            reason=record.outcome.reason,
            seconds=record.outcome.seconds,
        )
        for record in sorted(records, key=lambda record: record.outcome.started)
    ]
    absent = [
        Run(
            study=table.study,
            experiment=table.experiment,
            point=point.point,
            rep="",
            status="not-run",
            reason=point.reason,
            seconds=None,
        )
        for table in tables
        for point in table.not_run
    ]
    return made + absent


CHOICE_METRICS = (*METRICS, RATE)


def sized(benchmark: str, size: object) -> str:
    """Returns a benchmark's name with the size of its data, where that is another one than the scale's."""
    return benchmark if size is None or size == 1 else f"{benchmark}, {size} times the data"


def settings_of(folder: Path, record: Record, studies: Iterable[str]) -> str:
    """Returns what sets a run apart from others of its framework, benchmark, cluster size and disk.

    Its folder says it (see plan/cells.py): the end of the point's name for settings of the benchmark, a study in that
    of the cell for parameters of the cluster.
    """
    levels = record.identity.factors
    own = folder.name.removeprefix(f"{levels['framework']}_{levels['benchmark']}")
    cell = folder.parents[1].name.removeprefix(f"{levels['nodes']}n_{levels['disk']}_")
    return "_".join([*sorted(set(cell.split("_")).intersection(studies)), *([own] if own else [])])


def measures(
    tables: Iterable[TableSpec], read: Callable[[Path], Record], labels: Mapping[str, str]
) -> list[Measure]:
    """Returns the metrics that rank frameworks on clusters: of each run that ended well, once.

    Several tables may have a run. `read` gives the record of a file, `labels` the frameworks' names for people.
    """
    tables = list(tables)
    known = {table.study for table in tables}
    wanted: dict[str, set[str]] = {}
    repetitions: dict[str, int] = {}
    for table in tables:
        for runs in table.runs.values():
            wanted.setdefault(runs.folder, set()).add(table.study)
            repetitions[runs.folder] = max(runs.repetitions, repetitions.get(runs.folder, 0))
    found = []
    for folder, studies in wanted.items():
        for rep in range(1, repetitions[folder] + 1):
            record = read(Path(folder) / str(rep) / "run.json")
            metrics = {metric.name: metric for metric in record.metrics}
            if record.outcome.status != "ok":
                continue
            levels = record.identity.factors
            found += [
                Measure(
                    benchmark=sized(str(levels["benchmark"]), levels.get("size")),
                    settings=settings_of(Path(folder), record, known),
                    studies=tuple(sorted(studies)),
                    nodes=int(levels["nodes"] or 0),
                    disk=str(levels["disk"]),
                    framework=labels[str(levels["framework"])],
                    metric=name,
                    value=metrics[name].value,
                    unit=metrics[name].unit,
                    source=metrics[name].source,
                    reason=metrics[name].reason,
                )
                for name in CHOICE_METRICS
                if name in metrics
            ]
    return found


OF_STUDIES = ("programs", "power", "hosts")
"""Parts of an environment in which studies differ by nature: what they run, whether a meter was read, and where."""


OF_RUNS = ("load_before", "batch")
"""Parts that every run has its own of: how busy the machine was, and which job of a scheduler it was."""


def _joined(known: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Returns two environments merged if they agree in all that both say, else None."""
    if any(known.get(key) != other.get(key) for key in {*known, *other} - {*OF_STUDIES}):
        return None
    parts = {key: {**known[key], **other[key]} for key in OF_STUDIES}
    if any(parts[key][name] != value for key in OF_STUDIES for name, value in known[key].items()):
        return None
    return {**known, **parts}


def route(programs: dict[str, Any]) -> str:
    """Returns the origin of programs: images, or the machine itself."""
    images = {facts["image"]["name"] for facts in programs.values() if "image" in facts}
    own = sorted(name for name, facts in programs.items() if "image" not in facts)
    if not images:
        return "this machine"
    return f"images {', '.join(sorted(images))}" + (f"; this machine: {', '.join(own)}" if own else "")


def environments(records: list[Record]) -> list[dict[str, Any]]:
    """Returns distinct environments with the number of runs each had.

    Values that differ from run to run are left out, but for the load before the runs: its range is kept.
    """
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


_USUAL = {"scale": "laptop", "site": "local", "replay": None}
"""What config/config.yaml asks for where the command line says nothing."""


def _drawn_by(config: Config, target: str) -> str:
    """Returns the command that makes a file or target of this page's records, with the settings that are no default."""
    told = {"scale": config.top.scale, "site": config.top.site, "replay": config.top.replay}
    changed = [f"{key}={value}" for key, value in told.items() if value != _USUAL[key]]
    return f"snakemake --cores 2 {target}" + (f" --config {' '.join(changed)}" if changed else "")


def _figures(config: Config, study: StudyConfig) -> list[Figure]:
    """Returns the study's figures as the report shows them."""
    return [
        Figure(
            id=figure.id,
            title=figure.title,
            stem=Path(figure_stem(config, study.id, figure.id)),
            paper_says=figure.paper_says,
            how=figure.how,
            discussion=figure.discussion,
            command=_drawn_by(config, f"fig_{study.id}_{figure.alias}"),
            script=f"scripts/figures/{study.id}/{figure.id}.R",
            tables=[Path(config.results, "tables", study.id, f"{table}.csv") for table in figure.tables],
        )
        for figure in study.figures
    ]


def replayed(archives: str, origin: Provenance) -> str:
    """Returns where the records of a replay are from, in one sentence."""
    days = f"{origin.began[:10]} to {origin.ended[:10]}"
    machines = "; ".join(origin.machines)
    return f"{archives}/{origin.scale}: runs of {days} on {machines}; nothing was run for this page"


def _together(config: Config) -> Figure:
    """Returns the figure of what all studies change."""
    return Figure(
        id="levers",
        title="What the studies change, and what is left of time and energy",
        stem=Path(config.results, "figures", "levers"),
        paper_says="Nothing of the whole: each hollow diamond is what one paper states of its own change.",
        how="Each line is a claim: the median of its values here and the paper's number, over those without it.",
        command=_drawn_by(config, f"{config.results}/figures/levers.svg"),
        script="scripts/figures/together/levers.R",
        tables=[Path(config.results, "tables", "levers.csv")],
    )


def title_of(studies: list[StudyConfig]) -> str:
    """Returns the page's title: studies that are no paper's have titles of their own."""
    if any(study.key_claim for study in studies):
        return "Five studies of MapReduce on HPC systems, run again"
    return "; ".join(study.title for study in studies)


def overview(
    config: Config,
    git: dict[str, Any],
    generated: datetime,
    origin: Provenance | None = None,
    levers: Mapping[str, Lever] | None = None,
) -> Overview:
    """Returns the report's texts; `git` is empty outside a git checkout, `origin` that of a replay's archive."""
    effects = [one for lever in (levers or {}).values() for one in (lever.time, lever.energy) if one]
    site = f" SITE={config.top.site}" if config.top.site != "local" else ""
    again = f"make replay SCALE={config.top.scale} REPLAY={config.top.replay}"
    return Overview(
        title=title_of(list(config.studies.values())),
        scale=config.top.scale,
        site=config.top.site,
        generated=generated,
        git=GitState(**git) if git else None,
        studies=[
            Study(
                id=study.id,
                title=study.title,
                paper=study.paper,
                question=study.question,
                key_claim=study.key_claim,
                figures=_figures(config, study),
            )
            for study in config.studies.values()
        ],
        together=_together(config) if levers else None,
        together_claims=tuple(effect.claim for effect in effects),
        replayed=replayed(str(config.top.replay), origin) if origin else "",
        commands=[
            *([Command(what="This page from its records", command=again)] if origin else []),
            Command(
                what="Everything on this page",
                command=f"make reproduce SCALE={config.top.scale}{site}"
                if any(study.key_claim for study in config.studies.values())
                else "kvasir compare, with the same options",
            ),
            Command(what="Every step on tiny data", command=f"make smoke{site}"),
            Command(what="All tests", command="make test"),
        ],
    )
