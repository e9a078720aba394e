"""Typed configuration: models (no I/O) and the loader that reads them from `config/`."""

from harness.config.cells_study import CellsStudy
from harness.config.engine_study import Dataset, EngineScale, EngineStudy
from harness.config.frameworks import FrameworkEntry
from harness.config.load import Config, load_config
from harness.config.netsim_study import NetsimScale, NetsimStudy
from harness.config.scale import Scale
from harness.config.site import Site, SitePower
from harness.config.study import Experiment, Figure, Level, Study
from harness.config.top import Top

__all__ = [
    "CellsStudy",
    "Config",
    "Dataset",
    "EngineScale",
    "EngineStudy",
    "Experiment",
    "Figure",
    "FrameworkEntry",
    "Level",
    "NetsimScale",
    "NetsimStudy",
    "Scale",
    "Site",
    "SitePower",
    "Study",
    "Top",
    "load_config",
]
