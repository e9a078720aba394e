"""The one exception that a command turns into a single clear message and a non-zero exit."""

from __future__ import annotations


class KvasirError(Exception):
    """What went wrong, where, what was expected and what to do, in one message for a person."""
