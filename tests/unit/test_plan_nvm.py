"""The plan of study nvm: map tasks that spill, devices by their profiles, reasons for what cannot run."""

from functools import cache
from pathlib import Path

import pytest
import yaml

from harness.claims.ahead import mistakes, planned_tables
from harness.plan.capabilities import Refusals
from harness.plan.cells import check_benchmarks
from harness.plan.planner import Planner
from harness.plan.spec import Plan

PROJECT = Path(__file__).parents[2]
SCALES = ("smoke", "laptop", "night", "paper")
SPILL_PERCENT = 0.8
"""Of the sort buffer that is in use when a spill begins."""


@cache
def planner_of(scale: str) -> Planner:
    planner = Planner({"scale": scale, "site": "local", "seed": 1, "studies": ["nvm"]}, PROJECT / "config")
    planner.capabilities.__dict__["clusters"] = Refusals()
    return planner


def plan_of(scale: str) -> Plan:
    return planner_of(scale).plan("nvm")


@pytest.mark.parametrize("scale", SCALES)
def test_map_tasks_spill_several_times(scale: str) -> None:
    for cell in plan_of(scale).cells.values():
        own = cell.parameters
        assert own.block_size_mb / own.io_sort_mb == pytest.approx(2.56, rel=0.03), "256 MB to 100 MB"
        assert own.block_size_mb > 2 * SPILL_PERCENT * own.io_sort_mb
        slots = own.mappers_per_node * (cell.nodes - 1)
        sizes = [run.settings["data_mb"] for run in cell.runs if run.benchmark in ("sort", "terasort")]
        assert min(sizes) >= slots * own.block_size_mb / 2 or scale == "paper", "as many map tasks as slots"


@pytest.mark.parametrize("scale", SCALES)
def test_every_framework_runs_or_says_why_not(scale: str) -> None:
    found = plan_of(scale)
    check_benchmarks(planner_of(scale).config, "config")
    for name, table in found.tables.items():
        assert all(absent.reason for absent in table.not_run), name
    frameworks = {run.framework for cell in found.cells.values() for run in cell.runs}
    assert {"mr", "rmr", "mr-nvm", "rmr-nvm"} <= frameworks


@pytest.mark.parametrize("scale", SCALES)
def test_the_claims_fit_the_tables(scale: str) -> None:
    planner = planner_of(scale)
    assert not [*mistakes(PROJECT / "config/claims/nvm.yaml", planned_tables(planner, "nvm"))]


def test_night_has_every_workload_and_penalty() -> None:
    found = plan_of("night")
    runs = [run for cell in found.cells.values() for run in cell.runs]
    study = yaml.safe_load((PROJECT / "config/studies/nvm.yaml").read_text())["experiments"]
    for name, factor in (("hibench", "benchmark"), ("puma", "benchmark"), ("penalty", "framework")):
        assert set(study[name]["factors"][factor]) <= {getattr(run, factor) for run in runs}, name
    repetitions = {run.benchmark: run.identity.rep for run in sorted(runs, key=lambda run: run.identity.rep)}
    assert repetitions.pop("sort") == repetitions.pop("terasort") == 5
    assert set(repetitions.values()) == {3}


def test_devices_differ_in_their_writes_alone() -> None:
    frameworks = planner_of("night").config.frameworks
    slow = {
        name: entry.job_properties["kvasir.nvm.write.times-dram"]
        for name, entry in frameworks.items()
        if name in ("mr-nvm", "mr-dram") or name.startswith("mr-nvm-")
    }
    assert slow == {
        **{"mr-nvm": "10", "mr-nvm-disk": "10", "mr-dram": "1"},
        **{f"mr-nvm-{times}": str(times) for times in (30, 100, 300, 1000)},
    }
    assert {frameworks[name].job_properties["kvasir.nvm.read.times-dram"] for name in slow} == {"1"}


def test_designs_with_rdma_have_its_shuffle_and_the_same_collectors() -> None:
    for cell in plan_of("laptop").cells.values():
        for name in {"rmr", "rmr-nvm"} & set(cell.frameworks):
            assert cell.frameworks[name].plugins == ["nvm", "rdma", "transport"]
            own, stock = (cell.frameworks[one].job_properties for one in (name, name.replace("rmr", "mr")))
            shuffle = {key for key in own if "shuffle" in key}
            assert shuffle and {key: own[key] for key in own.keys() - shuffle} == stock


@pytest.mark.parametrize(("scale", "cells", "runs"), [("smoke", 1, 8), ("laptop", 1, 24), ("night", 6, 328)])
def test_runs_are_as_many_as_the_documents_say(scale: str, cells: int, runs: int) -> None:
    found = plan_of(scale).cells.values()
    assert (len(found), sum(len(cell.runs) for cell in found)) == (cells, runs)


def test_disks_that_cannot_be_throttled_are_not_run() -> None:
    planner = Planner({"scale": "laptop", "site": "local", "seed": 1, "studies": ["nvm"]}, PROJECT / "config")
    refused = Refusals(disks={"hdd": "no compiler", "sata": "no compiler", "ssd": ""})
    planner.capabilities.__dict__["clusters"] = refused
    found = planner.plan("nvm")
    assert not found.cells
    assert {a.reason for a in found.tables["spill"].not_run if a.factors["framework"] == "mr"} == {
        "no compiler"
    }
