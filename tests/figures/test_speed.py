"""The figure of `make bench`, from tables that its comparisons write."""

import shutil
import sys
from pathlib import Path

import pytest
from drawing import ROOT, Job, assert_legible, draw_many, draw_well, shown

sys.path.insert(0, str(ROOT / "src/engine/bench"))
import compare
import sorts
from measured_run import Usage

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="no Rscript: run make setup")


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Three rounds of the yardstick and two programs on two texts."""
    report = compare.Report((8_000_000, 72, 1), 1.0, 1 << 20)
    measured = []
    for data, unique in (("u72", 72), ("zipf", 1_111_104)):
        for turn in (1, 2, 3):
            text = (data, 8_000_000, unique, 48_000_000)
            base = compare.Measured(*text, compare.YARDSTICK, turn, Usage(0.5, 0.5), report)
            measured.append(base)
            for program, cpu in (("reduce-by-key, 1 rank", 1.0), ("reduce-by-key, 2 ranks", 1.2)):
                usage = Usage(cpu + 0.1 * turn, 1.0)
                measured.append(compare.Measured(*text, program, turn, usage, report, base))
    compare.write_csv(measured, tmp_path / "words.csv")
    return tmp_path / "words.csv"


@pytest.fixture
def sorted_records(tmp_path: Path) -> Path:
    """Two rounds of three sorts."""
    measured = [
        sorts.Measured(sorts.Program(name, 1, []), turn, Usage(cpu + 0.1 * turn, 1.0), 1.0, 5_000_000)
        for turn in (1, 2)
        for name, cpu in ((sorts.YARDSTICK, 0.9), ("sort-records, 1 rank", 1.2), ("sort --parallel=1", 2.0))
    ]
    sorts.write_csv(measured, tmp_path / "sorts.csv")
    return tmp_path / "sorts.csv"


def test_all_rounds_of_all_programs_are_drawn(words: Path, sorted_records: Path, tmp_path: Path) -> None:
    stem = tmp_path / "drawn" / "speed"
    draw_well([Job("bench/speed", {"words": words, "sorts": sorted_records}, stem)], tmp_path)
    assert_legible(stem, least=11)
    text = shown(stem)
    for said in (
        "u72: 8M words, 72 distinct",
        "zipf: 8M words, 1.1M distinct",
        "sort: 5M records of 100 bytes",
    ):
        assert said in text
    assert "reduce-by-key, 2 ranks" in text and "sort --parallel=1" in text and "yardstick" not in text
    assert "all n = 2 to 3 rounds" in text


def test_without_a_program_there_is_nothing_to_draw(
    words: Path, sorted_records: Path, tmp_path: Path
) -> None:
    for path in (words, sorted_records):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([lines[0], *(line for line in lines[1:] if "yardstick" in line)]))
    job = Job("bench/speed", {"words": words, "sorts": sorted_records}, tmp_path / "speed")
    (drawn,) = draw_many([job], tmp_path)
    assert drawn.status == 1 and "no program but the yardsticks" in drawn.said
    assert not list(tmp_path.glob("*.svg"))
