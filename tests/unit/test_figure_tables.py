"""Tables that figures take besides those of runs: labels and looks of series, and parameters in effect."""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.config import Config, load_config
from harness.config.load import read_anchors, read_yaml
from harness.config.series import COLOURS
from harness.core.errors import KvasirError
from harness.plan.cells import entry_of
from harness.plan.figure_tables import (
    SERIES,
    anchor_rows,
    flat,
    netsim_documents,
    parameter_rows,
    series_rows,
    unit_of,
)
from harness.plan.planner import Planner

PROJECT = Path(__file__).parents[2]
CONFIG = PROJECT / "config"
ANCHORS_FILE = CONFIG / "anchors.yaml"
STUDIES = ("mimir", "eee", "mrev", "hpc")


def config_of(study: str, scale: str = "laptop", folder: Path = CONFIG) -> Config:
    return load_config({"scale": scale, "site": "local", "studies": [study], "seed": 1}, folder)


def values(study: str, scale: str, key: str) -> list[str]:
    rows = parameter_rows(study, [config_of(study, scale)], {})
    return [row["value"] for row in rows if row["key"] == key]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("scale", ["smoke", "laptop", "night", "paper"])
@pytest.mark.parametrize("study", ["mrev", "hpc"])
def test_a_studys_own_settings_win_over_the_shared_ones(study: str, scale: str) -> None:
    sizes = read_yaml(CONFIG / "scales" / f"{scale}.yaml")
    for name, shared in sizes["cells"]["benchmarks"].items():
        own = sizes[study].get("benchmarks", {}).get(name, {})
        if "files" in shared and "map_waves" in sizes["cells"]:
            numbers = [[int(value) for value in values(study, scale, f"{name}.{key}")] for key in shared]
            total = shared["files"] * shared["file_mb"]
            assert all(0.9 * total < files * mb <= total for files, mb in zip(*numbers, strict=True))
            continue
        for key, value in {**shared, **own}.items():
            found = values(study, scale, f"{name}.{key}")
            assert found == [str(value)] or (found == [] and name not in values(study, scale, "benchmark"))
    assert values(study, scale, "mappers_per_node") == [str(sizes["cells"]["parameters"]["mappers_per_node"])]


def test_levels_are_those_that_the_scale_keeps() -> None:
    assert values("mrev", "paper", "terasort.data_mb") == ["131072"]
    assert values("mrev", "paper", "sort.data_mb") == ["51200"]
    assert values("mrev", "smoke", "nodes") == ["3"]
    assert values("mrev", "laptop", "nodes") == ["3", "5"]
    assert values("mrev", "paper", "nodes") == ["3", "5", "9", "13"]
    assert values("mrev", "smoke", "disk") == values("mrev", "laptop", "disk") == ["ssd"]
    assert values("mrev", "paper", "disk") == ["hdd"]
    assert values("mrev", "smoke", "framework") == ["hadoop-ipoib", "hadoop-uda", "engine-ipoib"]
    assert values("mrev", "laptop", "repetitions") == ["3"]
    assert values("mimir", "laptop", "ranks.knm") == ["2"]


def test_defaults_that_no_file_names_are_there() -> None:
    assert values("hpc", "smoke", "overhead_mb") == ["112"]
    assert values("hpc", "smoke", "terasort.output_replication") == ["1"]


def test_simulations_are_the_base_and_one_level_each() -> None:
    config = config_of("eee", "smoke")
    documents = netsim_documents(config.studies["eee"], config)
    assert documents[""]["jobs"]["block_bytes"] == 4_194_304, "the scale's own"
    rows = parameter_rows("eee", [config], documents)
    by_level = {(row["level"], row["key"]): row for row in rows}
    assert by_level["", "buffer_bytes"]["value"] == "131072"
    assert by_level["buffer=deep", "buffer_bytes"]["value"] == "10485760"
    assert ("buffer=shallow", "buffer_bytes") not in by_level, "as in the base"
    assert by_level["setting=120us100", "eee.core.hold_us"]["value"] == "120"
    assert by_level["setting=120us100", "eee.core.hold_us"]["unit"] == "us"
    assert ("", "seed") not in by_level
    assert netsim_documents(config_of("mrev").studies["mrev"], config_of("mrev")) == {}


def test_values_are_text_with_units() -> None:
    document = {
        "a": {"heap_mb": 3072, "b": [1, 2]},
        "on": True,
        "rate": 2.0,
        "none": None,
        "watts": {"1g": 0.5},
    }
    assert list(flat(document)) == [
        ("a.heap_mb", "3072"), ("a.b", "1"), ("a.b", "2"), ("on", "true"), ("rate", "2"), ("watts.1g", "0.5")
    ]  # fmt: skip
    assert [unit_of(key) for key in ("a.heap_mb", "watts.1g", "timeout_s", "files")] == ["MiB", "W", "s", ""]


def test_all_scales_of_a_study_the_present_one_first(folder: Path) -> None:
    (folder / "scales" / "broken.yaml").write_text("cells: [")
    (folder / "scales" / "other.yaml").write_text("mimir: {}\n")
    planner = Planner({"scale": "laptop", "site": "local", "studies": ["mrev"], "seed": 1}, folder)
    assert [config.top.scale for config in planner.at_scales("mrev")] == [
        "laptop",
        "kick",
        "night",
        "paper",
        "smoke",
    ]


