"""Puts a Hadoop together that can be started: its jars, our jobs, class path jars, class archive; builds plug-ins."""

from harness.hadoop.assembly.assemble import Taken, assemble, compiled_against
from harness.hadoop.assembly.plugins import provide_plugin, provide_plugins

__all__ = ["Taken", "assemble", "compiled_against", "provide_plugin", "provide_plugins"]
