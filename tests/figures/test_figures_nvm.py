"""Every figure of study nvm from made-up tables: the snapshot's bytes, honest captions, no text cut.

The tables are those of tests/unit/claims/nvm_world.py. After a wanted change:
``UPDATE_FIGURES=1 pytest tests/figures/test_figures_nvm.py``, look at the new snapshots, commit them.
"""

import re
import shutil
import sys
from pathlib import Path

import pytest
from drawing import (
    FIGURES,
    ROOT,
    Job,
    assert_legible,
    assert_snapshot,
    draw_well,
    figures_of,
    load_world,
    shown,
    svg,
    write_study_tables,
)

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)

sys.path.insert(0, str(ROOT / "tests" / "unit" / "claims"))
world = load_world("nvm_world")

TABLES = figures_of("nvm")
WORLDS = {
    "laptop": world.LAPTOP,
    "paper": world.PAPER,
    "failed": world.World(nodes=(3,), disks=("ssd",), sizes=(1,), status="failed"),
}
"""As here: two workers, no HOMR. As the slides': all frameworks and sizes, and the sweeps. Nothing that ended well."""
CASES = [(figure, "laptop") for figure in TABLES]
CASES += [(figure, "paper") for figure in ("localdir", "stages", "sort", "hibench", "penalty")]
CASES += [(figure, "failed") for figure in ("design", "stages", "spills")]
SHOWN = [case for case in CASES if case[1] != "failed" and case[0] != "table1"]
"""Cases with a snapshot: the configuration, which table1 shows, may change without a change of the figure."""

Case = tuple[str, str]


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Path]:
    """All cases drawn once. Value: the path without extension."""
    tables, folder = tmp_path_factory.mktemp("tables"), tmp_path_factory.mktemp("figures")
    for name, kind in WORLDS.items():
        world.write_tables(tables / name, kind)
        write_study_tables("nvm", tables / name / "nvm")
    stems = {case: folder / case[1] / case[0] for case in CASES}
    jobs = []
    for (figure, name), stem in stems.items():
        place = tables / name / "nvm"
        given = {table: place / f"{table}.csv" for table in TABLES[figure]}
        jobs.append(Job(f"nvm/{figure}", given, stem, place / "series.csv"))
    draw_well(jobs, folder)
    return stems


def test_every_script_is_a_figure_of_its_study_and_is_short() -> None:
    assert {path.stem for path in (FIGURES / "nvm").glob("*.R")} == set(TABLES)
    for path in (FIGURES / "nvm").glob("*.R"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


@pytest.mark.parametrize("case", SHOWN, ids="-".join)
def test_svg_is_the_snapshot(case: Case, drawn: dict[Case, Path]) -> None:
    assert_snapshot(drawn[case], f"nvm/{case[0]}-{case[1]}")


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: Case, drawn: dict[Case, Path]) -> None:
    assert_legible(drawn[case], least=1)


def test_fonts_are_not_small(drawn: dict[Case, Path]) -> None:
    for case, stem in drawn.items():
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg(stem))) >= 7, case


def test_the_emulated_memory_and_what_is_missing_are_named(drawn: dict[Case, Path]) -> None:
    for figure in ("stages", "spills", "sort", "hibench", "puma"):
        said = shown(drawn[figure, "laptop"])
        assert "NVRAM is DRAM with a delay after each write" in said, figure
        assert "EMULATED hosts and links" in said, figure
        assert "RMR and RMR-NVM: re-implementation of RDMA-Hadoop's shuffle after the paper." in said, figure
        assert ("Not run: HOMR (" in said) == (figure != "puma"), figure
    assert "HOMR not run" in shown(drawn["homr", "laptop"])
    assert "a folder throttled to a task\u2019s share" in shown(drawn["stages", "laptop"])
    assert "16 % are of an HDD, which did not run here" in shown(drawn["localdir", "laptop"])


def test_bytes_on_disks_stand_in_the_design(drawn: dict[Case, Path]) -> None:
    said = shown(drawn["design", "laptop"])
    assert "MR: 880.0 MB until all was spilled, 1680.0 MB in all" in said
    assert "MR-NVM: 0.4 MB until all was spilled, 0.8 MB in all" in said


def test_where_the_gain_vanishes_is_said(drawn: dict[Case, Path]) -> None:
    said = shown(drawn["penalty", "paper"])
    assert "The gain is gone, by medians:" in said
    assert re.search(r"map phase on SATA SSD: Sort at \d+x, TeraSort at \d+x", said)
    assert "None was made at this scale" in shown(drawn["penalty", "laptop"])


def test_one_size_stands_for_sizes_that_were_not_run(drawn: dict[Case, Path]) -> None:
    for name in ("laptop", "paper"):
        assert "55 % less than MR-IPoIB and 28 % less than RMR" in shown(drawn["sort", name])
