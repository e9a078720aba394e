"""Plans of clusters: which runs, in which cells, shared by whom, in which order, and why some cannot be made here."""

import itertools
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.config import CellsStudy, Config, Experiment, load_config
from harness.config.cells_study import CellsStudyScale
from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import CLASSES
from harness.plan.capabilities import Refusals
from harness.plan.cells import joined, ordered, parameters_of, plan, settings_of
from harness.plan.spec import CellRun, CellSpec, Plan
from harness.results.records import Identity

PROJECT = Path(__file__).parents[2]
STUDIES = ("mrev", "hpc")
NOTHING_REFUSED = Refusals()


def config_of(scale: str, **changes: Any) -> Config:
    values = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    return load_config({**values, "scale": scale, "studies": list(STUDIES), **changes}, PROJECT / "config")


def plan_of(study: str, scale: str, refusals: Refusals = NOTHING_REFUSED, **changes: Any) -> Plan:
    config = config_of(scale, **changes)
    model = config.studies[study]
    assert isinstance(model, CellsStudy)
    return plan(model, config, refusals)


def test_paper_scale_has_the_papers_numbers() -> None:
    hpc = plan_of("hpc", "paper")
    sizes = {("hdd", n) for n in (3, 5, 9, 13)} | {("ssd", n) for n in (3, 5, 9)}
    assert {(cell.disk, cell.nodes) for cell in hpc.cells.values()} == sizes
    assert len(hpc.cells) == 2 * len(sizes), "one for each network"
    dfsio = hpc.tables["dfsio"]
    assert len(dfsio.runs) + len(dfsio.not_run) == 56 and dfsio.repetitions == 10, "Fig. 3"
    run = next(run for run in hpc.cells["3n_hdd_ib"].runs if run.benchmark == "terasort")
    assert run.settings["data_mb"] == 50 * 1024
    mrev = plan_of("mrev", "paper")
    levels = [run.identity.factors for cell in mrev.cells.values() for run in cell.runs]
    sorts = [found for found in levels if found["benchmark"] == "terasort"]
    assert {found["nodes"] for found in sorts} == {5, 9, 13} and {found["disk"] for found in sorts} == {"hdd"}


def test_studies_share_runs_unless_their_settings_differ() -> None:
    for scale, shared in (("laptop", True), ("paper", False)):
        mrev, hpc = plan_of("mrev", scale), plan_of("hpc", scale)
        name = "3n_ssd_ib" if shared else "5n_hdd_ib"
        cells = joined([*mrev.cells.values(), *hpc.cells.values()])
        sorts = {run.identity.point for run in cells[name].runs if run.framework == "hadoop-ipoib"}
        sorts = {point for point in sorts if "terasort" in point}
        assert len(sorts) == (1 if shared else 2), "128 GB and 50 GB are different runs"
        words = {run.identity.point for run in cells[name].runs if run.benchmark == "wordcount"}
        assert "hadoop-ipoib_wordcount" in words
        folders = [run.folder for cell in cells.values() for run in cell.runs]
        assert len(folders) == len(set(folders))
        assert all(run.folder.startswith(cell.folder) for cell in cells.values() for run in cell.runs)


def test_frameworks_of_one_network_share_a_cell() -> None:
    for cell in plan_of("hpc", "laptop").cells.values():
        assert {entry.interface for entry in cell.frameworks.values()} == {cell.interface}
        assert {run.framework for run in cell.runs} <= set(cell.frameworks)
        assert f"build/hadoop/{cell.hadoop}.json" in cell.built


def test_a_table_waits_for_its_cells_and_names_its_runs() -> None:
    made = plan_of("hpc", "laptop")
    table = made.tables["terasort"]
    assert table.factors == ["framework", "nodes", "disk", "benchmark"]
    runs = table.runs["hadoop-gbe_5_ssd"]
    assert runs.files == ["results/laptop/cells/5n_ssd_gbe/cell.json"]
    assert (runs.folder, runs.repetitions) == (
        "results/laptop/cells/5n_ssd_gbe/runs/hadoop-gbe_terasort",
        3,
    )
    assert made.tables["power"].runs["hadoop-gbe_5_ssd_terasort"] == runs, (
        "power is another look at these runs"
    )


def test_what_cannot_run_here_says_why() -> None:
    table = plan_of("hpc", "laptop").tables["terasort"]
    reasons = {str(absent.factors["framework"]): absent.reason for absent in table.not_run}
    assert not reasons
    smoke = plan_of("hpc", "smoke").tables["terasort"]
    assert {absent.reason for absent in smoke.not_run} == {"hadoop-uda: left to scale laptop"}
    refused = plan_of("hpc", "night", Refusals(disks={"hdd": "no compiler", "ssd": ""}))
    assert {run.identity.factors["disk"] for cell in refused.cells.values() for run in cell.runs} == {"ssd"}
    absent = [a for a in refused.tables["dfsio"].not_run if a.factors["framework"] == "hadoop-ipoib"]
    assert {a.reason for a in absent} == {"no compiler"}
    none = plan_of("mrev", "laptop", Refusals(hosts="no namespaces"))
    assert not none.cells and not none.tables["terasort"].runs
    assert "no namespaces" in {a.reason for a in none.tables["terasort"].not_run}
    assert none.needs.memory == 0


