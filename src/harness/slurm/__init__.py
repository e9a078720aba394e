"""Submits jobs to SLURM, checks a cluster before anything is queued, and emulates a cluster on this machine."""
