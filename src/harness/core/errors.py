"""Exceptions that a command turns into one clear message and a non-zero exit."""

from __future__ import annotations


class KvasirError(Exception):
    """A message for a person: the fault, its place, the expectation and the remedy."""


class HostError(KvasirError):
    """Hosts that cannot be had, or a command that failed on one: host, fault and remedy."""


class PowerError(KvasirError):
    """Power that cannot be measured or capped as asked: fault, place and remedy."""
