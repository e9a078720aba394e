"""Commands of the user's as benchmarks: entries are planned on inputs of others, wrong ones are one clear message."""

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.comparison import Comparison, scale
from harness.config.load import read_commands, read_yaml
from harness.core.errors import KvasirError
from harness.hadoop.benchmarks import make
from harness.hadoop.benchmarks.command import Command, filled, last_words
from harness.hadoop.configuration import parse, with_properties
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.planner import Planner

PROJECT = Path(__file__).parents[2]
NAMES = ("input", "output", "maps", "reduces", "workers", "hdfs")
TEXTS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)


@given(st.fixed_dictionaries({name: TEXTS for name in NAMES}))
def test_the_shell_gets_each_placeholder_as_one_word(values: dict[str, str]) -> None:
    command = "echo " + " ".join(f"{{{name}}}" for name in NAMES)
    assert shlex.split(filled(command, values)) == ["echo", *(values[name] for name in NAMES)]


def test_all_other_braces_are_the_shells() -> None:
    text = "awk '{print $1}' ${input} {inputs} {} {other} {{input}"
    assert filled(text, {"input": "/i"}) == "awk '{print $1}' ${input} {inputs} {} {other} {/i"


def test_last_words_are_few_and_short() -> None:
    said = last_words("\n".join(["x" * 500] * 40))
    assert said.splitlines() == ["x" * 120] * 8


@given(st.dictionaries(st.from_regex(r"[a-z][a-z.]{0,9}", fullmatch=True), st.text("<&\"a $'", max_size=9)))
def test_further_properties_win(properties: dict[str, str]) -> None:
    text = "<configuration><property><name>a</name><value>1</value></property></configuration>"
    expected = {"a": "1", **{name: value.strip() for name, value in properties.items()}}
    assert parse(with_properties(text, properties)) == expected


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"command": ""}, "command: String should have at least 1 character"),
        ({"command": "x", "input": "terrasort"}, r"input: found 'terrasort', expected one of wordcount, sort, tera"),
        ({"command": "x", "input": "dfsio-write"}, "input: found 'dfsio-write', expected one of"),
        ({"command": "x", "data_mb": 3}, "data_mb and input_settings are of an input: name its benchmark"),
        ({"command": "x", "input": "pagerank", "data_mb": 3}, "its input: benchmark pagerank: data_mb: Extra"),
        ({"command": "x", "same_output": True}, "same_output: .*name that one as input"),
        ({"command": "x", "input": "kmeans", "same_output": True}, "benchmark kmeans has none that can be checked"),
        ({"command": "x", "outputs": 1}, "outputs: Extra inputs"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_named(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(KvasirError, match=f"^benchmark mine: .*{complaint}"):
        make("mine", settings)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration, with two commands and an experiment of study mrev that has them as levels."""
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    monkeypatch.chdir(tmp_path)
    made = Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))
    (tmp_path / "src").symlink_to(PROJECT / "src")
    write(
        made,
        {
            "mine": {"command": "sort-it {input}", "input": "terasort", "timeout_s": 7},
            "pi": {"command": "pi"},
        },
    )
    study = read_yaml(made / "studies/mrev.yaml")
    study["experiments"]["mine"] = {
        "title": "Mine",
        "where": "a test",
        "factors": {"framework": ["hadoop-ipoib", "engine-ipoib"], "benchmark": ["terasort", "mine", "pi"]},
    }
    (made / "studies/mrev.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    return made


def write(folder: Path, entries: dict[str, Any]) -> None:
    (folder / "benchmarks.yaml").write_text(yaml.safe_dump(entries))


def planner_of(folder: Path) -> Planner:
    return Planner({"scale": "smoke", "site": "local", "seed": 1, "studies": ["mrev"]}, folder)


def test_an_entry_is_a_benchmark_on_the_bytes_of_another(folder: Path) -> None:
    planner = planner_of(folder)
    (cell,) = [cell for cell in planner.cells.values() if any(run.benchmark == "mine" for run in cell.runs)]
    made = {run.benchmark: make(run.benchmark, run.settings) for run in cell.runs}
    mine, pi = made["mine"], made["pi"]
    assert isinstance(mine, Command) and mine.source is not None
    assert (mine.settings.timeout_s, mine.source.path) == (7, made["terasort"].path), "the same file in HDFS"
    assert mine.size == made["terasort"].size > 0 == pi.size
    table = planner.plan("mrev").tables["mine"]
    absent = {point.factors["benchmark"]: point.reason for point in table.not_run}
    assert absent.keys() == {"mine", "pi"} and "the engine runs only" in absent["pi"]


def test_a_command_leaves_the_clusters_of_others_as_they_are(folder: Path) -> None:
    def parameters() -> dict[str, Any]:
        return {name: cell.parameters for name, cell in planner_of(folder).cells.items()}

    before = parameters()
    write(folder, {"mine": {"command": "x", "input": "terasort", "data_mb": 1}, "pi": {"command": "pi"}})
    assert parameters() == before


def test_a_scale_changes_an_entry(folder: Path) -> None:
    path = folder / "scales/smoke.yaml"
    smoke = read_yaml(path)
    smoke["cells"]["benchmarks"]["mine"] = {"data_mb": 3}
    path.write_text(yaml.safe_dump(smoke, sort_keys=False))
    runs = [run for cell in planner_of(folder).cells.values() for run in cell.runs if run.benchmark == "mine"]
    assert [make(run.benchmark, run.settings).data_mb for run in runs] == [3] * len(runs) and runs


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        (
            {"mine": {"commando": "x"}},
            r"benchmarks\.yaml: mine\.command: found nothing: this key is required",
        ),
        ({"Mine": {"command": "x"}}, r"benchmarks\.yaml: Mine"),
        (
            {"terasort": {"command": "x"}},
            r"terasort is a benchmark of this project: name the command otherwise",
        ),
        ({"pi": {"command": "x"}}, r"mrev\.yaml: experiments\.mine: found benchmark mine: allowed: .*, pi$"),
        (
            {"mine": {"command": "x", "input": "text"}},
            r"benchmark mine: input: found 'text', expected one of",
        ),
    ],
)
def test_a_wrong_file_ends_before_anything_runs(
    folder: Path, entries: dict[str, Any], complaint: str
) -> None:
    write(folder, entries)
    with pytest.raises(KvasirError, match=f"(?m){complaint}"):
        planner_of(folder)


def test_a_comparison_sizes_the_input_of_a_command(folder: Path) -> None:
    wanted = Comparison(
        frameworks=("tez",), benchmarks=("mine", "pi"), size=2**26, nodes=3, disk="ssd", repetitions=1
    )
    base = read_yaml(folder / "scales/laptop.yaml")
    made = scale(wanted, base, read_commands(folder / "benchmarks.yaml"))["cells"]["benchmarks"]
    assert made["mine"] == {"data_mb": 64} and "data_mb" not in made["pi"]


def test_entries_that_ship_are_benchmarks() -> None:
    shipped = read_commands(PROJECT / "config/benchmarks.yaml")
    assert shipped
    for name, entry in shipped.items():
        made = make(name, entry.model_dump(exclude_unset=True))
        assert isinstance(made, Command)
        words = ["/bin/sh", "-n", "-c", filled(made.settings.command, dict.fromkeys(NAMES, "x"))]
        subprocess.run(words, check=True)
