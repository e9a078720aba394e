"""Keeps results: run records, the layout of the results folder, and the tables made from records."""
