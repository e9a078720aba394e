"""Every figure of studies mrev and hpc from made-up tables: the snapshot's bytes, honest captions, no text cut.

The tables are those of tests/unit/claims/cells_tables.py. After a wanted change:
``UPDATE_FIGURES=1 pytest tests/figures/test_figures_cells.py``, look at the new snapshots, commit them.
"""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import svg_text
from drawing import (
    FIGURES,
    Job,
    Row,
    assert_legible,
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

STUDIES = ("mrev", "hpc")
CONFIGURED = {("mrev", "table1"), ("mrev", "table5"), ("hpc", "table3"), ("hpc", "table6")}
"""Tables that show the scales' configuration, which may change without a change of the figure."""

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)

world = load_world("cells_world")
written = load_world("cells_tables")

TABLES = {(study, figure): tables for study in STUDIES for figure, tables in figures_of(study).items()}
LAPTOP = world.World(nodes=(3, 5), disks=("ssd",), size=0.001, ungrouped=True)
WORLDS = {
    "laptop": LAPTOP,
    "paper": world.PAPER,
    "emulated": world.World(nodes=(3, 5), size=0.001, meter="emulated:knm-like"),
    "failed": world.World(nodes=(3,), disks=("ssd",), status="failed"),
}
"""As here: two sizes, one disk, no meter. As the papers': all frameworks and disks, metered. With emulated joules."""
CASES = [(*figure, "laptop") for figure in TABLES]
CASES += [("hpc", figure, "paper") for figure in ("fig03", "fig05", "fig06", "fig07", "fig08", "table7")]
CASES += [("mrev", figure, "paper") for figure in ("fig02", "fig03", "efficiency")]
CASES += [("hpc", "fig05", "emulated"), ("hpc", "table7", "emulated")]
CASES += [("mrev", "efficiency", "emulated"), ("mrev", "engines", "emulated")]
CASES += [
    ("mrev", figure, "failed") for figure in ("fig01", "fig02", "fig03", "efficiency", "table1", "table4")
]
CASES += [("hpc", figure, "failed") for figure in ("fig02", "fig05", "fig07", "fig08", "table5", "table7")]
SHOWN = [case for case in CASES if case[2] in ("laptop", "paper") and case[:2] not in CONFIGURED]
"""Cases with a snapshot."""

Case = tuple[str, str, str]


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All worlds' tables: folder/world/study."""
    folder = tmp_path_factory.mktemp("tables")
    for name, kind in WORLDS.items():
        for study in STUDIES:
            written.write_tables(folder / name, study, kind)
            write_study_tables(study, folder / name / study)
    return folder


def job(case: Case, folder: Path, stem: Path, **other: Path) -> Job:
    place = folder / case[2] / case[0]
    given = {name: place / f"{name}.csv" for name in TABLES[case[:2]]}
    return Job(f"{case[0]}/{case[1]}", given | other, stem, place / "series.csv")


