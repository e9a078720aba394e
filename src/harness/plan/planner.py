"""From the user's choices to plans: what the workflow and its jobs both ask, so that both get the same answer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from harness.config import CellsStudy, Config, EngineStudy, NetsimStudy, Study, load_config
from harness.config.load import read_yaml
from harness.core.errors import KvasirError
from harness.plan import cells, engine, netsim
from harness.plan.capabilities import Here
from harness.plan.cells import joined
from harness.plan.spec import CellSpec, Plan, RunSpec, TableSpec


def plan(study: Study, config: Config, here: Here) -> Plan:
    """Runs, tables and needs of a study. `here` says what the site's machine refuses."""
    if isinstance(study, EngineStudy):
        return engine.plan(study, config, here.caps)
    if isinstance(study, NetsimStudy):
        return netsim.plan(study, config)
    if isinstance(study, CellsStudy):
        return cells.plan(study, config, here.clusters)
    raise TypeError(f"study {study.id}: no framework {study.framework}")


class Planner:
    """Plans of all chosen studies at one scale and site. Looks at the machine only for what it refuses."""

    def __init__(self, choices: dict[str, Any], folder: Path = Path("config")) -> None:
        self.config: Config = load_config(choices, folder)
        cells.check_benchmarks(self.config, str(folder))
        self.here = Here(self.config.site)
        self._plans: dict[str, Plan] = {}

    def plan(self, study: str) -> Plan:
        """Runs, tables and texts of a study."""
        if study not in self.config.studies:
            raise KvasirError(f"study {study} is not among the chosen ones: {', '.join(self.config.studies)}")
        if study not in self._plans:
            model = self.config.studies[study]
            self._plans[study] = plan(model, self.config, self.here)
        return self._plans[study]

    def run(self, study: str, experiment: str, point: str, rep: int) -> RunSpec:
        """The specification of one run. Raises KvasirError when the plan has none of that name."""
        run = self.plan(study).by_name.get((experiment, point, rep))
        if run is None:
            raise KvasirError(f"no such run in the plan of study {study}: {experiment}/{point}/{rep}")
        return run

    @property
    def tables(self) -> list[TableSpec]:
        """All tables of all chosen studies."""
        return [table for study in self.config.studies for table in self.plan(study).tables.values()]

    @cached_property
    def cells(self) -> dict[str, CellSpec]:
        """Clusters by name, each with the runs of all chosen studies on it."""
        return joined(cell for study in self.config.studies for cell in self.plan(study).cells.values())

    def cell(self, name: str) -> CellSpec:
        """The specification of one cell. Raises KvasirError when the plan has none of that name."""
        if name not in self.cells:
            refused = self.here.clusters.hosts
            raise KvasirError(
                f"no such cell in the plan: {name}; there are {', '.join(self.cells) or 'none'}"
                + (f", because there can be no hosts here: {refused}" if refused else "")
            )
        return self.cells[name]

    def table(self, study: str, experiment: str) -> TableSpec:
        """The specification of an experiment's table. Raises KvasirError when the study has none of that name."""
        tables = self.plan(study).tables
        if experiment not in tables:
            raise KvasirError(f"study {study} has no experiment {experiment}: {', '.join(tables)}")
        return tables[experiment]


def choose(choices: list[str], folder: Path = Path("config")) -> Planner:
    """The planner for choices such as `scale=smoke` on top of what config.yaml says; lists are comma-separated."""
    values = dict(read_yaml(folder / "config.yaml"))
    for choice in choices:
        key, equals, value = choice.partition("=")
        if not equals:
            raise KvasirError(f"found {choice!r}, expected KEY=VALUE, as in scale=smoke")
        values[key] = value.split(",") if key == "studies" else int(value) if value.isdigit() else value
    return Planner(values, folder)


def told(config: Config) -> list[str]:
    """The choices behind a configuration, as `choose` takes them."""
    top = config.top
    return [f"scale={top.scale}", f"site={top.site}", f"seed={top.seed}", f"studies={','.join(top.studies)}"]
