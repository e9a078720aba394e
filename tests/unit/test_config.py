"""The configuration as a user meets it: what is right is read, what is wrong is named before anything runs."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.config import load_config
from harness.config.load import read_yaml
from harness.config.reference import document
from harness.config.schema import MODELS, render
from harness.core.errors import KvasirError
from harness.plan.planner import Planner

PROJECT = Path(__file__).parents[2]
FILES = {
    "config": ["config/config.yaml"],
    "scale": sorted(str(p.relative_to(PROJECT)) for p in PROJECT.glob("config/scales/*.yaml")),
    "site": sorted(str(p.relative_to(PROJECT)) for p in PROJECT.glob("config/sites/*.yaml")),
    "frameworks": ["config/frameworks.yaml"],
    "study": sorted(str(p.relative_to(PROJECT)) for p in PROJECT.glob("config/studies/*.yaml")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the configuration that a test may spoil."""
    return Path(shutil.copytree(PROJECT / "config", tmp_path / "a config"))


def load(folder: Path, **changes: object):
    return load_config({**yaml.safe_load((folder / "config.yaml").read_text()), **changes}, folder)


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{path} has changed: the test no longer spoils anything"
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("scale", ["smoke", "laptop", "night", "paper"])
def test_every_scale_is_valid(folder: Path, scale: str) -> None:
    config = load(folder, scale=scale)
    assert config.results == f"results/{scale}"


@pytest.mark.parametrize("name", sorted(MODELS))
def test_committed_schema_agrees_with_the_model(name: str) -> None:
    assert (PROJECT / f"config/schema/{name}.json").read_text() == render(name), "run `make schema`"


def test_the_page_of_all_keys_agrees_with_the_models_and_its_links_lead_somewhere() -> None:
    page = (PROJECT / "docs/configure.md").read_text(encoding="utf-8")
    assert page == document(), "run `make schema`"
    heads = {head.lower() for head in re.findall(r"^### (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([a-z]+)\)", page)) <= heads
    for key in ("`more_repetitions`", "`key_claim`", "`cores_per_node`", "`replay`"):
        assert f"| {key} |" in page


@pytest.mark.parametrize(("name", "file"), [(name, file) for name, files in FILES.items() for file in files])
def test_files_pass_their_schema(name: str, file: str) -> None:
    # Through JSON, as a schema sees keys: text.
    content = json.loads(json.dumps(yaml.safe_load((PROJECT / file).read_text())))
    jsonschema.validate(content, json.loads(render(name)))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"scale": "huge"}, ["scale", "'huge'", "laptop, night, paper, smoke"]),
        ({"site": "moon"}, ["site", "'moon'", "emulated-power, emulated-slurm, local"]),
        ({"studies": ["mimri"]}, ["studies", "'mimri'", "mimir"]),
        ({"studies": []}, ["studies", "at least 1"]),
        ({"seed": -1}, ["seed", "-1", "greater than or equal to 0"]),
        ({"sead": 1}, ["sead", "no such key"]),
    ],
)
def test_wrong_choice_is_named(folder: Path, changes: dict[str, object], expected: list[str]) -> None:
    with pytest.raises(KvasirError) as caught:
        load(folder, **changes)
    for part in ["config.yaml", *expected]:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("scales/laptop.yaml", "words: 64_000_000", "words: -5", ["mimir.words", "-5", "greater than 0"]),
        ("scales/laptop.yaml", "words: 64_000_000", "wrods: 5", ["mimir.words", "required"]),
        ("scales/laptop.yaml", "words: 64_000_000", "words: many", ["mimir.words", "'many'", "integer"]),
        ("scales/laptop.yaml", "mimir:", "minir:", ["minir", "no such key"]),
        (
            "sites/local.yaml",
            "source: auto",
            "source: RAPL",
            [
                "power.source",
                "'RAPL'",
                "allowed: auto, none, powercap, papi, redfish, slurm or emulated:PROFILE",
            ],
        ),
        ("studies/mimir.yaml", "data: [4B72, 4B42M]", "data: [4B72, 4B43M]", ["sampling", "4B43M"]),
        ("studies/mimir.yaml", "buffer_mb: [32, 64, 128]", "buffer_mb: [32, 32]", ["buffer_mb", "twice"]),
        ("studies/mimir.yaml", "fixed: {combine: none}", "fixed: {combiner: none}", ["stages", "combiner"]),
        ("studies/mimir.yaml", "id: mimir", "id: mimir2", ["id", "'mimir2'"]),
        ("studies/mimir.yaml", "levels: {knl: 4B68,", "levels: {", ["data", "knl"]),
    ],
)
def test_mistake_in_a_file_is_named(folder: Path, file: str, old: str, new: str, expected: list[str]) -> None:
    spoil(folder / file, old, new)
    with pytest.raises(KvasirError) as caught:
        load(folder)
    for part in [file, *expected]:
        assert part in str(caught.value)


