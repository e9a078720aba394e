"""Which studies are chosen: it changes no job of any other study, and no job of a cell that studies share."""

import itertools
import json
from pathlib import Path

import pytest
import yaml

from harness.config import load_config
from harness.core.errors import KvasirError
from harness.plan.capabilities import Capabilities, Refusals
from harness.plan.planner import Planner, choose, config_overrides
from harness.results.layout import figures_of, is_complete, tables_of, verdicts_of

PROJECT = Path(__file__).parents[2]
CONFIG = PROJECT / "config"
STUDIES: list[str] = yaml.safe_load((CONFIG / "config.yaml").read_text())["studies"]
CHOICES = [list(order) for n in range(1, len(STUDIES) + 1) for order in itertools.permutations(STUDIES, n)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are looked for in an empty folder, and hosts with every disk can be had."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(PROJECT / "src")  # plug-ins of frameworks
    (tmp_path / "config").symlink_to(CONFIG)  # and profiles of their devices
    monkeypatch.setattr(Capabilities, "clusters", Refusals())
    monkeypatch.setattr(Capabilities, "caps", "")


def planner_of(studies: object, scale: str = "smoke") -> Planner:
    return Planner({"scale": scale, "site": "local", "seed": 1, "studies": studies}, CONFIG)


def complete(planner: Planner) -> None:
    """Leave in the results folder what the jobs of the cells leave for later plans."""
    for cell in planner.cells.values():
        Path(cell.folder).mkdir(parents=True, exist_ok=True)
        Path(cell.studies_file).write_text(json.dumps(cell.studies))


def jobs_of(planner: Planner) -> dict[str, str]:
    """All that the jobs of runs, tables and cells are told, by job."""
    told = {}
    for study in planner.config.studies:
        plan, words = planner.plan(study), config_overrides(planner.config, [study])
        for run in plan.runs:
            who = run.identity
            told[f"run {study} {who.experiment} {who.point} {who.rep}"] = run.model_dump_json() + str(words)
        for name, table in plan.tables.items():
            told[f"table {study} {name}"] = table.model_dump_json() + str(words)
    for name, cell in planner.cells.items():
        told[f"cell {name}"] = cell.model_dump_json() + str(config_overrides(planner.config, cell.studies))
    return told


def test_choosing_other_studies_changes_no_job() -> None:
    everything = planner_of(STUDIES)
    complete(everything)
    made = jobs_of(everything)
    assert {job.split()[0] for job in made} == {"run", "table", "cell"}
    for studies in CHOICES:
        jobs = jobs_of(planner_of(studies))
        changed = [job for job, told in jobs.items() if made[job] != told]
        assert not changed, studies
        assert all(any(job.split()[1] == study for job in jobs) for study in studies)


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("studies", [["mrev"], ["hpc"], ["hpc", "mrev"]])
def test_a_complete_cell_stays_up_to_date(scale: str, studies: list[str]) -> None:
    everything = planner_of(["mrev", "hpc"], scale)
    complete(everything)
    for name, cell in planner_of(studies, scale).cells.items():
        assert cell == everything.cells[name]


def test_a_study_alone_makes_only_its_own_runs() -> None:
    both, alone = planner_of(["mrev", "hpc"]), planner_of(["hpc"])
    (cell,), (whole,) = alone.cells.values(), both.cells.values()
    assert cell.studies == ["hpc"] and whole.studies == ["hpc", "mrev"]
    assert len(cell.runs) < len(whole.runs)
    complete(alone)
    (grown,) = planner_of(["mrev"]).cells.values()
    assert grown == whole, "it keeps the runs of the study that it was made for first"


def test_a_study_that_is_gone_and_a_broken_note_are_passed_over() -> None:
    (cell,) = planner_of(["hpc"]).cells.values()
    Path(cell.folder).mkdir(parents=True)
    for content in ('["hpc", "gone"]', "half writ", '{"no": "list"}'):
        Path(cell.studies_file).write_text(content)
        assert planner_of(["hpc"]).cells == {cell.cell: cell}


def leave_results(study: str) -> None:
    """Leave empty files where all results of a study lie."""
    planner = planner_of([study])
    runs = [
        f"{runs.folder}/{rep}/run.json"
        for table in planner.tables
        for runs in table.runs.values()
        for rep in range(1, runs.repetitions + 1)
    ]
    parts = [verdicts_of(planner.config, study), *figures_of(planner.config, study)]
    for path in map(Path, [*parts, *tables_of(planner.config, study), *runs]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert is_complete(planner.config, study, planner.tables)


def test_the_report_covers_every_study_that_has_results() -> None:
    assert list(planner_of(["mrev"]).reported().config.studies) == ["mrev"]
    leave_results("mimir")
    assert list(planner_of(["mrev"]).reported().config.studies) == ["mrev", "mimir"]
    assert list(planner_of(["mimir"]).reported().config.studies) == ["mimir"]
    figure = next(Path().glob("results/smoke/figures/mimir/*.svg"))
    figure.unlink()
    assert list(planner_of(["mrev"]).reported().config.studies) == ["mrev"], "one figure is missing"
    figure.touch()
    next(Path().glob("results/smoke/runs/mimir/*/*/1/run.json")).unlink()
    assert list(planner_of(["mrev"]).reported().config.studies) == ["mrev"], "one run is missing"


@pytest.mark.parametrize(
    ("typed", "expected"), [("mimir", ["mimir"]), ("eee,mimir", ["eee", "mimir"]), (["hpc"], ["hpc"])]
)
def test_studies_can_be_a_word_or_words(typed: object, expected: list[str]) -> None:
    assert list(planner_of(typed).config.studies) == expected
    if isinstance(typed, str):
        assert list(choose(["scale=smoke", f"studies={typed}"], CONFIG).config.studies) == expected


def test_an_empty_word_is_no_study() -> None:
    values = {"scale": "smoke", "site": "local", "seed": 1, "studies": "mimir,"}
    with pytest.raises(KvasirError, match=r"config\.yaml: studies\.1: found ''"):
        load_config(values, CONFIG)
