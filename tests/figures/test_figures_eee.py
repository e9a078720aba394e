"""Every figure of study eee from made-up tables: the snapshot's bytes, honest captions, a page even without runs.

The tables are those of tests/unit/claims/eee_world.py. After a wanted change:
``UPDATE_FIGURES=1 pytest tests/figures/test_figures_eee.py``, look at the new snapshots, commit them.
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

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCRIPTS = ROOT / "scripts" / "figures" / "eee"
SNAPSHOTS = HERE / "snapshots" / "eee"
TABLES = {
    "fig01": ["timeline", "timeline.trace"], "fig02": ["link"], "fig03": ["scheduler"],
    "fig04": ["latency", "placement"], "fig05": ["stall"], "fig06": ["stall"], "fig07": ["standard"],
    "fig08": ["coalescing"], "fig09": ["coalescing"], "fig10": ["nonuniform"], "fig11": ["nonuniform"],
    "fig12": ["load"], "fig13": ["load"], "fig14": ["load"], "table1": ["link"], "table2": ["standard"],
    "table3": ["standard"], "table4": ["link"], "figs1": ["sensitivity"], "figb1": ["dctcp"],
    "figb2": ["adaptive"], "figb3": ["fabric"],
}  # fmt: skip
CONFIGURED = {"table2", "table4"}
"""Tables that show the study's configuration, which may change without a change of the figure."""
CASES = [(figure, "full") for figure in TABLES]
CASES += [(figure, "small") for figure in ("fig04", "fig08", "fig09", "fig11", "fig12")]
CASES += [
    ("fig07", "failed"),
    ("fig01", "empty"),
    ("fig08", "empty"),
    ("table2", "empty"),
    ("table4", "empty"),
]

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)


