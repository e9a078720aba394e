"""Provides errors, base models, atomic files, processes, the environment of a run and command-line exits."""
