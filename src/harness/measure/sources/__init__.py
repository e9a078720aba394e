"""Collects the power sources, one class a file; `harness.config.power.POWER_SOURCES` lists them."""
