"""Starts the program of a run, watches it and writes the record."""
