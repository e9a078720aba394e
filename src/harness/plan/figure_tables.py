"""Tables that figures take besides those of runs: series, parameters, anchors. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.config import CellsStudy, Config, NetsimStudy, Study
from harness.config.anchors import Anchor
from harness.config.cells_study import CellsScale, CellsStudyScale
from harness.config.netsim_study import Document, NetsimScale
from harness.config.series import Series
from harness.hadoop.benchmarks import make
from harness.plan.cells import clusters_of, parameters_of, points_of, repetitions_of, settings_of, sized
from harness.plan.netsim import PROGRAM, document_of

SERIES = ("id", "label", "colour", "shape", "linetype", "note")
PARAMETERS = ("scale", "level", "key", "value", "unit")
ANCHORS = ("id", "label", "year", "metric", "value", "unit", "source")
SIMULATOR = PROGRAM
"""Completes the configurations of netsim_documents."""
RUN = "run"
"""The simulator's subcommand whose configuration a study's parameters are."""

Row = dict[str, str]

UNITS = {
    "bytes": "B", "kb": "KiB", "mb": "MiB", "us": "us", "ms": "ms", "s": "s", "minutes": "min", "hz": "Hz",
    "watts": "W", "percent": "%",
}  # fmt: skip
"""By the last word of a key's part."""


def series_rows(study: Study, config: Config) -> list[Row]:
    """Returns a row for each series, in the order of legends: id, label and look; what is to be chosen is empty.

    Series are those that the study names, then the frameworks of studies of kind cells, then all other levels that
    are words, so that a look that is chosen for one of them is the same in all figures of the study.
    """
    named: dict[str, Series] = {str(level): series for level, series in study.series.items()}
    if isinstance(study, CellsStudy):
        named = {**config.frameworks, **named}
    else:
        levels = (
            level
            for experiment in study.experiments.values()
            for varied in experiment.factors.values()
            for level in varied
            if isinstance(level, str)
        )
        named |= {level: Series(label=level) for level in levels if level not in named}
    looks = {name: series.model_dump(include=set(Series.model_fields)) for name, series in named.items()}
    return [
        {"id": name, **{column: "" if look[column] is None else str(look[column]) for column in SERIES[1:]}}
        for name, look in looks.items()
    ]


def anchor_rows(anchors: Mapping[str, Anchor]) -> list[Row]:
    """Returns a row for each quantity of each published result, under the name of the runs' own metric."""
    return [
        {
            "id": name,
            "label": anchor.label,
            "year": str(anchor.year),
            "metric": metric,
            "value": f"{value:.6g}",
            "unit": unit,
            "source": anchor.source,
        }
        for name, anchor in anchors.items()
        for metric, value, unit in (
            ("records.per.core", anchor.per_core, "1/s"),
            ("records.per.joule", anchor.per_joule, "1/J"),
        )
        if value is not None
    ]


def unit_of(key: str) -> str:
    """Returns the unit that a dotted key names, as `heap_mb` and `eee.watts.1g` do; '' if it names none."""
    words = (part.rpartition("_")[2] for part in reversed(key.split(".")))
    return next((UNITS[word] for word in words if word in UNITS), "")


def flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yields the dotted keys of a document with their values as text; a list has a row for each of its values."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from flat(inner, key)
    elif isinstance(value, bool):
        yield key, "true" if value else "false"
    elif isinstance(value, float) and value.is_integer():
        yield key, str(int(value))
    elif value is not None:
        yield key, str(value)


def rows_of(scale: str, document: Mapping[str, Any], level: str = "") -> list[Row]:
    """Returns the rows of all values of a document."""
    return [
        {"scale": scale, "level": level, "key": key, "value": value, "unit": unit_of(key)}
        for key, value in flat(document)
    ]


