"""Every figure of study eee from made-up tables: the snapshot's bytes, honest captions, a page even without runs.

The tables are those of tests/unit/claims/eee_world.py. After a wanted change:
``UPDATE_FIGURES=1 pytest tests/figures/test_figures_eee.py``, look at the new snapshots, commit them.
"""

import csv
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from drawing import (
    FIGURES,
    ROOT,
    SIMULATOR,
    Job,
    Row,
    assert_legible,
    assert_same_files,
    assert_snapshot,
    draw_many,
    draw_well,
    edited,
    figures_of,
    load_world,
    shown,
    svg,
    without,
    write_study_tables,
)

TABLES = figures_of("eee")
CONFIGURED = {"table2", "table4"}
"""Tables that show the study's configuration, which may change without a change of the figure."""
Case = tuple[str, str]
CASES: list[Case] = [(figure, "full") for figure in TABLES]
CASES += [(figure, "small") for figure in ("fig04", "fig08", "fig09", "fig11", "fig12")]
CASES += [("fig07", "failed"), ("fig08", "few")]
CASES += [(figure, "empty") for figure in ("fig01", "fig08", "table2", "table4")]

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)

world = load_world("eee_world")


def uneven(experiment: str, f: dict[str, Any], found: dict[str, float]) -> None:
    """Strict sleep in the link, one seed that took very long, drops that differ."""
    if experiment == "link" and f["setting"] == "nopa":
        found["power.rel.closed"] = world.link_power(f["load"] / 100, "nopa", abort=False)
        found["power.rel"] = found["power.rel.closed"] * 1.001
    if experiment == "coalescing" and f["setting"] == "10ms1000" and f["buffer"] == "shallow":
        found["makespan"] *= 6 if f["workload"] == "batch" else 2


WORLDS = {
    "full": world.World(change=uneven),
    "few": world.World(reps=2, nodes=(24,), change=uneven),
    "small": world.World(reps=1, nodes=(24,)),
    "failed": world.World(reps=1, status="failed"),
    "empty": world.World(empty=frozenset(world.EXPERIMENTS)),
}


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of the tables of all worlds."""
    folder = tmp_path_factory.mktemp("tables")
    for name, kind in WORLDS.items():
        world.write_tables(folder / name, kind)
        world.write_timeline(folder / name, empty=name in ("failed", "empty"))
        write_study_tables("eee", folder / name / "eee")
    return {name: folder / name / "eee" for name in WORLDS}


def job(figure: str, tables: Path, stem: Path, **other: Path) -> Job:
    given = {name: tables / f"{name}.csv" for name in TABLES[figure]}
    return Job(f"eee/{figure}", given | other, stem, tables / "series.csv")


@pytest.fixture(scope="session")
def drawn(tables: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Path]:
    """All cases drawn once. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures")
    stems = {case: folder / case[1] / case[0] for case in CASES}
    draw_well([job(case[0], tables[case[1]], stem) for case, stem in stems.items()], folder)
    return stems


def test_every_script_is_a_figure_of_the_study_and_is_short() -> None:
    assert {path.stem for path in (FIGURES / "eee").glob("*.R")} == set(TABLES)
    for path in (FIGURES / "eee").glob("*.R"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


@pytest.mark.parametrize("figure", sorted(set(TABLES) - CONFIGURED))
def test_svg_is_the_snapshot(figure: str, drawn: dict[Case, Path]) -> None:
    kind = "few" if figure == "fig08" else "full"  # its hundreds of columns would make a third of a megabyte
    assert_snapshot(drawn[figure, kind], f"eee/{figure}")


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: Case, drawn: dict[Case, Path]) -> None:
    assert_legible(drawn[case], least=1)


def test_all_files_are_there_and_the_fonts_are_not_small(drawn: dict[Case, Path]) -> None:
    for case, stem in drawn.items():
        assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF"), case
        assert stem.with_suffix(".png").stat().st_size > 0, case
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg(stem))) >= 7, case


def test_the_same_bytes_again_elsewhere(
    tables: dict[str, Path], drawn: dict[Case, Path], tmp_path: Path
) -> None:
    again = {figure: tmp_path / figure for figure in ("fig02", "table4")}
    jobs = [job(figure, tables["full"], stem) for figure, stem in again.items()]
    draw_well(jobs, tmp_path / "jobs", cwd=tmp_path, LC_ALL="C", TZ="Asia/Tokyo")
    for figure, stem in again.items():
        assert_same_files(stem, drawn[figure, "full"])


