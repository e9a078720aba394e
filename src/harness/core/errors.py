"""Exceptions that a command turns into one clear message and a non-zero exit."""

from __future__ import annotations


class KvasirError(Exception):
    """What went wrong, where, what was expected and what to do, in one message for a person."""


class HostError(KvasirError):
    """Hosts cannot be had, or a command on one failed: which host, what, and what to do."""


class PowerError(KvasirError):
    """Power cannot be measured or capped as asked: what, where and what to do."""
