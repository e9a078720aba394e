"""The sources, one class in one file each; `harness.power.registry` lists them."""
