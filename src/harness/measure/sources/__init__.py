"""The sources, one class in one file each; `harness.config.power.POWER_SOURCES` lists them."""
