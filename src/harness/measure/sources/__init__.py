"""The sources, one class in one file each; `harness.measure.registry` lists them."""
