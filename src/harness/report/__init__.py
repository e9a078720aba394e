"""Builds the report: one self-contained page with verdicts, figures, missing runs, environment and run times."""
