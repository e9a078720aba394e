"""SLURM: an emulated cluster to try things on, and what is asked of a real one."""
