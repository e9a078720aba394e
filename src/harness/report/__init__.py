"""Builds the report: one self-contained page with verdicts, figures, what is missing, environment and run times."""
