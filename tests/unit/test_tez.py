"""What class `tez` makes of a cluster."""

from hypothesis import given
from hypothesis import strategies as st

from harness.cells.tez import cluster_properties, container_sizes, places
from harness.config.hadoop import Parameters

COUNTS, HEAPS = st.integers(1, 12), st.integers(64, 8192)


@given(COUNTS, COUNTS, HEAPS, HEAPS)
def test_a_worker_holds_as_many_tasks_as_it_has_places_with_a_master_and_without(
    mappers: int, reducers: int, heap_mb: int, am_heap_mb: int
) -> None:
    parameters = Parameters(
        mappers_per_node=mappers, reducers_per_node=reducers, heap_mb=heap_mb, am_heap_mb=am_heap_mb
    )
    worker, tasks = parameters.node_memory_mb, places(parameters)
    task, master = container_sizes(parameters)
    assert tasks == mappers + reducers
    assert tasks * task + max(master, 1) <= worker < (tasks + 1) * task


def test_heartbeats_are_those_of_the_cluster() -> None:
    found = cluster_properties(Parameters(heartbeat_ms=123))
    assert found["tez.am.am-rm.heartbeat.interval-ms.max"] == "123"
