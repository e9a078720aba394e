"""Builds the plan of the selected studies. Workflow and jobs both call it, so they agree.

A kind's planner is imported with its first study: a job of a simulation needs none of the cells' modules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.config import CellsStudy, Config, EngineStudy, NetsimStudy, Study, load_config
from harness.config.anchors import Anchor
from harness.config.archive import read_provenance
from harness.config.load import read_anchors, read_top
from harness.core.errors import KvasirError
from harness.plan.capabilities import Capabilities
from harness.plan.spec import BatchSpec, CellSpec, Plan, RunSpec
from harness.results.layout import TableSpec, is_complete


def plan(study: Study, config: Config, capabilities: Capabilities) -> Plan:
    """Returns runs, tables and needs of a study. `capabilities` says what the site's machine refuses."""
    if isinstance(study, EngineStudy):
        from harness.plan import engine

        return engine.plan(study, config, capabilities.caps, capabilities.cachegrind)
    if isinstance(study, NetsimStudy):
        from harness.plan import netsim

        return netsim.plan(study, config)
    if isinstance(study, CellsStudy):
        from harness.plan import cells

        return cells.plan(study, config, capabilities.clusters)
    raise TypeError(f"study {study.id}: there is no plan for kind {study.kind}")


class Planner:
    """Plans of all chosen studies at one scale and site. Looks at the machine only for what it refuses."""

    def __init__(
        self,
        choices: dict[str, Any],
        folder: Path = Path("config"),
        typed: Mapping[str, str] | None = None,
    ) -> None:
        """`choices` are the keys of config.yaml; `typed`, by key, what the user typed where that differs from it.

        Raises KvasirError when they, or files of `folder`, are wrong.
        """
        self._choices = choices
        self._folder = folder
        self.config: Config = load_config(choices, folder, typed)
        kinds = {type(study) for study in self.config.studies.values()}
        if CellsStudy in kinds:
            from harness.plan import cells

            cells.check_benchmarks(self.config, str(folder))
        if EngineStudy in kinds:
            from harness.plan import mimir

            mimir.check_homes(self.config)
        top = self.config.top
        self._origin = read_provenance(Path(top.replay), top.scale) if top.replay else None
        self.capabilities = Capabilities(self.config.site, self._origin.refused if self._origin else None)
        self._plans: dict[str, Plan] = {}

    def plan(self, study: str) -> Plan:
        """Returns runs, tables and texts of a study. Raises KvasirError when it is not chosen."""
        if study not in self.config.studies:
            raise KvasirError(f"study {study} is not among the chosen ones: {', '.join(self.config.studies)}")
        if study not in self._plans:
            model = self.config.studies[study]
            self._plans[study] = plan(model, self.config, self.capabilities)
        return self._plans[study]

    def run(self, study: str, experiment: str, point: str, rep: int) -> RunSpec:
        """Returns the specification of one run. Raises KvasirError when the plan has none of that name."""
        run = self.plan(study).by_name.get((experiment, point, rep))
        if run is None:
            raise KvasirError(f"no such run in the plan of study {study}: {experiment}/{point}/{rep}")
        return run

    @property
    def tables(self) -> list[TableSpec]:
        """Returns all tables of all chosen studies."""
        return [table for study in self.config.studies for table in self.plan(study).tables.values()]

    @cached_property
    def cells(self) -> dict[str, CellSpec]:
        """Returns the chosen studies' cells by name, each with the runs of those and of all it was made for before.

        Studies share cells. A cell that was made for a study keeps its runs when other studies are chosen: its
        specification grows with each study that is run, and never depends on which ones are chosen now, so a cell
        that is complete stays up to date. No study makes runs that nobody ever chose.
        """
        from harness.plan.cells import joined

        chosen = joined(cell for study in self.config.studies for cell in self.plan(study).cells.values())
        others = {name for cell in chosen.values() for name in made_for(cell)} - set(self.config.studies)
        more = [
            cell
            for study in sorted(others)
            if self._has(study)
            for cell in self.beside(study).plan(study).cells.values()
            if cell.cell in chosen and study in made_for(chosen[cell.cell])
        ]
        return joined([*chosen.values(), *more])

    def _has(self, study: str) -> bool:
        """Returns whether there is such a study, with sizes at this scale and, in a replay, runs in the archive."""
        file = self._folder / "studies" / f"{study}.yaml"
        packed = self._origin is None or study in self._origin.studies
        return packed and file.is_file() and study in self.config.scale.sections

    def beside(self, *studies: str) -> Planner:
        """Returns a planner of these studies for the same scale, site and seed. Raises KvasirError as this class."""
        other = Planner({**self._choices, "studies": list(studies)}, self._folder)
        other.capabilities = self.capabilities
        return other

    def reported(self) -> Planner:
        """Returns a planner of all studies that the report covers: the chosen ones, then those that are complete.

        A study is complete when all that its present configuration asks for is there. One that is not chosen is
        shown as it is and never made again; a mistake in its files is no reason to refuse the chosen ones.
        """
        complete = []
        for path in sorted((self._folder / "studies").glob("*.yaml")):
            study = path.stem
            if study in self.config.studies or not self._has(study):
                continue
            with suppress(KvasirError):
                other = self.beside(study)
                if is_complete(other.config, study, other.tables):
                    complete.append(study)
        return self.beside(*self.config.studies, *complete) if complete else self

    def at_scales(self, study: str) -> list[Config]:
        """Returns the configurations of a study alone: at the present scale, then at each other one that has it.

        A mistake in the file of another scale leaves that one out.
        """
        found = [self.beside(study).config]
        for path in sorted((self._folder / "scales").glob("*.yaml")):
            if path.stem == self.config.top.scale:
                continue
            with suppress(KvasirError):
                choices = {**self._choices, "scale": path.stem, "studies": [study]}
                found.append(Planner(choices, self._folder).config)
        return found

    def cell(self, name: str) -> CellSpec:
        """Returns the specification of one cell. Raises KvasirError when the plan has none of that name."""
        if name not in self.cells:
            refused = self.capabilities.clusters.hosts
            raise KvasirError(
                f"no such cell in the plan: {name}; there are {', '.join(self.cells) or 'none'}"
                + (f", because there can be no hosts here: {refused}" if refused else "")
            )
        return self.cells[name]

    def batch(self, study: str, name: str) -> BatchSpec:
        """Returns the specification of one batch of simulations. Raises KvasirError when there is none of that name."""
        batches = self.plan(study).batches
        if name not in batches:
            raise KvasirError(
                f"study {study} has no batch {name}: {', '.join(batches) or 'it simulates nothing'}"
            )
        return batches[name]

    def table(self, study: str, experiment: str) -> TableSpec:
        """Returns the specification of an experiment's table. Raises KvasirError when there is none of that name."""
        tables = self.plan(study).tables
        if experiment not in tables:
            raise KvasirError(f"study {study} has no experiment {experiment}: {', '.join(tables)}")
        return tables[experiment]


