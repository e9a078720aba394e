"""Every figure of studies mrev and hpc from made-up tables: the snapshot's bytes, honest captions, no text cut.

The tables are those of tests/unit/claims/cells_world.py. After a wanted change:
``UPDATE_FIGURES=1 pytest tests/figures/test_figures_cells.py``, look at the new snapshots, commit them.
"""

import csv
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest
import svg_text
import yaml

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCRIPTS = ROOT / "scripts" / "figures"
SNAPSHOTS = HERE / "snapshots"
STUDIES = ("mrev", "hpc")
CONFIGURED = {("mrev", "table1"), ("mrev", "table5"), ("hpc", "table3"), ("hpc", "table6")}
"""Tables that show the scales' configuration, which may change without a change of the figure."""

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)


def load_worlds() -> ModuleType:
    """The made-up tables that the tests of the claims use."""
    path = ROOT / "tests" / "unit" / "claims" / "cells_world.py"
    spec = importlib.util.spec_from_file_location("cells_world", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["cells_world"] = module
    spec.loader.exec_module(module)
    return module


world = load_worlds()


def declared(study: str) -> dict[str, list[str]]:
    """Figures of a study and the tables that its file gives them."""
    found = yaml.safe_load((ROOT / "config" / "studies" / f"{study}.yaml").read_text(encoding="utf-8"))
    return {figure["id"]: figure["tables"] for figure in found["figures"]}


TABLES = {(study, figure): tables for study in STUDIES for figure, tables in declared(study).items()}
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
CASES += [("mrev", "fig02", "paper"), ("mrev", "fig03", "paper"), ("hpc", "fig05", "emulated")]
CASES += [("mrev", figure, "failed") for figure in ("fig01", "fig02", "fig03", "table1", "table4")]
CASES += [("hpc", figure, "failed") for figure in ("fig02", "fig05", "fig07", "fig08", "table5", "table7")]
SHOWN = [case for case in CASES if case[2] in ("laptop", "paper") and case[:2] not in CONFIGURED]
"""Cases with a snapshot."""

Case = tuple[str, str, str]


def draw(case: Case, tables: dict[str, Path], stem: Path, **env: str) -> subprocess.CompletedProcess:
    """Runs a figure script the way the workflow does."""
    command = ["Rscript", "--vanilla", str(SCRIPTS / case[0] / f"{case[1]}.R"), "--out", str(stem)]
    command += [f"{name}={path}" for name, path in tables.items()]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All worlds' tables: folder/world/study."""
    folder = tmp_path_factory.mktemp("tables")
    for name, kind in WORLDS.items():
        for study in STUDIES:
            world.write_tables(folder / name, study, kind)
    return folder


def tables_of(case: Case, folder: Path) -> dict[str, Path]:
    return {name: folder / case[2] / case[0] / f"{name}.csv" for name in TABLES[case[:2]]}


@pytest.fixture(scope="session")
def drawn(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Path]:
    """All cases drawn once. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures")
    stems = {case: folder / case[2] / case[0] / case[1] for case in CASES}
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda c: draw(c, tables_of(c, tables), stems[c]), CASES))
    for case, run in zip(CASES, runs, strict=True):
        assert run.returncode == 0 and run.stderr == "", f"{case}: {run.stderr}"
    return stems


def shown(stem: Path) -> str:
    """The words of a figure in drawing order."""
    return " ".join(word.text for word in svg_text.words(stem.with_suffix(".svg"))).replace("\u00a0", " ")


def test_every_script_is_a_figure_of_its_study_and_is_short() -> None:
    for study in STUDIES:
        assert {path.stem for path in (SCRIPTS / study).glob("*.R")} == set(declared(study))
        for path in (SCRIPTS / study).glob("*.R"):
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


@pytest.mark.parametrize("case", SHOWN, ids="-".join)
def test_svg_is_the_snapshot(case: Case, drawn: dict[Case, Path]) -> None:
    new = drawn[case].with_suffix(".svg")
    old = SNAPSHOTS / case[0] / f"{case[1]}-{case[2]}.svg"
    if os.environ.get("UPDATE_FIGURES"):
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(new.read_bytes())
    hint = f"new: {new}, snapshot: {old}. If wanted: UPDATE_FIGURES=1 pytest {__file__}, look, commit."
    assert old.exists(), f"no snapshot. {hint}"
    assert new.read_bytes() == old.read_bytes(), f"the figure has changed. {hint}"


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: Case, drawn: dict[Case, Path]) -> None:
    words = svg_text.words(drawn[case].with_suffix(".svg"))
    assert len(words) >= 1
    assert [word.text for word in words if word.is_cut()] == []
    assert [(a.text, b.text) for a, b in combinations(words, 2) if a.meets(b)] == []


def test_all_files_are_there_and_the_fonts_are_not_small(drawn: dict[Case, Path]) -> None:
    for case, stem in drawn.items():
        assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF"), case
        assert stem.with_suffix(".png").stat().st_size > 0, case
        svg = stem.with_suffix(".svg").read_text(encoding="utf-8")
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)) >= 7, case


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


def test_without_a_meter_no_watts_are_drawn(drawn: dict[Case, Path]) -> None:
    for figure in ("fig05", "fig07", "fig08"):
        said = shown(drawn["hpc", figure, "laptop"])
        assert "No energy was measured (no power source" in said
        assert "power, W" not in said and "J s" not in said
    assert "power, W" in shown(drawn["hpc", "fig07", "paper"])


def test_emulated_joules_are_marked_in_their_panels(drawn: dict[Case, Path]) -> None:
    svg = drawn["hpc", "fig05", "emulated"].with_suffix(".svg").read_text(encoding="utf-8")
    panels = 4  # ED2P and ED2P over time, for two disks
    assert svg.count(">EMULATED (knm-like)<") == panels
    assert "EMULATED power (profile knm-like)" in shown(drawn["hpc", "fig05", "emulated"])


def test_the_paper_stands_beside(drawn: dict[Case, Path]) -> None:
    assert "78 % less" in shown(drawn["hpc", "fig05", "paper"])
    assert "420 s" in shown(drawn["mrev", "fig02", "laptop"])
    assert "VH | VH" in shown(drawn["hpc", "table7", "paper"])
    assert "84 files (5040 MB)" in shown(drawn["hpc", "table3", "laptop"])


def test_a_figure_without_runs_says_so(drawn: dict[Case, Path]) -> None:
    for study, figure in (("mrev", "fig02"), ("mrev", "fig03"), ("hpc", "fig02"), ("hpc", "fig07")):
        said = shown(drawn[study, figure, "failed"])
        assert "No run of this figure has a value." in said
        assert "failed (Hadoop is not built)" in said


def test_a_missing_column_is_named(tables: Path, tmp_path: Path) -> None:
    case = ("mrev", "fig02", "laptop")
    with tables_of(case, tables)["terasort"].open(encoding="utf-8", newline="") as file:
        rows = [{k: v for k, v in row.items() if k != "disk"} for row in csv.DictReader(file)]
    world.write(tmp_path / "cut.csv", list(rows[0]), rows)
    run = draw(case, {"terasort": tmp_path / "cut.csv"}, tmp_path / "out" / "fig")
    assert run.returncode == 1
    assert "column 'disk' is missing" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
