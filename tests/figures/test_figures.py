"""Every figure from fixed tables: same bytes as the snapshot, honest marks, clear errors, nothing half-written.

The SVG is compared byte by byte, nothing is normalised: svglite is deterministic for the pinned Debian packages.
After a wanted change: ``UPDATE_FIGURES=1 pytest tests/figures``, look at the new snapshots, commit them.
"""

import csv
import os
import shutil
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import pytest
import svg_text

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCRIPTS = ROOT / "scripts" / "figures"
FIXTURES = HERE / "fixtures"
SNAPSHOTS = HERE / "snapshots"
TABLES = {
    "fig01": ["stages", "stages.trace"],
    "fig02": ["combiner", "combiner.trace"],
    "fig03": ["combinability", "combinability.trace"],
    "fig04": ["schematic.fill"],
    "fig05": ["buffering", "buffering.trace"],
    "fig06": ["sampling", "sampling.trace"],
    "table1": ["combinability"],
    "sweetspot": ["buffering"],
}
CASES = [(figure, "none") for figure in TABLES]
CASES += [(figure, "measured") for figure in ("fig01", "fig02", "fig06", "sweetspot")]
CASES += [("fig01", "emulated")]
FORMATS = ("svg", "pdf", "png")
POWER_PANELS = 4

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)


def draw(
    figure: str, tables: dict[str, Path], stem: Path, cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[str]:
    """Runs a figure script the way the workflow does."""
    command = ["Rscript", str(SCRIPTS / "mimir" / f"{figure}.R"), "--out", str(stem)]
    command += [f"{name}={path}" for name, path in tables.items()]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=120, check=False
    )


