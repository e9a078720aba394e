"""Frameworks: from a study's configuration to its plan. A new framework adds its function to the registry."""

from __future__ import annotations

from harness.config import Config, EngineStudy, NetsimStudy, Study
from harness.frameworks import engine, netsim
from harness.spec import Plan


def plan(study: Study, config: Config, cap_refusal: str) -> Plan:
    """Runs, tables and needs of a study. `cap_refusal` says why no power cap can be set here ('' if it can)."""
    if isinstance(study, EngineStudy):
        return engine.plan(study, config, cap_refusal)
    if isinstance(study, NetsimStudy):
        return netsim.plan(study, config)
    raise TypeError(f"study {study.id}: no framework {study.framework}")
