"""Plans studies of kind cells: from a point to a run of a cell that studies share. Pure functions."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from harness.config import CellsStudy, Config, FrameworkEntry, Level
from harness.config.benchmarks import COMMAND
from harness.config.cells_study import SIZE, CellsScale, CellsStudyScale
from harness.config.frameworks import DEFAULT_HADOOP, MIMIR, class_of
from harness.config.hadoop import CHECKSUM_MB, Parameters, SiteFile
from harness.config.series import Series
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import CLASSES, make
from harness.hadoop.benchmarks.command import Command
from harness.hadoop.benchmarks.dfsio import Dfsio
from harness.hadoop.plugins import Plugin, facts_of, job_properties, load_plugins, together
from harness.plan.capabilities import Refusals
from harness.plan.points import Point, seed_of, selected
from harness.plan.requirements import MIB, cell_memory_mb, cells_needs
from harness.plan.spec import CellRun, CellSpec, Plan
from harness.results.layout import NotRun, Runs, TableSpec
from harness.results.records import Factors, Identity

CELLS = "cells"
"""In place of a study's name where a run belongs to all studies that want it."""


def check_benchmarks(config: Config, folder: str) -> None:
    """Check the frameworks' classes, and names and settings of benchmarks in the studies and the scale.

    Raises KvasirError with one line for each mistake, naming file and key; `folder` holds the configuration.
    """
    wrong = []
    if any(isinstance(study, CellsStudy) for study in config.studies.values()):
        for name, entry in config.frameworks.items():
            try:
                if entry.kind is not None and not entry.missing:
                    check_framework(name, entry)
            except KvasirError as error:
                wrong.append(f"{folder}/frameworks.yaml: {error}")
    commands = config.scale.cells.benchmarks if config.scale.cells else {}
    names = benchmark_names(commands)
    known = ", ".join(names)
    for study in config.studies.values():
        for name, experiment in study.experiments.items() if isinstance(study, CellsStudy) else ():
            if unknown := sorted(experiment.levels_of("benchmark") - set(names)):
                wrong.append(
                    f"{folder}/studies/{study.id}.yaml: experiments.{name}: found benchmark "
                    f"{', '.join(unknown)}: allowed: {known}"
                )
    file = f"{folder}/scales/{config.top.scale}.yaml"
    shared = config.scale.cells
    sections: dict[str, Mapping[str, dict[str, Any]]] = {}
    if shared is not None:
        sections["cells.benchmarks"] = shared.benchmarks
        sections["cells.more_repetitions"] = {
            name: commands.get(name, {}) if name not in CLASSES else {} for name in shared.more_repetitions
        }
    for study in config.studies.values():
        own = config.scale.studies[study.id]
        if isinstance(own, CellsStudyScale):
            sections[f"{study.id}.benchmarks"] = {
                name: {**commands.get(name, {}), **settings} for name, settings in own.benchmarks.items()
            }
    for section, benchmarks in sections.items():
        for name, settings in benchmarks.items():
            try:
                if name in CLASSES and COMMAND in settings:
                    raise KvasirError(f"{name} is a benchmark of this project: name the command otherwise")
                make(name, settings)
            except KvasirError as error:
                wrong.append(f"{file}: {section}.{name}: found {settings!r}: {error}")
    if wrong:
        raise KvasirError("\n".join(wrong))


def check_framework(name: str, entry: FrameworkEntry) -> None:
    """Check an entry's class and plug-ins. Raises KvasirError when one is wrong."""
    runs_jobs = entry.kind != MIMIR and class_of(name, entry).runs_hadoop_jobs
    if (entry.plugins or entry.job_properties or entry.site) and not runs_jobs:
        raise KvasirError(
            f"framework {name}: plugins, job_properties and site are of no use to its class {entry.kind}"
        )
    try:
        job_properties(entry.job_properties, load_plugins(entry.plugins).values())
    except KvasirError as error:
        raise KvasirError(f"framework {name}: {error}") from None


def reason(levels: Mapping[str, Level], config: Config, refusals: Refusals) -> str:
    """Returns why a point cannot be run here, '' if it can."""
    name, disk, hosts = str(levels["framework"]), str(levels["disk"]), config.site.hosts
    entry = config.frameworks[name]
    if trouble := entry.missing or class_of(name, entry).refusal(str(levels["benchmark"])):
        return f"{name}: {trouble}"
    if hosts is None:
        return f"site {config.top.site} has no hosts"
    if refusals.hosts:
        return refusals.hosts
    if entry.interface not in hosts.interfaces:
        return f"interface {entry.interface!r}: the site's hosts have only {', '.join(hosts.interfaces)}"
    if disk not in hosts.disks:
        return f"disk {disk!r}: the site's hosts have only {', '.join(hosts.disks)}"
    return refusals.disks.get(disk, "")