def tables_of(figure: str, power: str) -> dict[str, Path]:
    return {name: FIXTURES / power / f"{name}.csv" for name in TABLES[figure]}


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """All cases drawn once, into a folder with a space in its name. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures") / "with a space"
    stems = {case: folder / case[1] / case[0] for case in CASES}
    with ThreadPoolExecutor(2) as pool:
        runs = dict(zip(CASES, pool.map(lambda c: draw(c[0], tables_of(*c), stems[c]), CASES), strict=True))
    for case, run in runs.items():
        assert run.returncode == 0 and run.stderr == "", f"{case}: {run.stderr}"
    return stems


def svg(stem: Path) -> str:
    return stem.with_suffix(".svg").read_text(encoding="utf-8")


def shown(stem: Path) -> str:
    """The words of a figure in drawing order."""
    return " ".join(word.text for word in svg_text.words(stem.with_suffix(".svg"))).replace("\u00a0", " ")


def edited(source: Path, target: Path, change) -> Path:
    """A copy of a table; ``change`` takes the row as a dict and returns the new row, or None to drop it."""
    with source.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = [new for row in reader if (new := change(row)) is not None]
        header = list(rows[0]) if rows else list(reader.fieldnames or [])
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return target


def assert_refused(run: subprocess.CompletedProcess[str], folder: Path, *said: str) -> None:
    """Exit 1, one line that says what is wrong, and no file of the figure."""
    assert run.returncode == 1
    assert len(run.stderr.strip().splitlines()) == 1, run.stderr
    for words in said:
        assert words in run.stderr
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_svg_is_the_snapshot(case: tuple[str, str], drawn: dict[tuple[str, str], Path]) -> None:
    new = drawn[case].with_suffix(".svg")
    old = SNAPSHOTS / f"{case[0]}-{case[1]}.svg"
    if os.environ.get("UPDATE_FIGURES"):
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(new.read_bytes())
    hint = f"new: {new}, snapshot: {old}. If wanted: UPDATE_FIGURES=1 pytest tests/figures, look at it, commit it."
    assert old.exists(), f"no snapshot. {hint}"
    assert new.read_bytes() == old.read_bytes(), f"the figure has changed. {hint}"


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: tuple[str, str], drawn: dict[tuple[str, str], Path]) -> None:
    words = svg_text.words(drawn[case].with_suffix(".svg"))
    assert len(words) > 10
    assert [word.text for word in words if word.is_cut()] == []
    assert [(a.text, b.text) for a, b in combinations(words, 2) if a.meets(b)] == []


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_pdf_embeds_its_font_and_png_has_300_dpi(
    case: tuple[str, str], drawn: dict[tuple[str, str], Path]
) -> None:
    pdf = drawn[case].with_suffix(".pdf").read_bytes()
    assert pdf.startswith(b"%PDF") and pdf.rstrip().endswith(b"%%EOF")
    assert b"Inter-Regular" in pdf and pdf.count(b"/FontFile3") == pdf.count(b"/FontDescriptor\n")
    png = drawn[case].with_suffix(".png").read_bytes()
    width_mm = 178
    assert int.from_bytes(png[16:20], "big") == round(width_mm / 25.4 * 300 - 0.5)
    at = png.index(b"pHYs")
    assert int.from_bytes(png[at + 4 : at + 8], "big") == round(300 / 0.0254)
    assert zlib.crc32(png[at : at + 13]) == int.from_bytes(png[at + 13 : at + 17], "big")


def test_svg_renders_without_the_font(drawn: dict[tuple[str, str], Path]) -> None:
    text = svg(drawn["fig01", "none"])
    assert text.count("font-family:") == text.count('"Inter", "Helvetica Neue", Arial, sans-serif;') > 0


@pytest.mark.parametrize("figure", TABLES)
def test_the_same_bytes_again_elsewhere(
    figure: str, drawn: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    stem = tmp_path / "again"
    run = draw(figure, tables_of(figure, "none"), stem, cwd=tmp_path, LC_ALL="C", TZ="Asia/Tokyo")
    assert run.returncode == 0, run.stderr
    for kind in FORMATS:
        first = drawn[figure, "none"].with_suffix(f".{kind}").read_bytes()
        assert stem.with_suffix(f".{kind}").read_bytes() == first, kind


def test_emulated_power_is_marked_and_measured_is_not(drawn: dict[tuple[str, str], Path]) -> None:
    emulated = svg(drawn["fig01", "emulated"])
    assert emulated.count("EMULATED (knm-cube)") == POWER_PANELS
    assert "EMULATED power (profile knm-cube)" in emulated and "no evidence" in emulated
    assert "EMULATED" not in svg(drawn["fig01", "measured"])
    assert "EMULATED" not in svg(drawn["fig01", "none"])


def test_the_mark_follows_the_rows(tmp_path: Path) -> None:
    """One emulated row among measured ones marks its panel and no other."""
    tables = tables_of("fig01", "measured")
    seen: list[int] = []

    def one_row(row: dict[str, str]) -> dict[str, str]:
        wanted = row["app"] == "group-by-key" and row["platform"] == "knm" and row["domain"] == "package"
        if wanted and not seen:
            seen.append(1)
            row["source"] = "emulated:other"
        return row

    tables["stages.trace"] = edited(tables["stages.trace"], tmp_path / "t.csv", one_row)
    run = draw("fig01", tables, tmp_path / "fig")
    assert run.returncode == 0, run.stderr
    assert svg(tmp_path / "fig").count("EMULATED (other)") == 1


def test_emulated_energy_marks_the_sweet_spot(tmp_path: Path) -> None:
    def emulate(row: dict[str, str]) -> dict[str, str]:
        return row | ({"source": "emulated:knm-cube"} if row["metric"] == "energy.total" else {})

    tables = {"buffering": edited(FIXTURES / "measured" / "buffering.csv", tmp_path / "b.csv", emulate)}
    run = draw("sweetspot", tables, tmp_path / "fig")
    assert run.returncode == 0, run.stderr
    assert svg(tmp_path / "fig").count("EMULATED (knm-cube)") == 1


def test_without_a_power_source_the_figure_says_so(drawn: dict[tuple[str, str], Path]) -> None:
    text = shown(drawn["fig01", "none"])
    assert "No power source on this machine (/sys/class/powercap has no zone that this user may read)" in text
    assert "CPU use of all ranks, cores" in text and "average power" not in text
    assert "Not run: caps 140 and 120 W (no power cap can be set on this machine: no powercap zone)" in text
    assert "average power, W" in shown(drawn["fig01", "measured"])


def test_captions_count_runs_and_name_what_failed(drawn: dict[tuple[str, str], Path]) -> None:
    text = shown(drawn["fig02", "none"])
    assert "n = 2 to 3 runs" in text and "min to max" in text
    assert "1 run failed (rank 1 ended by signal 9)" in text
    assert "64 million words (paper: 4 billion), 2 ranks" in text
    assert "Sources: measured:clock, measured:procfs" in text


def test_the_paper_stands_beside(drawn: dict[tuple[str, str], Path]) -> None:
    assert "paper: no run above 160 W" in shown(drawn["fig01", "measured"])
    assert "paper: no run above 160 W" not in shown(drawn["fig01", "none"])
    assert shown(drawn["fig01", "none"]).count("paper: +333 to +355 % over Map+Aggregate") == 2
    said = "paper: sweet spot at 5,000 of 4 billion words (here 2,880 of 64 million)"
    assert said in shown(drawn["sweetspot", "none"])
    table = shown(drawn["table1", "none"])
    assert "> 99 %" in table and "98 %" in table and "49,999,968" in table


def test_a_panel_without_runs_stays_and_says_so(tmp_path: Path) -> None:
    def no_knl(row: dict[str, str]) -> dict[str, str] | None:
        return None if row["platform"] == "knl" else row

    tables = tables_of("fig01", "none")
    tables = {name: edited(path, tmp_path / path.name, no_knl) for name, path in tables.items()}
    run = draw("fig01", tables, tmp_path / "fig")
    assert run.returncode == 0 and run.stderr == "", run.stderr
    assert shown(tmp_path / "fig").count("no samples") == 2


def test_without_samples_the_runtimes_are_drawn(tmp_path: Path) -> None:
    tables = tables_of("fig02", "none")
    tables["combiner.trace"] = edited(tables["combiner.trace"], tmp_path / "t.csv", lambda row: None)
    run = draw("fig02", tables, tmp_path / "fig")
    assert run.returncode == 0 and run.stderr == "", run.stderr
    text = shown(tmp_path / "fig")
    assert "No run has samples over time" in text and "runtime, s" in text


@pytest.mark.parametrize("figure", TABLES)
def test_a_missing_column_is_named(figure: str, tmp_path: Path) -> None:
    tables = tables_of(figure, "none")
    name = TABLES[figure][-1]
    column = "capacity_bytes" if figure == "fig04" else "unique"
    cut = tmp_path / "cut.csv"
    tables[name] = edited(tables[name], cut, lambda row: {k: v for k, v in row.items() if k != column})
    run = draw(figure, tables, tmp_path / "out" / "fig")
    assert_refused(run, tmp_path / "out", figure, str(cut), f"column '{column}' is missing")


@pytest.mark.parametrize("figure", ["fig01", "fig04", "sweetspot", "table1"])
def test_nothing_to_draw_is_an_error(figure: str, tmp_path: Path) -> None:
    tables = tables_of(figure, "none")
    for name in tables:
        tables[name] = edited(tables[name], tmp_path / f"{name}.csv", lambda row: None)
    run = draw(figure, tables, tmp_path / "out" / "fig")
    assert_refused(run, tmp_path / "out", str(tmp_path / f"{TABLES[figure][-1]}.csv"), "nothing to draw")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"study,experiment,point\nmimir,stages\n", "not a whole CSV table"),
        (bytes(range(256)) * 4, "not a whole CSV table"),
    ],
    ids=["empty", "truncated", "binary"],
)
def test_a_broken_table_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(content)
    tables = tables_of("fig01", "none") | {"stages": bad}
    assert_refused(draw("fig01", tables, tmp_path / "out" / "fig"), tmp_path / "out", str(bad), said)


def test_a_table_cut_in_its_last_row_is_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cut.csv"
    whole = (FIXTURES / "none" / "stages.csv").read_text(encoding="utf-8")
    cut.write_text(whole[: whole.rindex(",")].rsplit(",", 3)[0] + "\n", encoding="utf-8")
    tables = tables_of("fig01", "none") | {"stages": cut}
    assert_refused(draw("fig01", tables, tmp_path / "out" / "fig"), tmp_path / "out", str(cut), "not a whole")


def test_a_word_for_a_number_is_refused(tmp_path: Path) -> None:
    def spoil(row: dict[str, str]) -> dict[str, str]:
        return row | ({"value": "fast"} if row["metric"] == "runtime" and row["rep"] == "2" else {})

    bad = edited(FIXTURES / "none" / "stages.csv", tmp_path / "bad.csv", spoil)
    tables = tables_of("fig01", "none") | {"stages": bad}
    run = draw("fig01", tables, tmp_path / "out" / "fig")
    assert_refused(run, tmp_path / "out", str(bad), "column 'value', row", "'fast' is not a number")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"stages": Path("nowhere.csv"), "stages.trace": Path("nowhere.csv")}, "nowhere.csv: no such file"),
        ({"stages": Path("a.csv")}, "table 'stages.trace' is not given"),
        ({"stages": Path("a"), "stages.trace": Path("a"), "other": Path("a")}, "unknown table 'other'"),
    ],
    ids=["absent", "too few", "too many"],
)
def test_the_command_line_is_checked(tables: dict[str, Path], said: str, tmp_path: Path) -> None:
    assert_refused(draw("fig01", tables, tmp_path / "out" / "fig"), tmp_path / "out", said)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    run = draw("fig04", tables_of("fig04", "none"), tmp_path / "file" / "fig")
    assert run.returncode == 1 and "cannot create the folder" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


def test_an_older_figure_survives_a_failure(tmp_path: Path) -> None:
    (tmp_path / "fig.svg").write_text("older")
    run = draw("fig04", {"schematic.fill": tmp_path / "absent.csv"}, tmp_path / "fig")
    assert run.returncode == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fig.svg"]
    assert (tmp_path / "fig.svg").read_text() == "older"


def test_fixtures_are_what_their_script_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(FIXTURES / "make_fixtures.py"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.csv")}
    kept = {path.relative_to(FIXTURES): path.read_bytes() for path in FIXTURES.rglob("*.csv")}
    assert made == kept


def test_figure_scripts_are_short() -> None:
    for path in (SCRIPTS / "mimir").glob("*.R"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name


def test_r_code_is_lintr_clean() -> None:
    code = (
        "found <- lintr::lint_dir(commandArgs(TRUE)); if (length(found)) { print(found); quit(status = 1) }"
    )
    run = subprocess.run(
        ["Rscript", "-e", code, str(SCRIPTS)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_r_library() -> None:
    code = "testthat::test_dir(commandArgs(TRUE), reporter = 'check', stop_on_failure = TRUE)"
    run = subprocess.run(
        ["Rscript", "-e", code, str(HERE / "testthat")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
