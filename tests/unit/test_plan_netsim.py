"""Plans of simulations: every level becomes a piece of the simulator's configuration, seeds pair the settings."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.config import Config, NetsimStudy, load_config
from harness.config.load import STUDY, parse
from harness.core.errors import KvasirError
from harness.plan.netsim import laid_over, plan, with_value
from harness.plan.planner import choose
from harness.plan.spec import Plan

PROJECT = Path(__file__).parents[2]

documents = st.recursive(
    st.integers() | st.booleans() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
).filter(lambda document: isinstance(document, dict))


def config_of(scale: str) -> Config:
    values = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    return load_config({**values, "studies": ["eee"], "scale": scale}, PROJECT / "config")


def plan_of(scale: str) -> Plan:
    config = config_of(scale)
    study = config.studies["eee"]
    assert isinstance(study, NetsimStudy)
    return plan(study, config)


@given(below=documents, above=documents)
def test_laying_over_keeps_what_is_not_named_and_changes_neither(below: Any, above: Any) -> None:
    before = (repr(below), repr(above))
    result = laid_over(below, above)
    assert (repr(below), repr(above)) == before
    assert set(result) == set(below) | set(above)
    assert laid_over(result, above) == result
    for key in set(below) - set(above):
        assert result[key] == below[key]


def test_null_takes_a_key_away() -> None:
    assert laid_over({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}) == {"a": {"c": 2}}


def test_a_path_reaches_into_objects() -> None:
    assert with_value({"a": {"b": 1}}, "a.c.d", 5) == {"a": {"b": 1, "c": {"d": 5}}}


def test_every_run_has_a_whole_configuration() -> None:
    made = plan_of("paper")
    for run in made.runs:
        factors, document = run.identity.factors, run.document
        if document is None:
            assert run.program[1] == "link"
            continue
        assert document["seed"] == run.identity.seed
        fat = factors["fabric"] == "fat-tree"
        assert document["topology"].get("nodes") == (None if fat else factors["nodes"])
        assert document["latency"]["added_us"] == factors["latency_us"]
        assert document["jobs"]["load_percent"] == factors["load"]
        assert (
            document["buffer_bytes"] == {"shallow": 128 * 1024, "deep": 10 * 1024 * 1024}[factors["buffer"]]
        )
        assert document["eee"]["core"]["stall_us"] == factors["stall_us"]


def test_settings_are_the_papers() -> None:
    run = plan_of("paper").by_name["nonuniform", "small_24_120us100+", 1]
    assert run.document is not None
    eee = run.document["eee"]
    assert (eee["edge"]["hold_us"], eee["edge"]["trigger"]) == (120, 100)
    assert (eee["core"]["hold_us"], eee["core"]["trigger"]) == (1000, 1000)


def test_the_whole_matrix_of_the_paper_is_there() -> None:
    points = {name: len(table.runs) for name, table in plan_of("paper").tables.items()}
    assert points["coalescing"] == 120, "Figs. 8 and 9"
    assert points["nonuniform"] == 42, "Figs. 10 and 11"
    assert points["standard"] == 18, "Fig. 7"
    assert points["load"] == 55 + 2, "Figs. 12 to 14, and two points with deep buffers"


def test_a_repetition_meets_the_same_jobs_under_every_setting() -> None:
    seeds: dict[int, set[int]] = {}
    for run in plan_of("paper").runs:
        seeds.setdefault(run.identity.rep, set()).add(run.identity.seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)


@pytest.mark.parametrize("scale", ["smoke", "laptop", "night", "paper"])
def test_equal_simulations_are_made_once(scale: str) -> None:
    runs = [
        json.dumps([run.program[1], run.document or run.program, run.identity.rep], sort_keys=True)
        for run in plan_of(scale).runs
    ]
    assert len(runs) == len(set(runs))


def test_a_point_with_more_repetitions_than_its_equal_has_runs_of_its_own() -> None:
    made = plan_of("night")
    runs = {name: table.runs for name, table in made.tables.items()}
    assert made.tables["standard"].repetitions == 2
    assert runs["coalescing"]["small_24_deep_tuned_nopa"].folder == runs["standard"]["small_24_nopa"].folder
    for table in made.tables.values():
        for point, of_point in table.runs.items():
            assert of_point.repetitions == table.repetitions
            experiment, name = of_point.folder.split("/")[-2:]
            reps = {rep for e, p, rep in made.by_name if (e, p) == (experiment, name)}
            assert reps >= set(range(1, table.repetitions + 1)), (table.experiment, point)


def test_points_of_several_experiments_share_their_runs() -> None:
    made = plan_of("laptop")
    tuned = made.tables["nonuniform"].runs["batch_80_1ms1000"].folder
    assert tuned.endswith("runs/eee/coalescing/batch_80_deep_tuned_1ms1000")
    assert ("nonuniform", "batch_80_1ms1000", 1) not in made.by_name
    folders = {f"{r.identity.experiment}/{r.identity.point}" for r in made.runs}
    for table in made.tables.values():
        assert {"/".join(runs.folder.split("/")[-2:]) for runs in table.runs.values()} <= folders


@pytest.mark.parametrize("scale", ["laptop", "paper"])
def test_the_same_load_for_the_same_time_is_offered_to_every_size(scale: str) -> None:
    for run in plan_of(scale).runs:
        if run.document is not None and run.identity.factors["fabric"] == "two-rack":
            assert run.document["jobs"]["window_s"] > 0, run.identity
            assert "count" not in run.document["jobs"], run.identity


def test_a_scale_keeps_other_levels_in_one_experiment() -> None:
    variants = {
        name: {
            run.identity.factors["variant"]
            for run in plan_of("laptop").runs
            if run.identity.experiment == name
        }
        for name in ("coalescing", "coalescing_choices")
    }
    assert variants["coalescing"] == {"base"}
    assert {"base", "random", "replication3", "mrperf-cpu"} <= variants["coalescing_choices"]
    assert "reuse" not in variants["coalescing_choices"]


def test_open_choices_share_only_what_is_run() -> None:
    made = plan_of("laptop")
    folders = {f"{r.identity.experiment}/{r.identity.point}" for r in made.runs}
    lent = {"/".join(runs.folder.split("/")[-2:]) for runs in made.tables["nonuniform_choices"].runs.values()}
    assert lent <= folders
    assert any(folder.startswith("coalescing_choices/") for folder in lent)


def test_simulations_are_not_watched_and_may_share_the_machine() -> None:
    assert {run.watch for run in plan_of("smoke").runs} == {None}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda study: study["experiments"]["stall"]["fixed"].update(buffer="deeep"),
            "unknown buffer ['deeep']",
        ),
        (lambda study: study["uses"].update(stall="fly"), "unknown program 'fly'"),
        (
            lambda study: study["programs"]["run"]["levels"].pop("setting"),
            "setting has neither levels nor paths",
        ),
    ],
)
def test_a_level_that_means_nothing_is_named(change: Any, expected: str) -> None:
    study = yaml.safe_load((PROJECT / "config/studies/eee.yaml").read_text())
    study["experiments"]["stall"]["fixed"] = {}
    change(study)
    with pytest.raises(KvasirError) as caught:
        parse(STUDY, study, "eee.yaml")
    assert expected in str(caught.value)


def test_a_scale_that_keeps_nothing_of_an_experiment_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    shutil.copytree(PROJECT / "config", folder)
    scale = folder / "scales" / "smoke.yaml"
    scale.write_text(scale.read_text().replace("variant: [base, strict, random]", "variant: [base]"))
    with pytest.raises(KvasirError, match=r"smoke.yaml: eee.only: keeps no point of experiment placement"):
        choose(["scale=smoke", "studies=eee"], folder).plan("eee")
