"""Mimir as the user built it: what is planned on it, and what is said of a folder that lacks something."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from harness.core.errors import KvasirError
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.mimir import HEADERS, refusal
from harness.plan.planner import Planner
from harness.plan.spec import Plan

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration, in a place of its own."""
    monkeypatch.setattr(Capabilities, "caps", "no caps here")
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    return Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder like that of an installed Mimir."""
    made = tmp_path / "mimir-home"
    (made / "include").mkdir(parents=True)
    (made / "lib").mkdir()
    for name in HEADERS:
        (made / "include" / name).write_text("")
    (made / "lib/libmimir.a").write_bytes(b"")
    return made


def planner(folder: Path, study: str = "mimir", **entry: object) -> Planner:
    file = folder / "frameworks.yaml"
    if entry:
        file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), "mimir": entry}))
    return Planner({"scale": "laptop", "site": "local", "seed": 1, "studies": [study]}, folder)


def on_mimir(folder: Path, home: Path) -> Plan:
    return planner(folder, **{"class": "mimir", "label": "Mimir", "home": str(home)}).plan("mimir")


def test_without_a_home_nothing_runs_on_mimir(folder: Path) -> None:
    made = planner(folder).plan("mimir")
    assert not [name for name in made.tables if "mimir" in name]
    assert not [run for run in made.runs if "mimir-words" in run.program[0]]


def test_with_a_home_the_same_points_run_on_the_same_data(folder: Path, home: Path) -> None:
    made = on_mimir(folder, home)
    for name in ("stages", "combiner", "combinability", "buffering", "realtext"):
        engine, mimir = made.tables[name], made.tables[f"{name}_on_mimir"]
        assert engine.runs.keys() == mimir.runs.keys() and mimir.factors[-1] == "framework"
        assert engine.not_run.__len__() == mimir.not_run.__len__(), "caps alone are missing"
    runs = {(run.identity.experiment, run.identity.point, run.identity.rep): run for run in made.runs}
    pairs = [
        (runs[(name.removesuffix("_on_mimir"), point, rep)], run)
        for (name, point, rep), run in runs.items()
        if name.endswith("_on_mimir")
    ]
    assert len(pairs) > 50
    for engine_run, run in pairs:
        assert {**engine_run.identity.factors, "framework": "mimir"} == run.identity.factors
        assert [part for part in engine_run.program if not part.startswith("-")][1:] == [
            part for part in run.program if not part.startswith("-")
        ][1:], "its inputs, as often"
        assert (engine_run.counts, engine_run.launcher, engine_run.watch) == (
            run.counts,
            run.launcher,
            run.watch,
        )
        assert run.program[0] == "build/mimir/mimir/bin/mimir-words"
        assert run.built == "build/mimir/mimir/mimir.json"
        assert f"--app={run.identity.factors['app']}" in run.program


def test_a_copy_borrows_from_the_copy(folder: Path, home: Path) -> None:
    table = on_mimir(folder, home).tables["buffering_on_mimir"]
    assert table.runs["4B72_64MB_215W"].folder.endswith("runs/mimir/combinability_on_mimir/4B72_215W")
    assert table.runs["4B72_32MB_215W"].folder.endswith("runs/mimir/buffering_on_mimir/4B72_32MB_215W")


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("", r"there is no such folder"),
        ("include/mimir.h", r"there is no include/mimir\.h;"),
        ("include/mimircontext.h", r"there is no include/mimircontext\.h;"),
        ("include", r"no include/mimir\.h, no include/mimircontext\.h, no include/mimir_config\.h;"),
        ("lib/libmimir.a", r"there is no lib/libmimir\.a or lib64/libmimir\.a;"),
    ],
)
def test_what_a_home_lacks_is_one_error_that_says_what_to_do(
    folder: Path, home: Path, missing: str, expected: str
) -> None:
    gone = home / missing
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    with pytest.raises(KvasirError) as caught:
        on_mimir(folder, home)
    said = str(caught.value)
    assert said.startswith(f"config/frameworks.yaml: mimir: home: found {home}: ") and "\n" not in said
    assert re.search(expected, said) and "docs/extending.md" in said


def test_a_home_that_no_chosen_study_uses_is_not_looked_at(folder: Path, home: Path) -> None:
    shutil.rmtree(home)
    assert planner(folder, "eee", **{"class": "mimir", "label": "Mimir", "home": str(home)}).plan("eee").runs


def test_a_library_in_lib64_will_do(folder: Path, home: Path) -> None:
    (home / "lib").rename(home / "lib64")
    assert "combiner_on_mimir" in on_mimir(folder, home).tables


def test_class_mimir_without_a_home_is_refused(folder: Path) -> None:
    with pytest.raises(KvasirError, match=r"frameworks\.yaml: mimir: .*class mimir needs home"):
        planner(folder, **{"class": "mimir", "label": "Mimir"})


def test_a_cluster_study_cannot_name_it(folder: Path) -> None:
    file = folder / "studies/hpc.yaml"
    file.write_text(file.read_text().replace("hadoop-gbe", "mimir", 1))
    with pytest.raises(KvasirError, match=r"studies/hpc\.yaml: .*found framework mimir: allowed are those"):
        planner(folder, "hpc")


@pytest.mark.parametrize("name", ["hadoop-gbe", "nothing"])
def test_an_experiment_on_another_class_is_refused(folder: Path, name: str) -> None:
    file = folder / "studies/mimir.yaml"
    file.write_text(file.read_text().replace("also_on: [mimir]", f"also_on: [{name}]", 1))
    expected = rf"studies/mimir\.yaml: experiments\.stages: found framework {name}: allowed are .*: mimir$"
    with pytest.raises(KvasirError, match=expected):
        planner(folder)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"combine": "before"}, "combiner"),
        ({"strategy": "by-fill"}, "exchange"),
        ({"balance": "split"}, "skew"),
        ({"pipeline": "staged"}, "staged"),
    ],
)
def test_points_that_mimir_has_no_settings_for_say_why(change: dict[str, str], why: str) -> None:
    able = {"combine": "both", "strategy": "partition-full", "balance": "hash", "pipeline": "pipelined"}
    assert refusal(able, events=False) == ""
    assert refusal({**able, **change}, events=False).startswith("Mimir cannot run it: ")
    assert why in refusal({**able, **change}, events=False)
    assert "log" in refusal(able, events=True)
