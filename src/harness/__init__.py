"""Kvasir's harness: configuration, plans, runs, records, tables, claims and report."""