def test_a_figure_without_runs_says_so(drawn: dict[Case, Path]) -> None:
    for figure in ("fig01", "fig08"):
        said = shown(drawn[figure, "empty"])
        assert "No run of this figure has a value. None was made at this scale." in said
    assert "failed (netsim is not built)" in shown(drawn["fig07", "failed"])
    assert "none run" in shown(drawn["table2", "empty"])


def test_captions_count_seeds_and_name_their_source(drawn: dict[Case, Path]) -> None:
    assert "all runs (n = 3 seeds); line: median; bar: min to max" in shown(drawn["fig12", "full"])
    assert "one run (n = 1 seed)" in shown(drawn["fig12", "small"])
    for figure in set(TABLES) - {"table1"}:
        assert "Sources: simulated:netsim." in shown(drawn[figure, "full"]), figure
    assert "60 jobs a stream" in shown(drawn["fig07", "full"])


def test_the_paper_stands_beside(drawn: dict[Case, Path]) -> None:
    assert "almost half at 10 % and 70 % at 20 %" in shown(drawn["fig02", "full"])
    assert shown(drawn["fig04", "full"]).count("paper, batch job") == 2
    assert shown(drawn["fig12", "full"]).count("paper: 20 %") == 2
    table = shown(drawn["table1", "full"])
    assert all(cell in table for cell in ("34.2", "34.237", "4.9", "4.948", "5.7", "0.6", "14.0", "1.6"))
    assert "20,224" in shown(drawn["table3", "full"])
    assert "10,485,760" not in shown(drawn["table2", "full"]) and "10 MiB" in shown(drawn["table2", "full"])


def test_a_run_that_failed_is_named(tables: dict[str, Path], tmp_path: Path) -> None:
    with (tables["full"] / "load.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    bad = rows[0] | {
        "rep": "9",
        "status": "failed",
        "reason": "out of time; see the log",
        "metric": "",
        "value": "",
    }
    path = tmp_path / "load.csv"
    world.write(path, list(rows[0]), iter([*rows, bad]))
    draw_well([job("fig12", tables["full"], tmp_path / "fig", load=path)], tmp_path)
    assert "1 run failed (out of time)." in shown(tmp_path / "fig")


@pytest.mark.parametrize("figure", ["fig07", "fig01"])
def test_a_missing_column_is_named(figure: str, tables: dict[str, Path], tmp_path: Path) -> None:
    name = TABLES[figure][-1]
    cut = edited(tables["full"] / f"{name}.csv", tmp_path / "cut.csv", without("setting"))
    (drawn,) = draw_many([job(figure, tables["full"], tmp_path / "out" / "fig", **{name: cut})], tmp_path)
    assert drawn.status == 1
    assert f"{cut}: column 'setting' is missing" in drawn.said and "\\n" not in drawn.said


def test_defaults_of_these_tables_are_those_of_the_simulator() -> None:
    header = (ROOT / "src/netsim/include/netsim/mapreduce/config.hpp").read_text(encoding="utf-8")
    for line in ("int cores = 2;", "double core_hz = 2.5e9;", "int map_slots = 2;", "int reduce_slots = 2;"):
        assert line in header, line
    assert SIMULATOR["cluster"] == {"cores": 2, "core_hz": 2.5e9}
    assert SIMULATOR["hadoop"] == {"map_slots": 2, "reduce_slots": 2}


def test_table2_shows_what_the_simulator_has_in_effect(
    tables: dict[str, Path], drawn: dict[Case, Path], tmp_path: Path
) -> None:
    for said in ("2 cores", "2.5 GHz", "10, 1", "2 a worker, 2 a worker", "64 MiB; batch: 128 MiB", "10 %"):
        assert said in shown(drawn["table2", "full"])

    def slower(row: Row) -> Row:
        values = {"cluster.core_hz": "1250000000", "cluster.cores": "4", "hadoop.reduce_slots": "3"}
        return row | {"value": values.get(row["key"], row["value"])}

    changed = edited(tables["full"] / "parameters.csv", tmp_path / "p.csv", slower)
    draw_well([job("table2", tables["full"], tmp_path / "fig", parameters=changed)], tmp_path)
    for said in ("4 cores", "1.25 GHz", "2, 3"):
        assert said in shown(tmp_path / "fig")