def cells_parameters(study: CellsStudy, config: Config) -> dict[str, Any]:
    """Returns what a study's runs on clusters have at a scale.

    Keys are the levels of each factor in the plan, the numbers of `repetitions` of its benchmarks, Hadoop's parameters
    by their names, and the settings of each benchmark below its name, those of this study with all defaults.
    """
    own, every = config.scale.of(study.id, CellsStudyScale), config.scale.cells
    assert every is not None, "load_config has checked it"
    shared = clusters_of(every, own)
    points = [point for name in study.experiments for point in points_of(study, config, name)]
    levels = {
        factor: list(dict.fromkeys(point.levels[factor] for point in points)) for factor in study.factors
    }
    benchmarks = [str(name) for name in levels["benchmark"]]
    nodes = sorted((int(level) for level in levels["nodes"]), key=int)
    settings = {
        name: settings_on(name, settings_of(name, shared, own)[0], nodes, shared) for name in benchmarks
    }
    blocks = [round(parameters_of(n, shared).block_size_mb, 2) for n in nodes]
    return {
        **levels,
        "nodes": nodes,
        "repetitions": sorted({repetitions_of(name, shared) for name in benchmarks}),
        **shared.parameters.model_dump(mode="json"),
        "block_size_mb": unless_equal(blocks),
        "map_waves": shared.map_waves,
        **settings,
    }


def settings_on(
    benchmark: str, settings: dict[str, Any], nodes: list[int], shared: CellsScale
) -> dict[str, Any]:
    """Returns a benchmark's settings; a list over `nodes` of those that follow the number of nodes."""
    each = [
        make(benchmark, sized(benchmark, settings, n, shared)).settings.model_dump(mode="json") for n in nodes
    ]
    return {key: unless_equal([one[key] for one in each]) for key in each[0]}


def unless_equal(values: list[Any]) -> Any:
    """Returns the value that all have, or else the list."""
    return values[0] if all(value == values[0] for value in values) else values


def netsim_documents(study: Study, config: Config) -> dict[str, Document]:
    """Returns the simulator's configurations at a scale: '' with all levels at their defaults, and by `factor=level`
    with one other level each. Empty for a study of another kind, and for one that never uses the subcommand run.
    """
    program = study.programs.get(RUN) if isinstance(study, NetsimStudy) else None
    if program is None or program.passed != "file":
        return {}
    scale = config.scale.of(study.id, NetsimScale)
    over = [scale.over.get(RUN, {})]
    known = {*program.levels, *program.paths}
    defaults = {factor: level for factor, level in study.defaults.items() if factor in known}
    # The simulator takes no configuration without a seed; which one it is changes nothing else of the configuration.
    seeded = [{"seed": 0}, *over]
    found = {"": document_of(program, defaults, seeded)}
    for factor, levels in program.levels.items():
        for level in levels:
            found[f"{factor}={level}"] = document_of(program, {**defaults, factor: level}, seeded)
    return found


def netsim_rows(scale: str, documents: Mapping[str, Document]) -> list[Row]:
    """Returns the rows of the base configuration, and of each level what it has otherwise."""
    base = dict(flat(documents.get("", {})))
    rows = rows_of(scale, {key: value for key, value in documents.get("", {}).items() if key != "seed"})
    for level, document in documents.items():
        rows += [
            row for row in rows_of(scale, document, level) if level and base.get(row["key"]) != row["value"]
        ]
    return rows


def parameter_rows(study: str, configs: Iterable[Config], documents: Mapping[str, Document]) -> list[Row]:
    """Returns the rows of a study's parameters at each scale of `configs`, of which the first is the present one.

    A study of the simulator has those of the present scale: `documents`, as the simulator completes them.
    """
    rows: list[Row] = []
    for config in configs:
        model, scale = config.studies[study], config.top.scale
        if isinstance(model, NetsimStudy):
            return netsim_rows(scale, documents)
        if isinstance(model, CellsStudy):
            rows += rows_of(scale, cells_parameters(model, config))
        else:
            rows += rows_of(scale, config.scale.studies[study].model_dump(mode="json"))
    return rows