def benchmark_names(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns the names of all benchmarks: those with a class, and the user's commands, which `settings` holds."""
    return [*CLASSES, *(name for name, own in settings.items() if COMMAND in own and name not in CLASSES)]


def settings_in(benchmark: str, *sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns what sections of a scale say of a benchmark, the later ones winning.

    The input of a command is as they say of the benchmark that the input is of.
    """
    found = {key: value for section in sections for key, value in section.get(benchmark, {}).items()}
    if benchmark in CLASSES or not found.get("input"):
        return found
    inherited = settings_in(str(found["input"]), *sections)
    return {**found, "input_settings": {**inherited, **found.get("input_settings", {})}}


def settings_of(
    benchmark: str, shared: CellsScale, own: CellsStudyScale, size: float = 1
) -> tuple[dict[str, Any], str]:
    """Returns a benchmark's settings in a study, and what sets its runs apart from those with the shared settings.

    `size`: multiple of the data. Raises KvasirError for a benchmark whose data are not given in MB.
    """
    timeout = {"timeout_s": shared.timeout_s}
    common = {**timeout, **settings_in(benchmark, shared.benchmarks)}
    settings = {**timeout, **settings_in(benchmark, shared.benchmarks, own.benchmarks)}
    if size != 1:
        made = make(benchmark, settings)
        known = (made.source if isinstance(made, Command) else made) or made
        if "data_mb" not in known.settings.model_dump():
            raise KvasirError(f"benchmark {benchmark}: it has no data_mb, which factor {SIZE} multiplies")
        settings["data_mb"] = max(1, round(size * known.settings.data_mb))
    if settings == common:
        return settings, ""
    return settings, "-" + hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:6]


def clusters_of(shared: CellsScale, own: CellsStudyScale) -> CellsScale:
    """Returns the sizes of the clusters that a study runs on: with parameters of its own, blocks are as written."""
    if own.parameters is None:
        return shared
    return shared.model_copy(update={"parameters": own.parameters, "map_waves": None})


def tasks_in_waves(nodes: int, shared: CellsScale) -> int:
    """Returns the map tasks that make the scale's number of waves on a cluster; 0 where it asks for none."""
    return (shared.map_waves or 0) * shared.parameters.mappers_per_node * max(1, nodes - 1)


def sized(benchmark: str, settings: dict[str, Any], nodes: int, shared: CellsScale) -> dict[str, Any]:
    """Returns a benchmark's settings on a cluster of so many nodes."""
    tasks = tasks_in_waves(nodes, shared)
    return CLASSES[benchmark].for_tasks(settings, tasks) if tasks and benchmark in CLASSES else settings


def parameters_of(nodes: int, shared: CellsScale) -> Parameters:
    """Returns Hadoop's parameters on a cluster: blocks so small that the smallest input makes the waves asked for.

    Inputs have a file for each map slot, so that blocks divide files into equal parts. HDFS takes no block below 1 MB.
    """
    tasks, parameters = tasks_in_waves(nodes, shared), shared.parameters
    # The user's commands do not change the clusters of the others: their inputs are those of benchmarks.
    inputs = [make(name, settings) for name, settings in shared.benchmarks.items() if name in CLASSES]
    sizes = [one.data_mb for one in inputs if one.data_mb and not isinstance(one, Dfsio)]
    if not tasks or not sizes:
        return parameters
    block = math.ceil(min(sizes) / tasks / CHECKSUM_MB) * CHECKSUM_MB
    return parameters.model_copy(update={"block_size_mb": min(parameters.block_size_mb, max(1.0, block))})


def cell_name(levels: Mapping[str, Level], entry: FrameworkEntry, *apart: str) -> str:
    """Returns the name of the cell that a point belongs to; `apart` sets it apart from others of its size."""
    return "_".join([f"{levels['nodes']}n", str(levels["disk"]), entry.interface, *apart])


def entry_of(name: str, entry: FrameworkEntry, plugins: Mapping[str, Plugin]) -> FrameworkEntry:
    """Return an entry without what its runs do not depend on, with all properties of its jobs."""
    properties = job_properties(entry.job_properties, plugins.values())
    looks = dict.fromkeys(Series.model_fields)
    own = {"label": name, "missing": "", "plugins": sorted(plugins), "job_properties": properties}
    return entry.model_copy(update={**looks, **own})


def with_site(parameters: Parameters, site: Mapping[SiteFile, Mapping[str, str]]) -> Parameters:
    """Returns the parameters of a cluster with a framework's own properties, which win."""
    extra = {file: dict(properties) for file, properties in parameters.extra.items()}
    for file, properties in site.items():
        extra[file] = {**extra.get(file, {}), **properties}
    return parameters.model_copy(update={"extra": extra})


def cell_of(levels: Mapping[str, Level], config: Config, study: str) -> CellSpec:
    """Returns the cell of a point of a study, without its runs."""
    framework, hosts, shared = str(levels["framework"]), config.site.hosts, config.scale.cells
    assert hosts is not None and shared is not None, "reason() and load_config have seen to it"
    own = config.scale.of(study, CellsStudyScale)
    scale = clusters_of(shared, own)
    entry = config.frameworks[framework]
    hadoop = entry.distribution(framework)
    plugins = load_plugins(entry.plugins)
    apart = [
        name
        for name, differs in (
            (hadoop, hadoop != DEFAULT_HADOOP),
            (study, own.parameters is not None),
            (framework, bool(entry.site) and hadoop != framework),
        )
        if differs
    ]
    cell = cell_name(levels, entry, *apart)
    built = [f"build/hadoop/{hadoop}.json", *(facts_of(name, hadoop) for name in plugins)]
    return CellSpec(
        cell=cell,
        folder=f"{config.results}/{CELLS}/{cell}",
        nodes=int(levels["nodes"]),
        disk=str(levels["disk"]),
        interface=entry.interface,
        hadoop=hadoop,
        built=sorted({*built, *class_of(framework, entry).built}),
        hosts=hosts,
        power=config.site.power.meter,
        parameters=with_site(parameters_of(int(levels["nodes"]), scale), entry.site),
        frameworks={framework: entry_of(framework, entry, plugins)},
        plugins=plugins,
        studies=[],
        period_s=scale.period_s,
        minutes=scale.minutes,
        runs=[],
    )


def shortage_of(cell: CellSpec, least: int, refusals: Refusals) -> str:
    """Returns why the hosts of a cell do not fit this machine, '' if they do.

    `least` is the memory of the smallest cluster, bytes: a machine that is too small for that one is too small for the
    scale, which is another message.
    """
    have, need = refusals.memory, cell_memory_mb(cell) * MIB
    if have is None or need <= have or least > have:
        return ""
    return f"{cell.nodes} hosts need {need / 1e9:.1f} GB of memory, this machine has {have / 1e9:.1f} GB"


def points_of(study: CellsStudy, config: Config, experiment: str) -> list[Point]:
    """Returns the points of an experiment that the scale keeps, whether they can be run here or not."""
    own = config.scale.of(study.id, CellsStudyScale)
    if experiment in own.leave_out:
        return []
    section = f"config/scales/{config.top.scale}.yaml: {study.id}"
    without = [*study.without, *own.without]
    return selected(experiment, study.experiments[experiment], study.defaults, own.only, without, section)


def repetitions_of(benchmark: str, shared: CellsScale) -> int:
    """Returns how often a point of a benchmark is run."""
    return shared.more_repetitions.get(benchmark, shared.repetitions)


def runs_of(
    cell: CellSpec, levels: Mapping[str, Level], own: CellsStudyScale, config: Config
) -> tuple[Runs, list[CellRun]]:
    """Returns the runs of a point and where they lie."""
    shared = config.scale.cells
    assert shared is not None, "the scale has been checked"
    framework, benchmark = str(levels["framework"]), str(levels["benchmark"])
    settings, apart = settings_of(benchmark, shared, own, float(levels.get(SIZE, 1)))
    point = f"{framework}_{benchmark}{apart}"
    settings = sized(benchmark, settings, cell.nodes, clusters_of(shared, own))
    folder = f"{cell.folder}/runs/{point}"
    repetitions = repetitions_of(benchmark, shared)
    factors: Factors = dict(levels)
    made = [
        CellRun(
            identity=Identity(
                study=CELLS,
                experiment=cell.cell,
                point=point,
                rep=rep,
                seed=seed_of(config.top.seed, CELLS, cell.cell, point, rep),
                scale=config.top.scale,
                site=config.top.site,
                factors=factors,
            ),
            framework=framework,
            benchmark=benchmark,
            settings=settings,
            folder=f"{folder}/{rep}",
        )
        for rep in range(1, repetitions + 1)
    ]
    return Runs(folder=folder, repetitions=repetitions, declared=[f"{cell.folder}/cell.json"]), made


def plan(study: CellsStudy, config: Config, refusals: Refusals) -> Plan:
    """Plans cells with the runs that a study wants there, and its tables."""
    own = config.scale.of(study.id, CellsStudyScale)
    if SIZE in study.factors and own.parameters is None:
        raise KvasirError(
            f"config/scales/{config.top.scale}.yaml: {study.id}.parameters: found nothing: expected Hadoop's "
            f"parameters for clusters of its own: runs of a study with factor {SIZE} cannot be other studies' as well"
        )
    points = {name: points_of(study, config, name) for name in study.experiments}
    troubles = {
        (name, point.name): reason(point.levels, config, refusals)
        for name in points
        for point in points[name]
    }
    possible = {
        (name, point.name): cell_of(point.levels, config, study.id)
        for name in points
        for point in points[name]
        if not troubles[name, point.name]
    }
    least = min((cell_memory_mb(cell) * MIB for cell in possible.values()), default=0)
    cells: dict[str, CellSpec] = {}
    tables: dict[str, TableSpec] = {}
    for name in study.experiments:
        found: dict[str, Runs] = {}
        skipped: list[NotRun] = []
        for point in points[name]:
            trouble = troubles[name, point.name] or shortage_of(possible[name, point.name], least, refusals)
            if trouble:
                factors: Factors = {factor: point.levels[factor] for factor in study.factors}
                skipped.append(NotRun(point=point.name, factors=factors, reason=trouble))
                continue
            fresh = possible[name, point.name]
            cell = cells.get(fresh.cell, fresh)
            found[point.name], runs = runs_of(cell, point.levels, own, config)
            known = {run.folder for run in cell.runs}
            cells[cell.cell] = cell.model_copy(
                update={
                    "runs": [*cell.runs, *(run for run in runs if run.folder not in known)],
                    "frameworks": {**cell.frameworks, **fresh.frameworks},
                    "plugins": shared_plugins(cell, fresh),
                    "built": sorted({*cell.built, *fresh.built}),
                    "studies": [study.id],
                }
            )
        tables[name] = TableSpec(
            study=study.id,
            experiment=name,
            scale=config.top.scale,
            factors=study.factors,
            runs=found,
            not_run=skipped,
            repetitions=max((runs.repetitions for runs in found.values()), default=1),
        )
    return Plan([], tables, cells_needs(cells.values()), cells=cells)


def shared_plugins(one: CellSpec, other: CellSpec) -> dict[str, Plugin]:
    """Return the plug-ins of a cell that two specifications of it want. Raises KvasirError when they conflict."""
    try:
        return together(one.plugins, other.plugins)
    except KvasirError as error:
        raise KvasirError(
            f"cell {one.cell}: {', '.join(sorted(one.frameworks.keys() | other.frameworks.keys()))} share its cluster: "
            f"{error}, or give one framework another `hadoop` or `interface`"
        ) from None


def ordered(runs: Iterable[CellRun]) -> list[CellRun]:
    """Orders runs: all first repetitions, then all second ones; benchmarks in the order of CLASSES, then commands.

    Frameworks take turns in being first, so that none always finds the cluster as another one left it.
    """
    runs = list(runs)
    benchmarks = [*CLASSES, *sorted({run.benchmark for run in runs} - set(CLASSES))]
    frameworks = sorted({run.framework for run in runs})

    def place(run: CellRun) -> tuple[int, int, int, int, str]:
        benchmark, rep = benchmarks.index(run.benchmark), run.identity.rep
        # TestDFSIO reads what the same framework's run has just written.
        group = 0 if run.benchmark.startswith("dfsio-") else benchmark
        turn = (frameworks.index(run.framework) - rep - group) % len(frameworks)
        return rep, group, turn, benchmark, run.identity.point

    return sorted(runs, key=place)


OF_STUDIES: dict[str, Any] = {"runs": [], "frameworks": {}, "plugins": {}, "built": [], "studies": []}
"""The fields of a cell that follow from the studies that share it, without their values."""


def joined(specs: Iterable[CellSpec]) -> dict[str, CellSpec]:
    """Returns cells by name, each with the runs that any of `specs` wants there.

    Raises KvasirError when two specifications of one cell differ in anything but their runs.
    """
    found: dict[str, CellSpec] = {}
    for spec in specs:
        known = found.get(spec.cell, spec)
        if spec.model_copy(update=OF_STUDIES) != known.model_copy(update=OF_STUDIES):
            raise KvasirError(f"cell {spec.cell}: two studies want it differently")
        runs = {run.folder: run for run in (*known.runs, *spec.runs)}
        found[spec.cell] = known.model_copy(
            update={
                "runs": ordered(runs.values()),
                "frameworks": dict(sorted({**known.frameworks, **spec.frameworks}.items())),
                "plugins": shared_plugins(known, spec),
                "built": sorted({*known.built, *spec.built}),
                "studies": sorted({*known.studies, *spec.studies}),
            }
        )
    return dict(sorted(found.items()))
