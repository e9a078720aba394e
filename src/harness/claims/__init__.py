"""Reads a paper's claims from a file, checks them as SQL over result tables, and gives each a verdict."""