def test_two_studies_that_want_one_cell_differently_are_an_error() -> None:
    (cell, *_) = plan_of("hpc", "smoke").cells.values()
    with pytest.raises(KvasirError, match=f"cell {cell.cell}: two studies want it differently"):
        joined([cell, cell.model_copy(update={"nodes": 4})])


def run_named(framework: str, benchmark: str, rep: int) -> CellRun:
    point = f"{framework}_{benchmark}"
    who = Identity(
        study="cells", experiment="c", point=point, rep=rep, seed=1, scale="s", site="l", factors={}
    )
    folder = f"f/{point}/{rep}"
    return CellRun(identity=who, framework=framework, benchmark=benchmark, settings={}, folder=folder)


@given(
    st.sets(st.tuples(st.sampled_from("abc"), st.sampled_from(list(CLASSES)), st.integers(1, 3)), min_size=1)
)
def test_order_interleaves_and_frameworks_take_turns(wanted: set[tuple[str, str, int]]) -> None:
    runs = [run_named(*one) for one in wanted]
    found = ordered(reversed(runs))
    assert found == ordered(runs), "whatever order they came in"
    assert sorted(run.folder for run in found) == sorted(run.folder for run in runs)
    reps = [run.identity.rep for run in found]
    assert reps == sorted(reps), "all first repetitions before all second ones"


def test_no_framework_is_always_first_and_reads_follow_their_writes() -> None:
    runs = [
        run_named(framework, benchmark, rep)
        for framework, benchmark, rep in itertools.product(
            "ab", ("dfsio-write", "dfsio-read", "sort"), (1, 2)
        )
    ]
    found = ordered(runs)
    first = {rep: next(r.framework for r in found if r.identity.rep == rep) for rep in (1, 2)}
    assert first[1] != first[2]
    for before, after in itertools.pairwise(found):
        if after.benchmark == "dfsio-read":
            assert (before.benchmark, before.framework) == ("dfsio-write", after.framework)


def test_a_specification_is_typed_and_says_no_defaults() -> None:
    for cell in plan_of("mrev", "laptop").cells.values():
        text = cell.model_dump_json()
        assert CellSpec.model_validate_json(text) == cell
        told = json.loads(text)
        assert told["power"] == {} and "am_memory_mb" not in told["parameters"], "as at site local"
        assert (
            set(told["parameters"]) >= {"heap_mb", "block_size_mb"} and "handlers" not in told["parameters"]
        )
        assert cell.parameters.handlers == 4 and cell.hosts.kind == "emulated"
        assert {entry.label for entry in cell.frameworks.values()} == set(cell.frameworks), (
            "a label for figures is nothing that runs depend on"
        )


@pytest.mark.parametrize(("scale", "sizes"), [("laptop", {3, 5}), ("night", {3, 5, 9, 13})])
def test_maps_come_in_three_waves_on_every_number_of_hosts(scale: str, sizes: set[int]) -> None:
    waves = 3
    cells = {**plan_of("hpc", scale).cells, **plan_of("mrev", scale).cells}
    assert {cell.nodes for cell in cells.values()} == sizes
    for cell in cells.values():
        slots = (cell.nodes - 1) * cell.parameters.mappers_per_node
        for run in cell.runs:
            if run.benchmark in ("terasort", "wordcount", "sort", "grep"):
                file_mb = run.settings["data_mb"] / slots
                assert math.ceil(file_mb / cell.parameters.block_size_mb) == waves
            elif run.benchmark.startswith("dfsio"):
                assert run.settings["files"] >= waves * slots
    sizes = {
        run.settings["data_mb"] for cell in cells.values() for run in cell.runs if "data_mb" in run.settings
    }
    assert len(sizes) == 1, "the data are the same on all numbers of hosts"


def test_without_waves_blocks_and_files_are_as_written() -> None:
    (cell,) = plan_of("hpc", "smoke").cells.values()
    assert cell.parameters.block_size_mb == 4
    assert {run.settings["files"] for run in cell.runs if run.benchmark == "dfsio-write"} == {2}


def test_no_block_is_too_small_for_hdfs_and_none_is_larger_than_written() -> None:
    shared = config_of("laptop").scale.cells
    assert shared is not None
    assert parameters_of(200, shared).block_size_mb == 1
    assert parameters_of(2, shared).block_size_mb == shared.parameters.block_size_mb
    assert Parameters.model_validate(parameters_of(8, shared).model_dump()), "whole checksums"


