"""Typed configuration: models (no I/O) and the loader that reads them from `config/`."""

from harness.config.engine_study import Dataset, EngineStudy
from harness.config.load import Config, load_config
from harness.config.netsim_study import NetsimStudy
from harness.config.scale import EeeScale, MimirScale, Scale
from harness.config.site import Site, SitePower
from harness.config.study import Experiment, Figure, Level, Study
from harness.config.top import Top

__all__ = [
    "Config",
    "Dataset",
    "EeeScale",
    "EngineStudy",
    "Experiment",
    "Figure",
    "Level",
    "MimirScale",
    "NetsimStudy",
    "Scale",
    "Site",
    "SitePower",
    "Study",
    "Top",
    "load_config",
]
