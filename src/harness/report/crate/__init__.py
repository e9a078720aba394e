"""Packs results with the workflow that made them as a Workflow Run RO-Crate."""