def load_worlds() -> ModuleType:
    """The made-up tables that the tests of the claims use."""
    path = ROOT / "tests" / "unit" / "claims" / "eee_world.py"
    spec = importlib.util.spec_from_file_location("eee_world", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["eee_world"] = module
    spec.loader.exec_module(module)
    return module


world = load_worlds()


def uneven(experiment: str, f: dict, found: dict) -> None:
    """Strict sleep in the link, one seed that took very long, drops that differ."""
    if experiment == "link" and f["setting"] == "nopa":
        found["power.rel.closed"] = world.link_power(f["load"] / 100, "nopa", abort=False)
        found["power.rel"] = found["power.rel.closed"] * 1.001
    if experiment == "coalescing" and f["setting"] == "10ms1000" and f["buffer"] == "shallow":
        found["makespan"] *= 6 if f["workload"] == "batch" else 2


WORLDS = {
    "small": world.World(reps=1, nodes=(24,)),
    "failed": world.World(reps=1, status="failed"),
    "empty": world.World(empty=frozenset(world.EXPERIMENTS)),
}


def made(folder: Path) -> dict[str, Path]:
    """The tables of all worlds."""
    kinds = {"full": world.World(change=uneven), **WORLDS}
    for name, kind in kinds.items():
        world.write_tables(folder / name, kind)
        world.write_timeline(folder / name, empty=name in ("failed", "empty"))
    return {name: folder / name / "eee" for name in kinds}


def draw(
    figure: str, tables: dict[str, Path], stem: Path, cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess:
    """Runs a figure script the way the workflow does."""
    command = ["Rscript", "--vanilla", str(SCRIPTS / f"{figure}.R"), "--out", str(stem)]
    command += [f"{name}={path}" for name, path in tables.items()]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return made(tmp_path_factory.mktemp("tables"))


def tables_of(figure: str, folder: Path) -> dict[str, Path]:
    return {name: folder / f"{name}.csv" for name in TABLES[figure]}


@pytest.fixture(scope="session")
def drawn(tables: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """All cases drawn once. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures")
    stems = {case: folder / case[1] / case[0] for case in CASES}
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda c: draw(c[0], tables_of(c[0], tables[c[1]]), stems[c]), CASES))
    for case, run in zip(CASES, runs, strict=True):
        assert run.returncode == 0 and run.stderr == "", f"{case}: {run.stderr}"
    return stems


def shown(stem: Path) -> str:
    """The words of a figure in drawing order."""
    return " ".join(word.text for word in svg_text.words(stem.with_suffix(".svg"))).replace("\u00a0", " ")


def test_every_script_has_its_tables_here_and_is_short() -> None:
    assert {path.stem for path in SCRIPTS.glob("*.R")} == set(TABLES)
    for path in SCRIPTS.glob("*.R"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


@pytest.mark.parametrize("figure", sorted(set(TABLES) - CONFIGURED))
def test_svg_is_the_snapshot(figure: str, drawn: dict[tuple[str, str], Path]) -> None:
    new = drawn[figure, "full"].with_suffix(".svg")
    old = SNAPSHOTS / f"{figure}.svg"
    if os.environ.get("UPDATE_FIGURES"):
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(new.read_bytes())
    hint = (
        f"new: {new}, snapshot: {old}. If wanted: UPDATE_FIGURES=1 pytest {__file__}, look at it, commit it."
    )
    assert old.exists(), f"no snapshot. {hint}"
    assert new.read_bytes() == old.read_bytes(), f"the figure has changed. {hint}"


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: tuple[str, str], drawn: dict[tuple[str, str], Path]) -> None:
    words = svg_text.words(drawn[case].with_suffix(".svg"))
    assert len(words) >= 1
    assert [word.text for word in words if word.is_cut()] == []
    assert [(a.text, b.text) for a, b in combinations(words, 2) if a.meets(b)] == []


def test_all_files_are_there_and_the_fonts_are_not_small(drawn: dict[tuple[str, str], Path]) -> None:
    for case, stem in drawn.items():
        assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF"), case
        assert stem.with_suffix(".png").stat().st_size > 0, case
        svg = stem.with_suffix(".svg").read_text(encoding="utf-8")
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)) >= 7, case


@pytest.mark.parametrize("figure", ["fig02", "table4"])
def test_the_same_bytes_again_elsewhere(
    figure: str, tables: dict[str, Path], drawn: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    stem = tmp_path / "again"
    run = draw(figure, tables_of(figure, tables["full"]), stem, cwd=tmp_path, LC_ALL="C", TZ="Asia/Tokyo")
    assert run.returncode == 0, run.stderr
    for kind in ("svg", "pdf", "png"):
        assert (
            stem.with_suffix(f".{kind}").read_bytes()
            == drawn[figure, "full"].with_suffix(f".{kind}").read_bytes()
        )


def test_a_figure_without_runs_says_so(drawn: dict[tuple[str, str], Path]) -> None:
    for figure in ("fig01", "fig08"):
        said = shown(drawn[figure, "empty"])
        assert "No run of this figure has a value. None was made at this scale." in said
    assert "failed (netsim is not built)" in shown(drawn["fig07", "failed"])
    assert "none run" in shown(drawn["table2", "empty"])


def test_captions_count_seeds_and_name_their_source(drawn: dict[tuple[str, str], Path]) -> None:
    assert "all runs (n = 3 seeds); line: median; bar: min to max" in shown(drawn["fig12", "full"])
    assert "one run (n = 1 seed)" in shown(drawn["fig12", "small"])
    for figure in set(TABLES) - {"table1"}:
        assert "Sources: simulated:netsim." in shown(drawn[figure, "full"]), figure
    assert "60 jobs a stream" in shown(drawn["fig07", "full"])


def test_the_paper_stands_beside(drawn: dict[tuple[str, str], Path]) -> None:
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
    run = draw("fig12", {"load": path}, tmp_path / "fig")
    assert run.returncode == 0, run.stderr
    assert "1 run failed (out of time)." in shown(tmp_path / "fig")


@pytest.mark.parametrize("figure", ["fig07", "fig01"])
def test_a_missing_column_is_named(figure: str, tables: dict[str, Path], tmp_path: Path) -> None:
    given = tables_of(figure, tables["full"])
    name = TABLES[figure][-1]
    with given[name].open(encoding="utf-8", newline="") as file:
        rows = [
            {key: value for key, value in row.items() if key != "setting"} for row in csv.DictReader(file)
        ]
    cut = tmp_path / "cut.csv"
    world.write(cut, list(rows[0]), iter(rows))
    run = draw(figure, given | {name: cut}, tmp_path / "out" / "fig")
    assert run.returncode == 1
    assert f"{cut}: column 'setting' is missing" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


def test_defaults_that_table2_shows_are_those_of_the_simulator() -> None:
    header = (ROOT / "src/netsim/include/netsim/mapreduce/config.hpp").read_text(encoding="utf-8")
    for line in ("int cores = 2;", "double core_hz = 2.5e9;", "int map_slots = 2;", "int reduce_slots = 2;"):
        assert line in header, line
    script = (SCRIPTS / "table2.R").read_text(encoding="utf-8")
    for line in ("cores <- 2", "ghz <- 2.5", "slots <- 2"):
        assert line in script, line
