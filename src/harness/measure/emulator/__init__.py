"""The emulated node: a powercap tree whose watts come from a model and whose caps slow the job for real."""
