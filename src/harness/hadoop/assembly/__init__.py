"""Puts a Hadoop together that can be started: its jars, our jobs, class path jars, class archive."""

from harness.hadoop.assembly.assemble import Taken, assemble, compiled_against, provide_plugins

__all__ = ["Taken", "assemble", "compiled_against", "provide_plugins"]
