"""Plans studies of kind netsim: from a point to the configuration of one simulation. Pure functions."""

from __future__ import annotations

import json

from harness.config import Config, Level, NetsimScale, NetsimStudy
from harness.config.netsim_study import Document, Program
from harness.plan.batches import batches_of, with_batches
from harness.plan.points import seed_of, selected
from harness.plan.spec import Needs, Plan, RunSpec
from harness.results.layout import Runs, TableSpec, folder_of_point
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


def document_of(program: Program, levels: dict[str, Level], over: list[Document]) -> Document:
    """Returns the simulator's configuration but its seed: base, levels that are values, pieces, the scale."""
    document = program.base
    for factor, paths in program.paths.items():
        for path in paths if factor in levels else []:
            document = with_value(document, path, levels[factor])
    for factor, pieces in program.levels.items():
        if factor in levels:
            document = laid_over(document, pieces[levels[factor]])
    for piece in over:
        document = laid_over(document, piece)
    return document


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
    """Plans a study. A repetition has one seed in all points, so that settings meet the same jobs.

    Points of several experiments whose levels and configuration are the same share the runs of the first.
    """
    scale = config.scale.of(study.id, NetsimScale)
    runs: list[RunSpec] = []
    made: dict[str, Runs] = {}
    tables: dict[str, TableSpec] = {}
    for name, experiment in study.experiments.items():
        repetitions = scale.more_repetitions.get(name, experiment.repetitions or scale.repetitions)
        command = study.program_of(name)
        program = study.programs[command]
        over = [scale.over.get(command, {}), scale.over_experiment.get(name, {})]
        own: dict[str, Runs] = {}
        known = {*program.levels, *program.paths}
        defaults = {factor: level for factor, level in study.defaults.items() if factor in known}
        section = f"config/scales/{config.top.scale}.yaml: {study.id}.only"
        only = {**scale.only, **scale.only_experiment.get(name, {})}
        points = [] if name in scale.leave_out else selected(name, experiment, defaults, only, [], section)
        for point in points:
            document = document_of(program, point.levels, over)
            content = json.dumps([command, document, experiment.events, point.levels], sort_keys=True)
            if content in made and made[content].repetitions >= repetitions:
                own[point.name] = made[content].model_copy(update={"repetitions": repetitions})
                continue
            own[point.name] = made[content] = Runs(
                folder=folder_of_point(config.results, study.id, name, point.name), repetitions=repetitions
            )
            for rep in range(1, repetitions + 1):
                seed = seed_of(config.top.seed, study.id, rep)
                seeded = {**document, "seed": seed}
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
                        program=command_of(command, program, seeded, experiment.events),
                        document=seeded if program.passed == "file" else None,
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
    batches = batches_of(study.id, runs, config)
    needs = Needs(memory=MEMORY, disk=0, missing=0, ranks=1)
    return Plan(runs, with_batches(tables, batches, config), needs, batches=batches)
