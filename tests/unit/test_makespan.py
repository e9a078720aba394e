"""The schedule of a plan's jobs on a cluster, and what to leave out for a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plan.makespan import Job, Work, jobs_of, leave_out, makespan

SHORT, LONG = ("eee", "short"), ("eee", "long")


def job(name: str, nodes: int, seconds: float) -> Job:
    return Job(name=name, nodes=nodes, seconds=seconds)


def work(job: str, seconds: float, *experiments: tuple[str, str], nodes: int = 1) -> Work:
    return Work(job=job, nodes=nodes, seconds=seconds, experiments=frozenset(experiments))


def test_a_job_that_waits_has_a_reservation_and_lets_others_pass() -> None:
    jobs = [job("a", 2, 10), job("wide", 3, 10), job("fits", 1, 10), job("late", 1, 11)]
    assert makespan(jobs, 3).seconds == 31, "late would delay wide and comes after it"
    assert makespan(jobs, 4).seconds == 20, "late takes the node that wide leaves"
    assert makespan(jobs[:3], 3).seconds == 20


def test_what_is_too_large_is_named_and_not_counted() -> None:
    found = makespan([job("a", 9, 100), job("b", 1, 5)], 8)
    assert (found.seconds, found.jobs, found.node_seconds) == (5, 1, 5)
    assert [one.name for one in found.too_large] == ["a"]
    assert makespan([], 8).longest is None


@given(
    st.lists(st.tuples(st.integers(1, 9), st.floats(0.1, 100)), min_size=1, max_size=30), st.integers(9, 20)
)
def test_no_schedule_beats_its_bounds_nor_one_job_at_a_time(
    sizes: list[tuple[int, float]], nodes: int
) -> None:
    jobs = [job(str(number), *size) for number, size in enumerate(sizes)]
    found = makespan(jobs, nodes)
    assert found.longest is not None and found.jobs == len(jobs)
    least = max(found.longest.seconds, found.node_seconds / nodes)
    assert least - 1e-6 <= found.seconds <= sum(one.seconds for one in jobs) + 1e-6


def test_runs_of_one_job_follow_each_other() -> None:
    works = [work("cell", 5, SHORT, nodes=3), work("other", 1, SHORT), work("cell", 7, LONG, nodes=3)]
    assert [(one.name, one.nodes, one.seconds) for one in jobs_of(works, 2)] == [
        ("cell", 3, 14),
        ("other", 1, 3),
    ]


def test_what_costs_most_for_its_claims_goes_first() -> None:
    works = [work("a", 100, LONG), work("b", 60, SHORT), work("c", 50, SHORT, LONG)]
    claims = {LONG: 9, SHORT: 0}
    first, *rest = leave_out(works, claims, 200)
    assert (first.experiment, first.node_seconds, first.claims, rest) == (SHORT, 60, 0, [])
    both = leave_out(works, claims, 0)
    assert [(one.experiment, one.node_seconds) for one in both] == [(SHORT, 60), (LONG, 150)]
    assert leave_out(works, claims, 210) == []
    dear = leave_out([*works, work("d", 10_000, LONG)], claims, 300)
    assert [one.experiment for one in dear] == [LONG]


@given(
    st.lists(
        st.tuples(st.floats(0.1, 100), st.sets(st.sampled_from("abcd"), min_size=1)), min_size=1, max_size=20
    ),
    st.floats(0, 500),
)
def test_what_is_left_fits_the_budget(sizes: list[tuple[float, set[str]]], budget: float) -> None:
    works = [
        work(str(number), seconds, *(("s", name) for name in names))
        for number, (seconds, names) in enumerate(sizes)
    ]
    omitted = leave_out(works, {}, budget)
    gone = {one.experiment for one in omitted}
    left = sum(one.seconds for one in works if one.experiments - gone)
    total = sum(one.seconds for one in works)
    assert left <= budget + 1e-6
    assert sum(one.node_seconds for one in omitted) == pytest.approx(total - left)
