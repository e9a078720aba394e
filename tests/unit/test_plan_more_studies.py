"""A further study of any kind needs data files alone: it is planned, costed and shares cells like those that ship."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from harness.core.errors import KvasirError
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.costs import of_runs, per_size
from harness.plan.planner import Planner

PROJECT = Path(__file__).parents[2]
NAMES = {"knm": "large", "knl": "small", "skew": "wide", "215": "300"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration with a second study of each kind; that of the engine has other platforms and caps."""
    made = Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))
    (tmp_path / "src").symlink_to(PROJECT / "src")
    for new, old in (("second", "mimir"), ("quiet", "eee"), ("cluster", "hpc")):
        text = (made / f"studies/{old}.yaml").read_text().replace(f"id: {old}\n", f"id: {new}\n")
        if old == "mimir":
            for ours, theirs in NAMES.items():
                text = re.sub(rf"\b{ours}\b", theirs, text)
        (made / f"studies/{new}.yaml").write_text(text)
    scale = made / "scales/smoke.yaml"
    sizes = yaml.safe_load(scale.read_text())
    ranks = {"ranks": {"large": 3, "small": 2, "wide": 4}}
    more = {"second": {**sizes["mimir"], **ranks}, "quiet": sizes["eee"], "cluster": sizes["hpc"]}
    scale.write_text(yaml.safe_dump({**sizes, **more}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    monkeypatch.setattr(Capabilities, "caps", "no caps here")
    return made


def planner_of(folder: Path, *studies: str) -> Planner:
    return Planner({"scale": "smoke", "site": "local", "seed": 1, "studies": list(studies)}, folder)


def test_a_second_study_of_the_engine_has_its_own_platforms_and_caps(folder: Path) -> None:
    planner = planner_of(folder, "mimir", "second")
    first, second = planner.plan("mimir"), planner.plan("second")
    assert len(second.runs) == len(first.runs) > 20, "as many levels, as many caps that cannot be set"
    assert {run.identity.study for run in second.runs} == {"second"}
    assert {(r.identity.factors["platform"], r.ranks) for r in second.runs} == {
        ("large", 3),
        ("small", 2),
        ("wide", 4),
        ("pair", 2),
        ("solo", 1),
    }
    assert {run.identity.factors["cap_w"] for run in second.runs} == {300}
    assert second.needs.ranks == 3, "ranks of the study's own default platform"


def test_a_second_study_of_the_simulator_makes_its_own_runs(folder: Path) -> None:
    planner = planner_of(folder, "eee", "quiet")
    first, second = planner.plan("eee"), planner.plan("quiet")
    assert len(second.runs) == len(first.runs)
    assert not {run.identity.seed for run in first.runs} & {run.identity.seed for run in second.runs}


def test_a_third_study_of_cells_shares_its_runs(folder: Path) -> None:
    alone, all_three = planner_of(folder, "hpc"), planner_of(folder, "hpc", "cluster")
    (cell,), (shared,) = alone.cells.values(), all_three.cells.values()
    assert shared.runs == cell.runs and shared.studies == ["cluster", "hpc"]


@pytest.mark.parametrize("name", ["second", "quiet"])
def test_costs_go_by_the_kind_of_a_study(folder: Path, name: str) -> None:
    planner = planner_of(folder, name)
    runs = planner.plan(name).runs
    cost = of_runs(planner.config.studies[name], runs, per_size(runs, lambda run: 1.0), 0, None)
    assert cost.study == name and cost.how.startswith("seconds grow with the ") and cost.node_hours


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ranks": {"large": 3}}, "second.ranks: found large: expected large, small, wide"),
        ({"skew_words": None}, "second.skew_words: found nothing"),
        ({"realtext": []}, "second.realtext: found nothing"),
        ({"words": -1}, "second.words: found -1"),
    ],
)
def test_sizes_that_do_not_fit_the_study_are_named(
    folder: Path, change: dict[str, object], expected: str
) -> None:
    scale = folder / "scales/smoke.yaml"
    sizes = yaml.safe_load(scale.read_text())
    scale.write_text(yaml.safe_dump({**sizes, "second": {**sizes["second"], **change}}))
    with pytest.raises(KvasirError) as caught:
        planner_of(folder, "second")
    assert f"{scale}: {expected}" in str(caught.value)
    planner_of(folder, "mimir")


def test_a_study_without_sizes_is_named_with_its_scale(folder: Path) -> None:
    (folder / "studies/other.yaml").write_text(
        (folder / "studies/eee.yaml").read_text().replace("id: eee\n", "id: other\n")
    )
    with pytest.raises(KvasirError, match=r"smoke\.yaml: other: found nothing: the scale has no sizes"):
        planner_of(folder, "other")


def test_a_platform_that_the_paper_does_not_name_is_refused(folder: Path) -> None:
    file = folder / "studies/second.yaml"
    file.write_text(file.read_text().replace("platform: small}", "platform: huge}"))
    with pytest.raises(KvasirError, match=r"data set 4B68: platform 'huge' is none of paper_ranks"):
        planner_of(folder, "second")
