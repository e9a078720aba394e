"""Runs: starts one program, watches it and writes its record."""
