"""Judges a trial run: PASS or FAIL for each component and each paper. No verdict rests on its tiny data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.config.scale import KICK
from harness.plan.planner import Planner
from harness.results.layout import TableSpec, figure_stem
from harness.results.records import Record, read

State = Literal["PASS", "FAIL", "LEFT OUT"]


@dataclass(frozen=True)
class Line:
    """One component or paper with its state and the reason, or what was seen."""

    name: str
    state: State
    words: str


def component_of(path: str) -> str:
    """Returns the component that a file of built programs is of, in words."""
    known = {
        "build/programs/": "engine: MapReduce over MPI",
        "build/programs-portable/": "engine, for simulated caches",
        "build/engine-hdfs/": "engine's jobs on HDFS",
        "build/netsim/": "simulator of the network",
        "build/hadoop/": "Hadoop",
        "build/hadoop-plugins/": f"plug-in {Path(path).stem}",
        "build/mimir": "Mimir",
    }
    return next((name for start, name in known.items() if path.startswith(start)), path)


def components(built: Mapping[str, bool], broken: bool) -> list[Line]:
    """Returns a line for each component. `built`: by file of programs, whether it is there."""
    lines = {}
    for path, there in built.items():
        state: State = "PASS" if there else "FAIL" if broken else "LEFT OUT"
        words = "built" if there else f"{path} is missing" if broken else "not needed by what was asked for"
        lines[component_of(path)] = Line(component_of(path), state, words)
    return list(lines.values())


def paper(
    study: str, tables: Sequence[TableSpec], records: list[Record], figures: Mapping[str, bool], broken: bool
) -> Line:
    """Returns the line of a study: its planned runs, those that ended well, and whether its figures are drawn."""
    runs = {
        (runs.folder, rep)
        for table in tables
        for runs in table.runs.values()
        for rep in range(runs.repetitions)
    }
    bad = [record for record in records if record.outcome.status != "ok"]
    undrawn = [name for name, there in figures.items() if not there]
    if not runs:
        reasons = [point.reason for table in tables for point in table.not_run]
        return Line(study, "LEFT OUT", reasons[0] if reasons else "nothing to run at this scale")
    if bad:
        who, outcome = bad[0].identity, bad[0].outcome
        first = f"{who.experiment}/{who.point}/{who.rep}: {outcome.reason.partition(chr(10))[0]}"
        return Line(study, "FAIL", f"{len(bad)} of {len(runs)} runs {outcome.status}: {first}")
    done = f"{len(records)} of {len(runs)} runs ended well"
    if broken and len(records) < len(runs):
        return Line(study, "FAIL", f"{done}, the others were not made")
    if broken and undrawn:
        return Line(study, "FAIL", f"{done}; not drawn: {', '.join(undrawn)}")
    if not records:
        return Line(study, "LEFT OUT", "not asked for")
    return Line(study, "PASS", f"{done}, {len(figures) - len(undrawn)} of {len(figures)} figures drawn")


def judge(planner: Planner, broken: bool) -> tuple[list[Line], list[Line]]:
    """Looks at what a trial has left; returns the lines of the components, and those of the papers.

    `broken`: the workflow failed, so that what is missing was not left out on purpose.
    """
    built: dict[str, bool] = {}
    papers = []
    for study, model in planner.config.studies.items():
        plan = planner.plan(study)
        kick = planner.config.top.scale == KICK
        figures = [model.kick] if kick else [figure.id for figure in model.figures]
        names = model.experiments_of(model.kick) if kick else list(plan.tables)
        tables = [table for name, table in plan.tables.items() if name in names]
        folders = {runs.folder for table in tables for runs in table.runs.values()}
        needed = [run.built for run in plan.runs if run.identity.experiment in names]
        for cell in plan.cells.values():
            needed += cell.built
        built |= {path: Path(path).is_file() for path in needed}
        records = [
            read(path) for folder in sorted(folders) for path in sorted(Path(folder).glob("[0-9]*/run.json"))
        ]
        drawn = {name: Path(f"{figure_stem(planner.config, study, name)}.svg").is_file() for name in figures}
        papers.append(paper(study, tables, records, drawn, broken))
    return components(built, broken), papers
