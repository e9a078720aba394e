"""Memory and disk that cells need, if all their hosts are on one machine. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from harness.config.hadoop import Parameters
from harness.hadoop.benchmarks import make
from harness.plan.spec import CellSpec, Needs

MIB = 1 << 20
CLIENT_HEAP_MB = 256
COPIES = 3
"""A benchmark's data are there as its input, as what map tasks leave and as its output."""


def memory_mb(cell: CellSpec) -> int:
    """Memory of all daemons and of all containers that run at once, as far as their heaps go: no Java fills its
    own, so this leaves room for the rest (2.7 GB measured where it says 3.6).
    """
    parameters = Parameters.model_validate(cell.parameters)
    heaps = parameters.daemon_heap_mb
    workers = max(1, cell.nodes - 1)
    master = heaps.namenode + heaps.resourcemanager + heaps.historyserver + CLIENT_HEAP_MB
    tasks = (parameters.mappers_per_node + parameters.reducers_per_node) * parameters.task_memory_mb
    worker = heaps.datanode + heaps.nodemanager + tasks
    return master + parameters.am_memory_mb + workers * worker


def data_mb(cell: CellSpec) -> int:
    """Data on all disks, at most: each benchmark's input stays, one at a time has its output beside it."""
    parameters = Parameters.model_validate(cell.parameters)
    replicas = min(parameters.replication, max(1, cell.nodes - 1))
    sizes = {}
    for run in cell.runs:
        size = make(run.benchmark, run.settings).data_mb
        sizes[(run.benchmark, size)] = size
    return replicas * (sum(sizes.values()) + (COPIES - 1) * max(sizes.values(), default=0))


def needs_of(cells: Iterable[CellSpec]) -> Needs:
    """What the largest of the cells needs; what it writes goes with it."""
    cells = list(cells)
    return Needs(
        memory=max((memory_mb(cell) for cell in cells), default=0) * MIB,
        disk=0,
        missing=0,
        ranks=1,
        scratch=max((data_mb(cell) for cell in cells), default=0) * MIB,
    )
