"""Puts a Hadoop together that can be started: its jars, our jobs, class path jars, class archive."""

from harness.hadoop.assembly.assemble import Taken, assemble

__all__ = ["Taken", "assemble"]
