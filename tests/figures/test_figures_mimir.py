"""Every figure of study mimir from made-up tables: the snapshot's bytes, honest marks, captions that count.

The SVG is compared byte by byte, nothing is normalised: svglite is deterministic for the pinned Debian packages.
After a wanted change: ``UPDATE_FIGURES=1 pytest tests/figures``, look at the new snapshots, commit them.
"""

import shutil
import zlib
from pathlib import Path

import mimir_tables
import pytest
from drawing import (
    FIGURES,
    Job,
    Row,
    assert_legible,
    assert_same_files,
    assert_snapshot,
    draw_well,
    edited,
    figures_of,
    shown,
    svg,
    write_study_tables,
)

TABLES = figures_of("mimir")
Case = tuple[str, str]
CASES: list[Case] = [(figure, "none") for figure in TABLES]
CASES += [(figure, "measured") for figure in ("fig01", "fig02", "fig06", "sweetspot")]
CASES += [("fig01", "emulated")]
POWER_PANELS = 4

pytestmark = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)"
)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of all cases."""
    folder = tmp_path_factory.mktemp("tables")
    mimir_tables.write_tables(folder)
    write_study_tables("mimir", folder)
    return folder


def job(case: Case, tables: Path, stem: Path, **other: Path) -> Job:
    given = {name: tables / case[1] / f"{name}.csv" for name in TABLES[case[0]]}
    return Job(f"mimir/{case[0]}", given | other, stem, tables / "series.csv")


@pytest.fixture(scope="session")
def drawn(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Path]:
    """All cases drawn once, into a folder with a space in its name. Value: the path without extension."""
    folder = tmp_path_factory.mktemp("figures") / "with a space"
    stems = {case: folder / case[1] / case[0] for case in CASES}
    draw_well([job(case, made, stem) for case, stem in stems.items()], folder)
    return stems


@pytest.fixture(scope="session")
def variants(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Figures of tables in which something is otherwise than in every case."""
    folder = tmp_path_factory.mktemp("variants")
    seen: list[int] = []

    def one_row_emulated(row: Row) -> Row:
        wanted = row["app"] == "group-by-key" and row["platform"] == "knm" and row["domain"] == "package"
        if wanted and not seen:
            seen.append(1)
            row["source"] = "emulated:other"
        return row

    def emulated_energy(row: Row) -> Row:
        return row | ({"source": "emulated:knm-cube"} if row["metric"] == "energy.total" else {})

    def exact_clock(row: Row) -> Row:
        return row | {"source": "measured:perf-task-clock"}

    def no_knl(row: Row) -> Row | None:
        return None if row["platform"] == "knl" else row

    measured, none = made / "measured", made / "none"
    trace = edited(measured / "stages.trace.csv", folder / "t.csv", one_row_emulated)
    energy = edited(measured / "buffering.csv", folder / "b.csv", emulated_energy)
    some = {
        name: edited(none / f"{name}.csv", folder / f"{name}.csv", no_knl)
        for name in ("stages", "stages.trace")
    }
    exact = edited(none / "sampling.trace.csv", folder / "exact.csv", exact_clock)
    empty = edited(none / "combiner.trace.csv", folder / "empty.csv", lambda row: None)
    jobs = {
        "one emulated row": job(("fig01", "measured"), made, folder / "row", **{"stages.trace": trace}),
        "emulated energy": job(("sweetspot", "measured"), made, folder / "energy", buffering=energy),
        "no knl": job(("fig01", "none"), made, folder / "knl", **some),
        "exact clock": job(("fig06", "none"), made, folder / "clock", **{"sampling.trace": exact}),
        "no samples": job(("fig02", "none"), made, folder / "samples", **{"combiner.trace": empty}),
    }
    draw_well(list(jobs.values()), folder)
    return {name: one.stem for name, one in jobs.items()}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_svg_is_the_snapshot(case: Case, drawn: dict[Case, Path]) -> None:
    assert_snapshot(drawn[case], f"mimir/{case[0]}-{case[1]}")


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_no_text_is_clipped_or_overlaps(case: Case, drawn: dict[Case, Path]) -> None:
    assert_legible(drawn[case], least=11)


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_pdf_embeds_its_font_and_png_has_300_dpi(case: Case, drawn: dict[Case, Path]) -> None:
    pdf = drawn[case].with_suffix(".pdf").read_bytes()
    assert pdf.startswith(b"%PDF") and pdf.rstrip().endswith(b"%%EOF")
    assert b"Inter-Regular" in pdf and pdf.count(b"/FontFile3") == pdf.count(b"/FontDescriptor\n")
    png = drawn[case].with_suffix(".png").read_bytes()
    width_mm = 178
    assert int.from_bytes(png[16:20], "big") == round(width_mm / 25.4 * 300 - 0.5)
    at = png.index(b"pHYs")
    assert int.from_bytes(png[at + 4 : at + 8], "big") == round(300 / 0.0254)
    assert zlib.crc32(png[at : at + 13]) == int.from_bytes(png[at + 13 : at + 17], "big")


