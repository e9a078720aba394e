"""Cost sheets: what is asked for grows with what there is to do, and what was never measured is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plan.costs import Taken, of_cells, of_runs, per_size, size_of_cell_run, size_of_run
from harness.plan.planner import Planner

STUDIES = ["mimir", "eee", "mrev", "hpc"]


@pytest.fixture(scope="module")
def planners() -> dict[str, Planner]:
    return {
        scale: Planner({"scale": scale, "site": "emulated-slurm", "seed": 1, "studies": STUDIES})
        for scale in ("smoke", "paper")
    }


@pytest.mark.parametrize("study", ["mimir", "eee"])
def test_a_larger_scale_costs_more_in_proportion(planners: dict[str, Planner], study: str) -> None:
    known = per_size(planners["smoke"].plan(study).runs, lambda run: 1.0)
    costs = {
        scale: of_runs(planner.config.studies[study], planner.plan(study).runs, known, 10**9, watts=100.0)
        for scale, planner in planners.items()
    }
    small, large = costs["smoke"].node_hours, costs["paper"].node_hours
    assert small is not None and large is not None and large > 10 * small
    joules = costs["paper"].joules
    assert joules is not None and joules == pytest.approx(large * 3600 * 100)
    assert costs["paper"].runs == len(planners["paper"].plan(study).runs)
    model = planners["paper"].config.studies[study]
    assert of_runs(model, planners["paper"].plan(study).runs, known, 0, None).joules is None


def test_simulations_share_nodes_and_measured_runs_do_not(planners: dict[str, Planner]) -> None:
    for study, simulated, share in (("eee", True, 4), ("mimir", True, 4), ("mimir", False, 1)):
        runs = [run for run in planners["smoke"].plan(study).runs if (run.watch is None) == simulated]
        model = planners["smoke"].config.studies[study]
        known = per_size(runs, lambda run: 1.0)
        alone, shared = (of_runs(model, runs, known, 0, None, n).node_hours for n in (1, 4))
        assert alone is not None and shared is not None
        assert alone / shared == pytest.approx(share)


def test_what_was_never_measured_is_named(planners: dict[str, Planner]) -> None:
    runs = planners["smoke"].plan("eee").runs
    model = planners["smoke"].config.studies["eee"]
    known = per_size(runs, lambda run: None if run.identity.experiment == "fabric" else 1.0)
    assert "not measured, so left out: fabric" in of_runs(model, runs, known, 0, None).how
    nothing = of_runs(model, runs, {}, 0, 5.0)
    assert (nothing.node_hours, nothing.joules) == (None, None)


@given(st.floats(1, 100), st.floats(1, 100))
def test_the_start_of_a_benchmark_does_not_grow(startup: float, work: float) -> None:
    choices = {"scale": "smoke", "site": "emulated-slurm", "seed": 1, "studies": ["mrev"]}
    (cell,) = Planner(choices).cells.values()
    size = {run.benchmark: size_of_cell_run(run, cell.nodes - 1) for run in cell.runs}
    known = {
        (run.framework, run.benchmark): [Taken(startup=startup, work=work, size=size[run.benchmark])]
        for run in cell.runs
    }
    cost = of_cells("mrev", [cell], known, 1.0, None)
    assert cost.node_hours == pytest.approx(len(cell.runs) * (startup + work) * cell.nodes / 3600)


def test_sizes_are_positive(planners: dict[str, Planner]) -> None:
    for planner in planners.values():
        for study in STUDIES:
            assert all(size_of_run(run) > 0 for run in planner.plan(study).runs)
        for cell in planner.cells.values():
            assert all(size_of_cell_run(run, cell.nodes - 1) > 0 for run in cell.runs)
