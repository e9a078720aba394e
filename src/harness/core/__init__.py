"""Shared floor: errors, base models, atomic files, processes, the environment of a run, command-line exits."""
