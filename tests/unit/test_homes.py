"""Frameworks that need software of the user's: what a home lacks is the reason why their points are not run."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.config import FrameworkEntry
from harness.config.load import read_yaml
from harness.hadoop.assembly.jars import version_of
from harness.hadoop.plugins import load_plugins
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.planner import Planner
from harness.results.layout import NotRun

PROJECT = Path(__file__).parents[2]
NEEDED = "hadoop-native", "rdma-hadoop-itself"
FILES = {
    "hadoop-native": [
        "lib/native/libnativetask.so",
        "lib/native/libhadoop.so",
        "share/hadoop/mapreduce/hadoop-mapreduce-client-nativetask-3.4.2.jar",
    ],
    "rdma-hadoop-itself": ["share/hadoop/common/hadoop-common-2.8.0.jar", "lib/native/librdma.so.1"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration, with an experiment of study mrev on all frameworks of this file."""
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    monkeypatch.chdir(tmp_path)
    made = Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))
    (tmp_path / "src").symlink_to(PROJECT / "src")
    study = read_yaml(made / "studies/mrev.yaml")
    study["experiments"]["homes"] = {
        "title": "Homes",
        "where": "a test",
        "factors": {"framework": [*NEEDED, "celeborn", "uniffle", "hadoop-1-2-1"]},
    }
    (made / "studies/mrev.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    scale = read_yaml(made / "scales/smoke.yaml")
    del scale["mrev"]["only"]["framework"]
    (made / "scales/smoke.yaml").write_text(yaml.safe_dump(scale, sort_keys=False))
    return made


def with_entry(folder: Path, name: str, **keys: Any) -> None:
    file = folder / "frameworks.yaml"
    entries = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**entries, name: {**entries[name], **keys}}, sort_keys=False))


def planned(folder: Path) -> tuple[Planner, dict[str, NotRun]]:
    planner = Planner({"scale": "smoke", "site": "local", "seed": 1, "studies": ["mrev"]}, folder)
    absent = planner.plan("mrev").tables["homes"].not_run
    return planner, {str(point.factors["framework"]): point for point in absent}


def test_each_says_what_it_lacks_until_a_home_is_named(folder: Path) -> None:
    _, absent = planned(folder)
    assert absent.keys() == {*NEEDED, "celeborn", "uniffle", "hadoop-1-2-1"}
    assert "its entry needs home, a folder with lib/native/libnativetask.so (the collector in C++), " in (
        absent["hadoop-native"].reason
    )
    for name in ("celeborn", "uniffle"):
        assert "name its MapReduce client as a plug-in (docs/hadoop.md)" in absent[name].reason
    assert "it has no YARN" in absent["hadoop-1-2-1"].reason


@pytest.mark.parametrize("name", NEEDED)
def test_a_home_is_looked_at_file_by_file(name: str, folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "a home"
    with_entry(folder, name, home=str(home))
    for done, file in enumerate(FILES[name]):
        reason = planned(folder)[1][name].reason
        assert reason.startswith(f"{name}: {home} has no ")
        assert len(re.findall(r" \([^)]*\)", reason)) == len(FILES[name]) - done, "what is there is not named"
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("")
    planner, absent = planned(folder)
    assert name not in absent
    (cell,) = [cell for cell in planner.cells.values() if name in cell.frameworks]
    assert cell.hadoop == name and f"build/hadoop/{name}.json" in cell.built
    assert "needs" not in cell.frameworks[name].model_dump(exclude_defaults=True)
    if name == "hadoop-native":
        properties = cell.frameworks[name].job_properties
        assert properties["mapreduce.map.env"] == f"LD_LIBRARY_PATH={home}/lib/native"
    else:
        assert version_of(home) == "2.8.0"


@given(
    st.dictionaries(st.from_regex(r"[ab*.][ab/*.]{0,5}", fullmatch=True), st.text("xy"), min_size=1),
    st.data(),
)
def test_an_entry_runs_only_with_all_that_it_needs(needs: dict[str, str], data: st.DataObject) -> None:
    entry = FrameworkEntry.model_validate({"class": "hadoop", "label": "X", "home": "/h", "needs": needs})
    assert (
        entry.model_copy(update={"home": None})
        .on([])
        .missing.startswith("its entry needs home, a folder with ")
    )
    found = data.draw(st.sets(st.sampled_from(sorted(needs))))
    assert (entry.on(found).missing == "") == (found == set(needs))


def test_the_recipes_of_remote_shuffles_are_plug_ins(tmp_path: Path) -> None:
    """As docs/hadoop.md has them, with an empty jar in place of the client's."""
    text = (PROJECT / "docs/hadoop.md").read_text(encoding="utf-8")
    recipes = re.findall(r"```yaml\n# /opt/([\w-]+)/plugin\.yaml[^\n]*\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in recipes] == ["celeborn-client", "uniffle-client"]
    for name, content in recipes:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "plugin.yaml").write_text(content)
        (folder / yaml.safe_load(content)["jar"]).write_text("")
        (plugin,) = load_plugins([str(folder)]).values()
        assert {"MapOutputCollector", "ShuffleConsumer", "RssShuffle"} & {
            part
            for value in plugin.job_properties.values()
            for part in re.findall(r"MapOutputCollector|ShuffleConsumer|RssShuffle", value)
        }
    entries = re.search(r"in place of the entries that are there\n(.*?)```", text, re.DOTALL)
    assert entries is not None
    for entry in yaml.safe_load(entries[1]).values():
        assert FrameworkEntry.model_validate(entry).plugins