def test_every_benchmark_is_repeated() -> None:
    for study in STUDIES:
        tables = plan_of(study, "laptop").tables.values()
        assert {runs.repetitions for table in tables for runs in table.runs.values()} == {3}


def test_hosts_that_do_not_fit_the_memory_are_not_run_and_say_so() -> None:
    gib = 1 << 30
    small = plan_of("hpc", "night", Refusals(memory=8 * gib))
    assert {cell.nodes for cell in small.cells.values()} == {3, 5}
    reasons = {
        str(absent.factors["nodes"]): absent.reason
        for absent in small.tables["terasort"].not_run
        if absent.factors["framework"] == "hadoop-gbe" and absent.factors["disk"] == "ssd"
    }
    assert reasons.keys() == {"9"}
    assert re.fullmatch(r"9 hosts need 1\d\.\d GB of memory, this machine has 8.6 GB", reasons["9"])
    assert small.needs.memory <= 8 * gib
    tiny = plan_of("hpc", "night", Refusals(memory=gib))
    assert tiny.needs.memory > gib, (
        "a machine that is too small for all of it is told so before anything runs"
    )


def small_plan(**changes: Any) -> Plan:
    """The plan of hpc at smoke, on clusters of its own unless `parameters` says otherwise, with changed frameworks."""
    config = config_of("smoke")
    own = config.scale.of("hpc", CellsStudyScale)
    parameters = changes.pop("parameters", Parameters(block_size_mb=10, io_sort_mb=4))
    frameworks = {
        name: entry.model_copy(update=changes.get(name.replace("-", "_"), {}))
        for name, entry in config.frameworks.items()
    }
    studies = {**config.scale.studies, "hpc": own.model_copy(update={"parameters": parameters})}
    model = config.studies["hpc"]
    assert isinstance(model, CellsStudy)
    if sizes := changes.get("sizes"):
        fixed = {"framework": "hadoop-ipoib", "disk": "ssd", "benchmark": "sort"}
        shape = Experiment(title="t", where="w", factors={"size": sizes}, fixed=fixed)
        defaults = {**model.defaults, "size": 1}
        model = model.model_copy(update={"defaults": defaults, "experiments": {"sizes": shape}})
    scale = replace(config.scale, studies=studies)
    return plan(model, replace(config, scale=scale, frameworks=frameworks), NOTHING_REFUSED)


def test_a_study_with_parameters_of_its_own_shares_no_cluster() -> None:
    shared, own = plan_of("hpc", "smoke"), small_plan()
    assert not shared.cells.keys() & own.cells.keys()
    assert set(own.cells) == {f"{name}_hpc" for name in shared.cells}
    for cell in own.cells.values():
        assert (cell.parameters.block_size_mb, cell.parameters.io_sort_mb) == (10, 4), "blocks as written"


def test_properties_of_a_cluster_give_a_framework_one_of_its_own() -> None:
    site = {"yarn-site.xml": {"yarn.nodemanager.local-dirs": "/dev/shm/mine"}}
    cells = small_plan(parameters=None, hadoop_ipoib={"site": site}).cells
    own = cells["3n_ssd_ib_hadoop-ipoib"]
    assert own.parameters.extra == site and {run.framework for run in own.runs} == {"hadoop-ipoib"}
    others = [cell for cell in cells.values() if cell is not own]
    assert others and not any(cell.parameters.extra for cell in others)


def test_sizes_multiply_the_data_of_a_benchmark() -> None:
    made = small_plan(sizes=[0.5, 1, 2])
    runs = [run for cell in made.cells.values() for run in cell.runs]
    assert {run.identity.factors["size"]: run.settings["data_mb"] for run in runs} == {0.5: 2, 1: 4, 2: 8}
    assert len({run.folder for run in runs}) == 3, "each is a point of its own"
    assert made.tables["sizes"].factors == ["framework", "nodes", "disk", "benchmark", "size"]


def test_a_study_with_sizes_needs_clusters_of_its_own() -> None:
    with pytest.raises(
        KvasirError, match=r"scales/smoke\.yaml: hpc\.parameters: found nothing: expected Hadoop's"
    ):
        small_plan(parameters=None, sizes=[1, 2])


def test_only_benchmarks_with_data_in_megabytes_have_sizes() -> None:
    config = config_of("smoke")
    assert config.scale.cells
    own = config.scale.of("hpc", CellsStudyScale)
    with pytest.raises(
        KvasirError, match="benchmark pagerank: it has no data_mb, which factor size multiplies"
    ):
        settings_of("pagerank", config.scale.cells, own, 2)