CLUSTERS = [
    (
        "studies/hpc.yaml",
        "framework: [hadoop-gbe,",
        "framework: [hadop-gbe,",
        ["dfsio", "hadop-gbe", "hadoop-gbe"],
    ),
    ("studies/hpc.yaml", "[dfsio-write, dfsio-read]", "[dfsio-right]", ["dfsio", "dfsio-right", "terasort"]),
    ("studies/hpc.yaml", "disk: [hdd, ssd]", "disk: [hdd, nvme]", ["dfsio", "nvme", "ssd"]),
    ("studies/hpc.yaml", "nodes: [3, 5, 9, 13]", "nodes: [1, 5]", ["dfsio", "nodes", "'1'"]),
    ("studies/hpc.yaml", "traces: [power]", "traces: [powr]", ["traces", "powr"]),
    ("studies/hpc.yaml", "counters: [terasort, pagerank]", "counters: [powr]", ["counters", "powr"]),
    (
        "scales/laptop.yaml",
        "terasort: {data_mb: 48,",
        "terasort: {data_gb: 48,",
        ["cells", "terasort", "data_gb"],
    ),
    (
        "scales/laptop.yaml",
        "mappers_per_node: 1",
        "mappers_per_node: 0",
        ["cells.parameters.mappers_per_node", "0"],
    ),
    (
        "scales/laptop.yaml",
        "  minutes: 30",
        "  minutes: 30\n  more_repetitions: {terrasort: 3}",
        ["cells", "terrasort", "pagerank"],
    ),
    ("sites/local.yaml", "gbe: {rate_mbit_s: 25}", "gbe: {rate: 25}", ["hosts.interfaces.gbe.rate", "25"]),
    ("frameworks.yaml", "{class: hadoop,", "{class: hadup,", ["hadoop-gbe.class", "'hadup'", "'engine'"]),
    (
        "frameworks.yaml",
        "hadoop-ipoib: {",
        "hadoop-ipoib: {interfaces: ib, ",
        ["hadoop-ipoib.interfaces", "no such key"],
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "expected"), CLUSTERS)
def test_mistake_about_clusters_is_named(
    folder: Path, file: str, old: str, new: str, expected: list[str]
) -> None:
    spoil(folder / file, old, new)
    with pytest.raises(KvasirError) as caught:
        Planner({**yaml.safe_load((folder / "config.yaml").read_text()), "studies": ["mrev", "hpc"]}, folder)
    for part in [file, *expected]:
        assert part in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_broken_yaml_is_named(folder: Path) -> None:
    (folder / "sites/local.yaml").write_text("launcher: [unclosed\n")
    with pytest.raises(KvasirError, match=r"sites/local\.yaml: not a YAML file.*line"):
        load(folder)


def test_a_key_that_is_given_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text("a: {b: 1}\nc:\n  d: 2\n  e: 3\n  d: 4\n", encoding="utf-8")
    with pytest.raises(KvasirError, match=r"line 5, column 3: key 'd' is given twice, first in line 3"):
        read_yaml(path)
    path.write_text(
        "y: &y {b: 1}\na: {q: &x {<<: *y, b: 2}}\nz: {<<: *x, b: 3}\nw: [*x, {<<: *x, c: 4}]\n",
        encoding="utf-8",
    )
    assert read_yaml(path) == {
        "y": {"b": 1}, "a": {"q": {"b": 2}}, "z": {"b": 3}, "w": [{"b": 2}, {"b": 2, "c": 4}]
    }  # fmt: skip
