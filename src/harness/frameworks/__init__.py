"""Frameworks: from a study's configuration to its plan. A new framework adds its function to the registry."""

from __future__ import annotations

from harness.config import CellsStudy, Config, EngineStudy, NetsimStudy, Study
from harness.frameworks import cells, engine, netsim
from harness.here import Here
from harness.spec import Plan


def plan(study: Study, config: Config, here: Here) -> Plan:
    """Runs, tables and needs of a study. `here` says what the site's machine refuses."""
    if isinstance(study, EngineStudy):
        return engine.plan(study, config, here.caps)
    if isinstance(study, NetsimStudy):
        return netsim.plan(study, config)
    if isinstance(study, CellsStudy):
        return cells.plan(study, config, here.clusters)
    raise TypeError(f"study {study.id}: no framework {study.framework}")
