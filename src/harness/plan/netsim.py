"""Plans studies of kind netsim: from a point to the configuration of one simulation. Pure functions."""

from __future__ import annotations

from harness.config import Config, Level, NetsimScale, NetsimStudy
from harness.config.netsim_study import Document, Program
from harness.plan.points import lenders, seed_of, selected
from harness.plan.spec import Needs, Plan, RunSpec
from harness.results.layout import Runs, TableSpec
from harness.results.records import Identity

PROGRAM = "build/netsim/bin/netsim"
BUILT = "build/netsim/netsim.json"
MEMORY = 200_000_000
"""Bytes that one simulation may take: twice what the largest needs."""


def laid_over(below: Document, above: Document) -> Document:
    """Lays `above` over `below`: objects are joined key by key, null takes a key away, anything else replaces.

    Neither is changed; the result shares what it took over from them, so it is not to be changed either.
    """
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(old, dict):
            result[key] = laid_over(old, value)
        else:
            result[key] = value
    return result


def with_value(document: Document, path: str, value: Level) -> Document:
    """Returns `document` with `value` at the dotted key `path`."""
    *outer, last = path.split(".")
    piece: Document = {last: value}
    for key in reversed(outer):
        piece = {key: piece}
    return laid_over(document, piece)


def document_of(program: Program, levels: dict[str, Level], over: list[Document], seed: int) -> Document:
    """Returns the simulator's configuration: base, levels that are values, those that are pieces, the scale."""
    document = program.base
    for factor, paths in program.paths.items():
        for path in paths if factor in levels else []:
            document = with_value(document, path, levels[factor])
    for factor, pieces in program.levels.items():
        if factor in levels:
            document = laid_over(document, pieces[levels[factor]])
    for piece in over:
        document = laid_over(document, piece)
    return {**document, "seed": seed}


def command_of(name: str, program: Program, document: Document, events: bool) -> list[str]:
    """Returns the simulator's command line, with {config} and the like for files of the run."""
    own = (
        ["{config}"]
        if program.passed == "file"
        else [
            f"--{key}" if value is True else f"--{key}={value}"
            for key, value in document.items()
            if value is not False
        ]
    )
    return [PROGRAM, name, *own, "--report={report}", *([f"{program.events}={{trace}}"] if events else [])]


def plan(study: NetsimStudy, config: Config) -> Plan:
    """Plans a study. A repetition has one seed in all points, so that settings meet the same jobs."""
    scale = config.scale.of(study.id, NetsimScale)
    runs: list[RunSpec] = []
    tables: dict[str, TableSpec] = {}
    for name, experiment in study.experiments.items():
        repetitions = scale.more_repetitions.get(name, experiment.repetitions or scale.repetitions)
        command = study.program_of(name)
        program = study.programs[command]
        borrowed = {} if experiment.borrows in scale.leave_out else lenders(study, name)
        over = [scale.over.get(command, {}), scale.over_experiment.get(name, {})]
        own: dict[str, Runs] = {}
        known = {*program.levels, *program.paths}
        defaults = {factor: level for factor, level in study.defaults.items() if factor in known}
        section = f"config/scales/{config.top.scale}.yaml: {study.id}.only"
        only = {**scale.only, **scale.only_experiment.get(name, {})}
        points = [] if name in scale.leave_out else selected(name, experiment, defaults, only, [], section)
        for point in points:
            lender, its_point = borrowed.get(point.name, (name, point.name))
            own[point.name] = Runs(
                folder=f"{config.results}/runs/{study.id}/{lender}/{its_point}", repetitions=repetitions
            )
            if point.name in borrowed:
                continue
            for rep in range(1, repetitions + 1):
                seed = seed_of(config.top.seed, study.id, rep)
                document = document_of(program, point.levels, over, seed)
                runs.append(
                    RunSpec(
                        identity=Identity(
                            study=study.id,
                            experiment=name,
                            point=point.name,
                            rep=rep,
                            seed=seed,
                            scale=config.top.scale,
                            site=config.top.site,
                            factors=dict(point.levels),
                        ),
                        program=command_of(command, program, document, experiment.events),
                        document=document if program.passed == "file" else None,
                        built=BUILT,
                        timeout_s=scale.timeout_s,
                        expected_s=scale.expected_s,
                    )
                )
        tables[name] = TableSpec(
            study=study.id,
            experiment=name,
            scale=config.top.scale,
            factors=sorted(defaults),
            runs=own,
            not_run=[],
            repetitions=repetitions,
        )
    return Plan(runs, tables, Needs(memory=MEMORY, disk=0, missing=0, ranks=1))
