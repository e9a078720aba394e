"""Typed configuration: models (no I/O) and the loader that reads them from `config/`."""

from harness.config.load import Config, load_config
from harness.config.scale import MimirScale, Scale
from harness.config.site import Site, SitePower
from harness.config.study import Dataset, Experiment, Figure, Level, Study
from harness.config.top import Top

__all__ = [
    "Config",
    "Dataset",
    "Experiment",
    "Figure",
    "Level",
    "MimirScale",
    "Scale",
    "Site",
    "SitePower",
    "Study",
    "Top",
    "load_config",
]
