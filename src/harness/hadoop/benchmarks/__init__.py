"""The benchmarks on Hadoop. A new one is a class in this folder and an entry in CLASSES.

Commands of the user's have one class together and are entries of config/benchmarks.yaml.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from harness.config.benchmarks import COMMAND
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks.base import Benchmark, Cell, InvalidOutput, Settings
from harness.hadoop.benchmarks.bayes import Bayes
from harness.hadoop.benchmarks.command import Command, CommandSettings
from harness.hadoop.benchmarks.dfsio import DfsioRead, DfsioWrite
from harness.hadoop.benchmarks.grep import Grep
from harness.hadoop.benchmarks.kmeans import KMeans
from harness.hadoop.benchmarks.pagerank import PageRank
from harness.hadoop.benchmarks.puma import (
    AdjacencyList,
    InvertedIndex,
    RankedInvertedIndex,
    SelfJoin,
    SequenceCount,
)
from harness.hadoop.benchmarks.sort import Sort
from harness.hadoop.benchmarks.terasort import TeraSort
from harness.hadoop.benchmarks.tpcx_hs import TpcxHs
from harness.hadoop.benchmarks.wordcount import WordCount

S = TypeVar("S", bound=Settings)
__all__ = ["CLASSES", "Benchmark", "Cell", "InvalidOutput", "make"]

CLASSES: dict[str, type[Benchmark[Any]]] = {
    benchmark.name: benchmark
    for benchmark in (
        *(DfsioWrite, DfsioRead, WordCount, Sort, TeraSort, TpcxHs, PageRank, Bayes, Grep, KMeans),
        *(AdjacencyList, SelfJoin, InvertedIndex, SequenceCount, RankedInvertedIndex),
    )
}


def make(name: str, settings: dict[str, Any] | None = None) -> Benchmark[Any]:
    """Return a benchmark by name with its settings, a command where they have one.

    Raises KvasirError when there is none, or they are wrong.
    """
    given = settings or {}
    if name not in CLASSES and COMMAND in given:
        command = _checked(name, CommandSettings, given)
        return Command(name, command, _source(name, command))
    if name not in CLASSES:
        raise KvasirError(f"there is no benchmark {name!r}, only {', '.join(CLASSES)}")
    benchmark = CLASSES[name]
    return benchmark(_checked(name, benchmark.settings_type, given))


def _checked(name: str, model: type[S], settings: dict[str, Any]) -> S:
    try:
        return model.model_validate(settings)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise KvasirError(f"benchmark {name}: {wrong}") from None


def _source(name: str, command: CommandSettings) -> Benchmark[Any] | None:
    """Return the benchmark whose input a command reads; None without. Raises KvasirError when it has none to read."""
    if not command.input:
        if command.data_mb or command.input_settings:
            raise KvasirError(
                f"benchmark {name}: data_mb and input_settings are of an input: name its benchmark"
            )
        return None
    if command.input not in CLASSES or CLASSES[command.input].input is Benchmark.input:
        readable = ", ".join(known for known, one in CLASSES.items() if one.input is not Benchmark.input)
        raise KvasirError(f"benchmark {name}: input: found {command.input!r}, expected one of {readable}")
    size = {} if command.data_mb is None else {"data_mb": command.data_mb}
    own = {"timeout_s": command.timeout_s, **command.input_settings, **size}
    try:
        return make(command.input, own)
    except KvasirError as error:
        raise KvasirError(f"benchmark {name}: its input: {error}") from None