def test_svg_renders_without_the_font(drawn: dict[Case, Path]) -> None:
    text = svg(drawn["fig01", "none"])
    assert text.count("font-family:") == text.count('"Inter", "Helvetica Neue", Arial, sans-serif;') > 0


def test_the_same_bytes_again_elsewhere(made: Path, drawn: dict[Case, Path], tmp_path: Path) -> None:
    again = {figure: tmp_path / figure for figure in TABLES}
    jobs = [job((figure, "none"), made, stem) for figure, stem in again.items()]
    draw_well(jobs, tmp_path / "jobs", cwd=tmp_path, LC_ALL="C", TZ="Asia/Tokyo")
    for figure, stem in again.items():
        assert_same_files(stem, drawn[figure, "none"])


def test_emulated_power_is_marked_and_measured_is_not(drawn: dict[Case, Path]) -> None:
    emulated = svg(drawn["fig01", "emulated"])
    assert emulated.count("EMULATED (knm-cube)") == POWER_PANELS
    assert "EMULATED power (profile knm-cube)" in emulated and "no evidence" in emulated
    assert "EMULATED" not in svg(drawn["fig01", "measured"])
    assert "EMULATED" not in svg(drawn["fig01", "none"])


def test_the_mark_follows_the_rows(variants: dict[str, Path]) -> None:
    """One emulated row among measured ones marks its panel and no other."""
    assert svg(variants["one emulated row"]).count("EMULATED (other)") == 1


def test_emulated_energy_marks_the_sweet_spot(variants: dict[str, Path]) -> None:
    assert svg(variants["emulated energy"]).count("EMULATED (knm-cube)") == 1


def test_without_a_power_source_the_figure_says_so(drawn: dict[Case, Path]) -> None:
    text = shown(drawn["fig01", "none"])
    assert (
        "Not the paper\u2019s watts under three caps, but the CPU use of the ranks: no power source" in text
    )
    assert "(/sys/class/powercap has no zone that this user may read)" in text
    assert "CPU use of all ranks, cores" in text and "average power" not in text
    assert "Not run: caps 140 and 120 W (no power cap can be set on this machine: no powercap zone)" in text
    assert "average power, W" in shown(drawn["fig01", "measured"])


def test_captions_count_runs_and_name_what_failed(drawn: dict[Case, Path]) -> None:
    text = shown(drawn["fig02", "none"])
    assert "n = 2 to 3 runs" in text and "min to max" in text
    assert "1 run failed (rank 1 ended by signal 9)" in text
    assert "512 million words (paper: 4 billion), 2 ranks" in text
    assert "Sources: measured:clock, measured:procfs" in text


def test_the_paper_stands_beside(drawn: dict[Case, Path]) -> None:
    assert "paper: no run above 160 W" in shown(drawn["fig01", "measured"])
    assert "paper: no run above 160 W" not in shown(drawn["fig01", "none"])
    assert shown(drawn["fig01", "none"]).count("paper: +333 to +355 % over Map+Aggregate") == 2
    text = shown(drawn["sweetspot", "none"])
    assert "paper: sweet spot at 5,000 unique words" in text and "23K" in text
    table = shown(drawn["table1", "none"])
    assert "> 99 %" in table and "98 %" in table and "49,999,968" in table


def test_a_panel_without_runs_stays_and_says_so(variants: dict[str, Path]) -> None:
    assert shown(variants["no knl"]).count("no samples") == 2


def test_without_samples_the_runtimes_are_drawn(variants: dict[str, Path]) -> None:
    text = shown(variants["no samples"])
    assert "No run has samples over time" in text and "runtime, s" in text


def test_fine_samples_of_an_exact_clock_are_drawn(drawn: dict[Case, Path], variants: dict[str, Path]) -> None:
    ticks, exact = drawn["fig06", "none"], variants["exact clock"]
    assert "swing with the moment of reading" in shown(ticks)
    assert "the samples of the first repetition (thin) and their means over 100 ms (strong)" in shown(exact)
    assert svg(exact).count("<polyline") > svg(ticks).count("<polyline")


def test_figure_scripts_are_short() -> None:
    for path in (FIGURES / "mimir").glob("*.R"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path.name