@pytest.mark.parametrize("study", STUDIES)
def test_no_two_series_of_a_factor_look_alike(study: str) -> None:
    """Series of different factors are in no figure together."""
    config = config_of(study)
    rows = {row["id"]: row for row in series_rows(config.studies[study], config)}
    factors = {
        factor for experiment in config.studies[study].experiments.values() for factor in experiment.factors
    }
    for factor in factors:
        levels = {
            level
            for experiment in config.studies[study].experiments.values()
            for level in experiment.levels_of(factor)
        }
        looks = [
            (rows[level]["colour"], rows[level]["shape"], rows[level]["linetype"])
            for level in sorted(levels)
            if level in rows and rows[level]["colour"]
        ]
        assert len(set(looks)) == len(looks), factor


def test_series_of_clusters_are_the_frameworks_with_their_own_labels(folder: Path) -> None:
    with (folder / "frameworks.yaml").open("a") as file:
        file.write("mine: {class: hadoop, label: My framework}\n")
    config = config_of("hpc", folder=folder)
    rows = series_rows(config.studies["hpc"], config)
    assert list(read_yaml(folder / "frameworks.yaml")) == [row["id"] for row in rows]
    assert rows[-1] == {"id": "mine", "label": "My framework"} | dict.fromkeys(SERIES[2:], "")
    assert {row["note"] for row in rows if row["id"] == "hadoop-uda"} == {"re-implementation after the paper"}
    assert rows[0]["label"] == "Hadoop-GbE" and rows[0]["colour"] == "black"


def test_a_level_that_no_one_describes_has_its_own_name() -> None:
    config = config_of("eee")
    rows = {row["id"]: row for row in series_rows(config.studies["eee"], config)}
    assert rows["nopa"]["label"] == "standard EEE"
    assert rows["24"]["label"] == "24 nodes (1.2:1)"
    assert rows["mrperf-latency"]["label"] == "MRPerf's latencies" and rows["mrperf-latency"]["colour"] == ""
    assert rows["shallow"]["label"] == "shallow" and rows["shallow"]["colour"] == ""


def test_a_look_changes_no_run() -> None:
    entry = config_of("mrev").frameworks["hadoop-gbe"]
    other = entry.model_copy(
        update={"label": "Other", "note": "O", "colour": "green", "shape": 3, "linetype": "dotted"}
    )
    assert entry_of("hadoop-gbe", entry, {}) == entry_of("hadoop-gbe", other, {})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "  nopa: {label",
            "  nappa: {label: x}\n  nopa: {label",
            "series: found nappa: no experiment has such a level",
        ),
        ("colour: sky, shape: 24", "colour: skye, shape: 24", "series.12us10.colour: found 'skye'"),
        ("colour: sky, shape: 24", "colour: sky, shape: 26", "series.12us10.shape: found 26"),
        ("tables: [stall]", "tables: [stal]", "figures.fig05.tables: found 'stal': allowed: adaptive"),
        ("  stall:\n", "  parameters:\n", "experiments: found ['parameters']: a table of every study"),
    ],
    ids=["level", "colour", "shape", "table", "reserved"],
)
def test_mistakes_are_named(old: str, new: str, said: str, folder: Path) -> None:
    edit(folder / "studies" / "eee.yaml", old, new)
    with pytest.raises(KvasirError, match=re.escape(said)):
        config_of("eee", folder=folder)


def test_published_results_have_the_names_of_our_metrics() -> None:
    rows = {
        (row["id"], row["metric"]): float(row["value"]) for row in anchor_rows(read_anchors(ANCHORS_FILE))
    }
    assert rows["hadoop-2013", "records.per.core"] == pytest.approx(4708, rel=1e-3)
    assert rows["exoshuffle-2022", "records.per.core"] == pytest.approx(2.905e5, rel=1e-3)
    assert rows["ecosort-1tb-2010", "records.per.joule"] == pytest.approx(17483, rel=1e-3)
    assert rows["fawnsort-2010", "records.per.joule"] == 44884
    assert ("fawnsort-2010", "records.per.core") not in rows


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cores: 640", "core: 640", "exoshuffle-2022.core: found 640: no such key is known here"),
        ("  cores: 640\n", "", "exoshuffle-2022: found .*needs seconds and cores, or joules"),
        ("joules: 2300", "joules: -1", "ecosort-10gb-2010.joules: found -1"),
        ("joules: 2300", "joules: 1\n  records_per_joule: 1", "not both"),
    ],
    ids=["key", "nothing", "negative", "both"],
)
def test_mistakes_in_published_results_are_named(old: str, new: str, said: str, folder: Path) -> None:
    edit(folder / "anchors.yaml", old, new)
    with pytest.raises(KvasirError, match=said):
        read_anchors(folder / "anchors.yaml")


def test_colours_are_those_of_the_figures() -> None:
    palette = (PROJECT / "scripts/figures/lib/palette.R").read_text()
    named = re.search(r"okabe_ito <- c\((.*?)\)", palette, re.DOTALL)
    assert named and tuple(re.findall(r"(\w+) = ", named[1])) == COLOURS


def test_the_tables_are_csv(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    command = [
        sys.executable,
        "scripts/figure_tables.py",
        "parameters",
        "mrev",
        str(path),
        "--choose=scale=smoke",
    ]
    subprocess.run(command, cwd=PROJECT, check=True)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == ["scale", "level", "key", "value", "unit"]
    assert {row["scale"] for row in rows} == {"kick", "smoke", "laptop", "night", "paper"} and rows[0][
        "scale"
    ] == "smoke"