@pytest.fixture(scope="session")
def drawn(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Path]:
    """All cases drawn once. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures")
    stems = {case: folder / case[2] / case[0] / case[1] for case in CASES}
    draw_well([job(case, tables, stem) for case, stem in stems.items()], folder)
    return stems


def test_every_script_is_a_figure_of_its_study_and_is_short() -> None:
    for study in STUDIES:
        assert {path.stem for path in (FIGURES / study).glob("*.R")} == set(figures_of(study))
        for path in (FIGURES / study).glob("*.R"):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


@pytest.mark.parametrize("case", SHOWN, ids="-".join)
def test_svg_is_the_snapshot(case: Case, drawn: dict[Case, Path]) -> None:
    assert_snapshot(drawn[case], f"{case[0]}/{case[1]}-{case[2]}")


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: Case, drawn: dict[Case, Path]) -> None:
    assert_legible(drawn[case], least=1)


def test_all_files_are_there_and_the_fonts_are_not_small(drawn: dict[Case, Path]) -> None:
    for case, stem in drawn.items():
        assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF"), case
        assert stem.with_suffix(".png").stat().st_size > 0, case
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg(stem))) >= 7, case


def test_rates_counts_and_reasons_stand_below(drawn: dict[Case, Path]) -> None:
    for study, figure in (("mrev", "fig02"), ("hpc", "fig03"), ("hpc", "fig05"), ("hpc", "fig07")):
        said = shown(drawn[study, figure, "laptop"])
        assert "200 Mbit/s (GbE) and 800 Mbit/s (IPoIB)" in said, figure
        assert "EMULATED hosts and links" in said
        assert "Not run: " in said and "Hadoop-UDA" in said and "not built in yet" in said
    assert "all runs (n = 3)" in shown(drawn["mrev", "fig02", "laptop"])
    assert "EMULATED" not in shown(drawn["hpc", "fig05", "paper"])
    assert "the site\u2019s hosts have only ssd" in shown(drawn["hpc", "fig05", "laptop"]).replace(
        "'", "\u2019"
    )


def test_the_first_line_says_what_is_shown_instead(drawn: dict[Case, Path]) -> None:
    assert "panel a (HDD); panels c to f (ED2P); 9 and 13 nodes." in shown(drawn["hpc", "fig05", "laptop"])
    assert "panels a and c (HDD); 9 and 13 nodes." in shown(drawn["hpc", "fig03", "laptop"])
    assert "Not shown for want of data" not in shown(drawn["hpc", "fig05", "paper"])
    assert "Not the paper\u2019s watts" in shown(drawn["hpc", "fig07", "laptop"])
    assert "Not the paper" not in shown(drawn["hpc", "fig08", "paper"])
    said = shown(drawn["mrev", "fig02", "laptop"])
    assert "2 of the paper\u2019s five frameworks (Hadoop-GbE and Hadoop-IPoIB)" in said


def test_a_run_of_little_data_on_thirteen_nodes_is_told_as_such(
    tables: Path, drawn: dict[Case, Path], tmp_path: Path
) -> None:
    case = ("mrev", "fig03", "paper")

    def little(row: Row) -> Row:
        return row | ({"value": "1e6"} if row["metric"] == "records" else {})

    runs = edited(tables / "paper" / "mrev" / "resources.csv", tmp_path / "resources.csv", little)
    draw_well([job(case, tables, tmp_path / "fig03", resources=runs)], tmp_path)
    assert "nodes; the paper: 7 minutes on 13." in shown(tmp_path / "fig03")
    assert "the paper: 7 minutes" not in shown(drawn[case])


def test_processors_that_hosts_share_are_summed(drawn: dict[Case, Path]) -> None:
    assert "% of the machine" in shown(drawn["hpc", "fig07", "laptop"])
    assert "% of the machine" in shown(drawn["mrev", "fig03", "laptop"])
    assert "% of the machine" not in shown(drawn["mrev", "fig03", "paper"])


def test_start_up_is_drawn_as_such(drawn: dict[Case, Path]) -> None:
    said = shown(drawn["hpc", "fig02", "laptop"])
    assert "start-up" in said and "of the shuffle\u2019s time before the end of the last map" in said


def test_without_a_meter_no_watts_are_drawn(drawn: dict[Case, Path]) -> None:
    for figure in ("fig05", "fig07", "fig08"):
        said = shown(drawn["hpc", figure, "laptop"])
        assert "No energy was measured (no power source" in said
        assert "power, W" not in said and "J s" not in said
    assert "power, W" in shown(drawn["hpc", "fig07", "paper"])


def test_published_sorts_stand_beside_ours(drawn: dict[Case, Path]) -> None:
    said = shown(drawn["mrev", "efficiency", "laptop"])
    assert "Exoshuffle 2022" in said and "FAWNSort 2010" in said and "Hadoop-IPoIB" in said
    assert "No energy was measured" in said and "EMULATED hosts" in said
    assert "No energy was measured" not in shown(drawn["mrev", "efficiency", "paper"])
    assert svg(drawn["mrev", "efficiency", "emulated"]).count(">EMULATED (knm-like)<") == 1


def test_emulated_joules_are_marked_in_their_panels(drawn: dict[Case, Path]) -> None:
    panels = 4  # ED2P and ED2P over time, for two disks
    assert svg(drawn["hpc", "fig05", "emulated"]).count(">EMULATED (knm-like)<") == panels
    for case in (("hpc", "fig05"), ("hpc", "table7"), ("mrev", "engines")):
        assert "EMULATED power (profile knm-like)" in shown(drawn[*case, "emulated"]), case
    assert ">EMULATED<" in svg(drawn["mrev", "engines", "emulated"])
    assert "EMULATED hosts" in shown(drawn["mrev", "startup", "laptop"])


def test_the_paper_stands_beside(drawn: dict[Case, Path]) -> None:
    assert "78 % less" in shown(drawn["hpc", "fig05", "paper"])
    assert "420 s" in shown(drawn["mrev", "fig02", "laptop"])
    assert "H | VH" in shown(drawn["hpc", "table7", "paper"])
    # The engine is not the paper's DataMPI.
    assert shown(drawn["hpc", "table7", "paper"]).count("VH | \u2013") == 3
    assert "84 files (5040 MB)" in shown(drawn["hpc", "table3", "laptop"])


def test_table1_shows_what_the_study_has_in_effect_at_each_scale(drawn: dict[Case, Path]) -> None:
    """Its own settings win over those that studies share, and a scale's levels over the study's."""
    words = svg_text.words(drawn["mrev", "table1", "laptop"].with_suffix(".svg"))

    def row(name: str) -> list[str]:
        """The cells to the right of the one with this text."""
        (key,) = (word for word in words if word.text == name)
        beside = [word for word in words if abs(word.box[3] - key.box[3]) < 0.1 and word.box[0] > key.box[2]]
        return [word.text for word in sorted(beside, key=lambda word: word.box[0])]

    assert row("key here") == ["smoke", "laptop", "paper scale"]
    assert row("terasort: data_mb") == ["4", "48", "131,072"]
    assert row("sort: data_mb") == ["4", "48", "51,200"]
    assert row("nodes") == ["3", "3 and 5", "3, 5, 9 and 13"]
    assert row("disk") == ["ssd", "ssd", "hdd"]
    assert row("framework") == ["3 planned", "8 planned", "8 planned"]
    assert row("repetitions") == ["1", "3", "10"]


def test_a_framework_without_a_look_gets_one_of_its_own(
    tables: Path, drawn: dict[Case, Path], tmp_path: Path
) -> None:
    case = ("mrev", "fig02", "laptop")
    place = tables / "laptop" / "mrev"

    def mine(row: Row) -> Row:
        return row | {"framework": row["framework"].replace("hadoop-gbe", "mine")}

    runs = edited(place / "terasort.csv", tmp_path / "terasort.csv", mine)
    series = tmp_path / "series.csv"
    series.write_text((place / "series.csv").read_text() + "mine,My framework,,,,\n")
    jobs = [job(case, tables, tmp_path / name, terasort=runs) for name in ("labelled", "unknown")]
    draw_well([replace(jobs[0], series=series), jobs[1]], tmp_path)
    assert "My framework" in shown(tmp_path / "labelled") and "Hadoop-GbE" not in shown(tmp_path / "labelled")
    assert "mine" in shown(tmp_path / "unknown").split()

    def colours(stem: Path) -> set[str]:
        return set(re.findall(r"fill: (#[0-9A-F]{6})", svg(stem)))

    for name in ("labelled", "unknown"):
        new = colours(tmp_path / name) - colours(drawn[case])
        assert len(new) <= 1 and len(colours(tmp_path / name)) == len(colours(drawn[case]))


def test_a_figure_without_runs_says_so(drawn: dict[Case, Path]) -> None:
    for study, figure in (("mrev", "fig02"), ("mrev", "fig03"), ("hpc", "fig02"), ("hpc", "fig07")):
        said = shown(drawn[study, figure, "failed"])
        assert "No run of this figure has a value." in said
        assert "failed (Hadoop is not built)" in said


def test_a_missing_column_is_named(tables: Path, tmp_path: Path) -> None:
    case = ("mrev", "fig02", "laptop")
    cut = edited(tables / "laptop" / "mrev" / "terasort.csv", tmp_path / "cut.csv", without("disk"))
    (drawn,) = draw_many([job(case, tables, tmp_path / "out" / "fig", terasort=cut)], tmp_path)
    assert drawn.status == 1
    assert f"{cut}: column 'disk' is missing" in drawn.said and "\\n" not in drawn.said
