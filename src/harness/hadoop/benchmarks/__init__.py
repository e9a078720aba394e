"""The benchmarks on Hadoop. A new one is a class in this folder and an entry in CLASSES."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from harness.core.errors import KvasirError
from harness.hadoop.benchmarks.base import Benchmark, Cell, InvalidOutput
from harness.hadoop.benchmarks.bayes import Bayes
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
from harness.hadoop.benchmarks.wordcount import WordCount

__all__ = ["CLASSES", "Benchmark", "Cell", "InvalidOutput", "make"]

CLASSES: dict[str, type[Benchmark[Any]]] = {
    benchmark.name: benchmark
    for benchmark in (
        *(DfsioWrite, DfsioRead, WordCount, Sort, TeraSort, PageRank, Bayes, Grep, KMeans),
        *(AdjacencyList, SelfJoin, InvertedIndex, SequenceCount, RankedInvertedIndex),
    )
}


def make(name: str, settings: dict[str, Any] | None = None) -> Benchmark[Any]:
    """Return a benchmark by name with its settings; raise KvasirError when there is none, or they are wrong."""
    if name not in CLASSES:
        raise KvasirError(f"there is no benchmark {name!r}, only {', '.join(CLASSES)}")
    benchmark = CLASSES[name]
    try:
        return benchmark(benchmark.settings_type.model_validate(settings or {}))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise KvasirError(f"benchmark {name}: {wrong}") from None
