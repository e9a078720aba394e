"""Plans: the right runs, sizes that keep the paper's ratios, an order that is random but stable."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.config import Config, EngineScale, EngineStudy, Experiment, load_config
from harness.plan.datasets import combinability, scaled_buffer, scaled_unique
from harness.plan.engine import plan
from harness.plan.points import expand, priority, seed_of
from harness.plan.requirements import left_out
from harness.plan.spec import Needs, Plan
from harness.results.layout import NotRun, TableSpec

PROJECT = Path(__file__).parents[2]


def config_of(scale: str) -> Config:
    values = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    return load_config({**values, "scale": scale}, PROJECT / "config")


def plan_of(scale: str, refusal: str = "no powercap here") -> Plan:
    config = config_of(scale)
    return plan(config.studies["mimir"], config, refusal)


def test_paper_scale_has_the_papers_numbers() -> None:
    made = plan_of("paper", refusal="")
    combinability_runs = [r for r in made.runs if r.identity.experiment == "combinability"]
    assert len(combinability_runs) == 81, "nine data sets, three caps, three repetitions (Fig. 3)"
    assert {r.identity.factors["unique"] for r in combinability_runs} >= {
        72,
        5_000,
        1_111_104,
        41_666_688,
        49_999_968,
    }
    assert {r.ranks for r in combinability_runs} == {72}
    assert {r.identity.factors["words"] for r in combinability_runs} == {4_000_000_000}
    stages = [r for r in made.runs if r.identity.experiment == "stages"]
    assert len(stages) == 36, "Fig. 1: two apps on two platforms, three caps, three repetitions"
    assert {(r.identity.factors["platform"], r.ranks, r.identity.factors["unique"]) for r in stages} == {
        ("knl", 68, 68),
        ("knm", 72, 72),
    }
    buffers = {r.identity.factors["buffer_bytes"] for r in made.runs if r.identity.experiment == "buffering"}
    assert buffers == {32_000_000, 128_000_000}, "with 64 MB the runs of combinability serve"
    table = made.tables["buffering"]
    assert len(table.runs) == 81, "nine data sets, three buffers, three caps (Fig. 5)"
    assert table.runs["4B5K_64MB_140W"].folder.endswith("runs/mimir/combinability/4B5K_140W")
    assert table.runs["4B5K_32MB_140W"].folder.endswith("runs/mimir/buffering/4B5K_32MB_140W")


def test_caps_that_cannot_be_set_are_not_run_and_say_why() -> None:
    made = plan_of("laptop")
    assert {r.watch.cap_w for r in made.runs if r.watch} == {None}
    skipped = [absent for table in made.tables.values() for absent in table.not_run]
    assert {absent.factors["cap_w"] for absent in skipped} == {140, 120}
    assert all("no powercap here" in absent.reason for absent in skipped)
    assert {r.watch.cap_w for r in plan_of("laptop", refusal="").runs if r.watch} == {215.0, 140.0, 120.0}


@pytest.mark.parametrize("scale", ["smoke", "laptop", "night", "paper"])
def test_combinability_rates_stay_the_papers(scale: str) -> None:
    rates = {"4B5K": 0.99991, "4B1M": 0.98, "4B28M": 0.5, "4B42M": 0.25, "4B50M": 0.10}
    for run in plan_of(scale).runs:
        factors = run.identity.factors
        if run.identity.experiment == "combinability" and factors["data"] in rates:
            rate = combinability(float(factors["words"]), float(factors["unique"]), run.ranks)  # type: ignore[arg-type]
            assert rate == pytest.approx(rates[str(factors["data"])], abs=2e-4)


def test_runs_are_unique_and_have_own_folders() -> None:
    for scale in ("smoke", "laptop", "night", "paper"):
        names = [(r.identity.experiment, r.identity.point, r.identity.rep) for r in plan_of(scale, "").runs]
        assert len(names) == len(set(names))
        assert all("/" not in point and " " not in point for _, point, _ in names)


@given(
    unique=st.integers(1, 50_000_000),
    words=st.integers(1_000_000, 10**10),
    ranks=st.integers(1, 288),
)
def test_scaling_keeps_eq_1(unique: int, words: int, ranks: int) -> None:
    scaled = scaled_unique(unique, 4_000_000_000, 72, words, ranks)
    ours, papers = combinability(words, scaled, ranks), combinability(4e9, unique, 72)
    # Rounding to whole words, at most ranks/words each way, and never fewer than one word.
    assert abs(ours - papers) <= ranks / words + 1e-12
    assert scaled_unique(unique, 4_000_000_000, 72, 4_000_000_000, 72) == unique


def test_short_runs_read_their_text_several_times() -> None:
    runs = {(r.identity.experiment, r.identity.point): r for r in plan_of("laptop").runs}
    short = runs["combinability", "4B72_215W"]
    assert short.passes > 1
    assert short.program.count(short.inputs[0]) == short.passes
    factors = short.identity.factors
    assert factors["words"] == 64_000_000 * short.passes
    rate = combinability(float(factors["words"]), float(factors["unique"] or 0), short.ranks)  # type: ignore[arg-type]
    assert rate == pytest.approx(1 - 72 * 72 / 4e9, abs=1e-8)
    assert factors["buffer_bytes"] == 64e6 * (short.passes * 64_000_000 / 2) / (4e9 / 72)
    # An experiment that borrows has the lender's passes, or its points would not be comparable with borrowed ones.
    assert runs["buffering", "4B72_32MB_215W"].passes == short.passes
    assert runs["sampling", "4B72_5ms_215W"].passes == short.passes
    table = plan_of("laptop").tables["sampling"]
    assert table.runs["4B72_100ms_215W"].folder.endswith("combinability/4B72_215W")


@pytest.mark.parametrize(
    ("passes", "why"),
    [
        ({"combinabilty": {"4B72": 2}}, "passes.combinabilty: found no such experiment"),
        ({"combinability": {"4B73": 2}}, "passes.combinability.4B73: found no such data set"),
        ({"skew": {"zipf": 2}}, "passes.skew.zipf: found no such data set"),
        ({"buffering": {"4B72": 2}}, "passes.buffering: its runs are partly those of combinability"),
    ],
)
def test_passes_name_experiments_and_data_sets_of_the_study(
    passes: dict[str, dict[str, int]], why: str
) -> None:
    config = config_of("laptop")
    study, scale = config.studies["mimir"], config.scale.of("mimir", EngineScale)
    assert isinstance(study, EngineStudy)
    found = scale.model_copy(update={"passes": passes}).mistakes(study)
    assert len(found) == 1 and found[0].startswith(why)


def test_a_scale_keeps_chosen_levels_of_an_experiment() -> None:
    config = config_of("laptop")
    study, scale = config.studies["mimir"], config.scale.of("mimir", EngineScale)
    assert isinstance(study, EngineStudy)
    data = {"4B72", "4B42M"}
    chosen = scale.model_copy(update={"only_experiment": {"buffering": {"data": sorted(data)}}})
    sections = {**config.scale.studies, "mimir": chosen}
    smaller = replace(config, scale=replace(config.scale, studies=sections))
    found = plan(study, smaller, "no powercap here")
    assert {point.partition("_")[0] for point in found.tables["buffering"].runs} == data
    assert {
        run.identity.factors["data"] for run in found.runs if run.identity.experiment == "combinability"
    } > data
    wrong = scale.model_copy(update={"only_experiment": {"bufering": {"data": ["4B72"]}}})
    assert [mistake.partition(":")[0] for mistake in wrong.mistakes(study)] == ["only_experiment.bufering"]


def test_buffer_keeps_the_share_of_distinct_words_it_holds() -> None:
    config = config_of("laptop")
    study, scale = config.studies["mimir"], config.scale.of("mimir", EngineScale)
    unique = scaled_unique(1_111_104, study.paper_words, 72, scale.words, scale.ranks["knm"])
    assert scaled_buffer(64, study, scale) / unique == pytest.approx(64e6 / 1_111_104, rel=1e-4)


@given(
    levels=st.lists(st.integers(0, 50), min_size=1, max_size=5, unique=True),
    letters=st.sampled_from(["a", "ab", "abc"]),
)
def test_expand_is_the_full_cross(levels: list[int], letters: str) -> None:
    experiment = Experiment(
        title="t", where="w", factors={"x": list(levels), "y": list(letters)}, fixed={"z": 7}
    )
    points = expand(experiment, {"x": 0, "y": "", "z": 0, "rest": 1})
    assert len(points) == len(levels) * len(letters) == len({p.name for p in points})
    assert all(p.levels["z"] == 7 and p.levels["rest"] == 1 for p in points)


def test_order_interleaves_repetitions_and_does_not_depend_on_the_others() -> None:
    runs = [("e", f"p{i}") for i in range(50)]
    first = [priority(1, "s", *run, 1) for run in runs]
    second = [priority(1, "s", *run, 2) for run in runs]
    assert min(first) > max(second) > 0, "all first repetitions before all second ones"
    order = sorted(runs, key=lambda run: -priority(1, "s", *run, 1))
    assert order != runs and order != runs[::-1], "not the plan's order"
    assert [run for run in order if run in runs[:10]] == sorted(
        runs[:10], key=lambda r: -priority(1, "s", *r, 1)
    )
    assert order != sorted(runs, key=lambda run: -priority(2, "s", *run, 1)), "another seed, another order"


def test_seeds_depend_on_identity_alone() -> None:
    assert seed_of(1, "a", 2) == seed_of(1, "a", 2)
    assert len({seed_of(1, "a", rep) for rep in range(100)}) == 100


def test_what_will_not_run_is_said_with_the_number_of_points_most_first() -> None:
    reasons = ["no caps\nhere"] * 3 + [f"reason {i}" for i in range(8)]
    missing = [NotRun(point=str(i), factors={}, reason=reason) for i, reason in enumerate(reasons)]
    table = TableSpec(
        study="s", experiment="e", scale="x", factors=[], runs={}, not_run=missing, repetitions=1
    )  # fmt: skip
    plan = Plan(runs=[], tables={"e": table}, needs=Needs(memory=0, disk=0, missing=0, ranks=1))
    lines = left_out([plan])
    assert lines[:2] == ["left out, 3 points: no caps here", "left out, 1 point: reason 0"]
    assert len(lines) == 7 and lines[-1] == "left out for other reasons, 3 points: the report says why"
    assert left_out([]) == []
