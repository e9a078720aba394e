"""Emulates a node's RAPL: a powercap tree whose watts come from a model and whose caps throttle the job."""
