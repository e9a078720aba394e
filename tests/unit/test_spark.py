"""What class `spark` makes of a cluster, and what it runs."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.cells.spark import LEAST_HEAP_MB, PROGRAMS, Spark, complaint, executor_memory, quoted
from harness.config.hadoop import Parameters
from harness.hadoop.benchmarks import CLASSES
from harness.hadoop.jobs import JobError

PROJECT = Path(__file__).parents[2]
COUNTS, HEAPS = st.integers(1, 12), st.integers(64, 8192)


@given(COUNTS, COUNTS, HEAPS)
def test_an_executor_has_the_memory_of_all_places_of_a_worker(
    mappers: int, reducers: int, heap_mb: int
) -> None:
    parameters = Parameters(mappers_per_node=mappers, reducers_per_node=reducers, heap_mb=heap_mb)
    assume((mappers + reducers) * parameters.task_memory_mb > LEAST_HEAP_MB)
    heap, besides = executor_memory(parameters)
    assert heap + besides + parameters.am_memory_mb == parameters.node_memory_mb
    assert heap == max(LEAST_HEAP_MB, (mappers + reducers) * heap_mb)
    assert besides > 0


def test_a_worker_that_is_too_small_is_a_clear_failure() -> None:
    with pytest.raises(
        JobError, match=r"have 352 MB, and its executor needs a heap of 480 MB .* raise heap_mb"
    ):
        executor_memory(Parameters(mappers_per_node=1, reducers_per_node=1, heap_mb=64))


def test_it_has_programs_for_all_benchmarks_of_mrev_but_those_of_hdfs() -> None:
    left_out = {name for name in CLASSES if Spark.refusal(name)}
    assert {"dfsio-write", "dfsio-read"} <= left_out
    assert not {"terasort", "wordcount", "sort", "grep", "pagerank", "bayes", "kmeans"} & left_out
    assert "kmeans" in Spark.refusal("self-join")
    java = PROJECT / "src/hadoop/plugins/spark/src/main/java/kvasir/spark"
    assert all((java / f"{program.main}.java").is_file() for program in PROGRAMS.values())


def test_options_are_one_property_that_spark_takes_apart() -> None:
    assert quoted(["-cp", 'a b:"c"\\']) == r'"-cp" "a b:\"c\"\\"'


def test_a_failed_driver_says_why() -> None:
    output = (
        "26/11/26 INFO Client: Submitted\n26/11/26 ERROR Executor: Exception in task 0.0\n"
        'Exception in thread "main" org.apache.spark.SparkException: Job aborted.\n\tat a.b(C.java:1)\n'
        "Caused by: java.io.IOException: no edge: 1 2\n\tat d.e(F.java:2)\n26/11/26 INFO Utils: Shutdown\n"
    )
    assert complaint(output).splitlines() == [
        'Exception in thread "main" org.apache.spark.SparkException: Job aborted.',
        "Caused by: java.io.IOException: no edge: 1 2",
    ]
    assert complaint("1\n26/11/26 ERROR Client: lost\n3") == "26/11/26 ERROR Client: lost"
    assert complaint("1\n2") == "1\n2"
