"""Writes numbers in sentences and plain text. The report's page has its own typography: report/numbers."""

from __future__ import annotations


def number(value: float) -> str:
    """Returns a finite number as text: four significant digits, whole numbers in full."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"