def choose(choices: list[str], folder: Path = Path("config")) -> Planner:
    """Returns the planner for choices such as `scale=smoke` on top of config.yaml; lists are comma-separated."""
    values = read_top(folder)
    typed = {}
    for choice in choices:
        key, equals, value = choice.partition("=")
        if not equals:
            raise KvasirError(f"found {choice!r}, expected KEY=VALUE, as in scale=smoke")
        values[key] = int(value) if value.isdigit() else value
        typed[key] = choice
    return Planner(values, folder, typed)


def anchors(folder: Path = Path("config")) -> dict[str, Anchor]:
    """Returns the published results that figures show, by id. Raises KvasirError when their file is wrong."""
    return read_anchors(folder / "anchors.yaml")


def made_for(cell: CellSpec) -> list[str]:
    """Returns names of the studies whose runs a cell in the results folder holds; none if there is no such cell.

    A file that cannot be read counts as absent: the cell's job then looks at each of its runs again.
    """
    try:
        content = json.loads(Path(cell.studies_file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [name for name in content if isinstance(name, str)] if isinstance(content, list) else []


def config_overrides(config: Config, studies: Sequence[str] | None = None) -> list[str]:
    """Returns the choices behind a configuration, as `choose` takes them; `studies` in place of the chosen ones."""
    top = config.top
    named = ",".join(top.studies if studies is None else studies)
    replay = [f"replay={top.replay}"] if top.replay else []
    return [f"scale={top.scale}", f"site={top.site}", f"seed={top.seed}", f"studies={named}", *replay]
