"""The paper is typeset from verdicts: every study has its section, and no sentence outlives the verdict it tells."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.claims.check import failed
from harness.claims.files import read_claims
from harness.claims.verdicts import Row, read_csv, row_of
from harness.config import Study
from harness.plan.planner import choose
from harness.report import paper
from harness.report.parts import Part

PROJECT = Path(__file__).parents[2]
SNAPSHOTS = PROJECT / "tests" / "figures" / "snapshots"
SECTIONS = sorted((PROJECT / "paper" / "studies").glob("*.tex"))
ORIGIN = json.loads((PROJECT / "reference/laptop/provenance.json").read_text(encoding="utf-8"))

needs_latex = pytest.mark.skipif(
    not shutil.which("latexmk"), reason="LaTeX is not installed (requirements-debian.txt, section paper)"
)


@pytest.fixture(scope="module")
def studies() -> list[Study]:
    return list(choose(["scale=laptop"], PROJECT / "config").config.studies.values())


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory, studies: list[Study]) -> Path:
    """A figure for each that the text includes, all alike: one that the tests of figures drew."""
    folder = tmp_path_factory.mktemp("pictures")
    some = folder / "some.pdf"
    picture = sorted((SNAPSHOTS / "eee").glob("fig09*.svg"))[0]
    subprocess.run(["rsvg-convert", "--format=pdf", f"--output={some}", picture], check=True)
    for text in SECTIONS:
        for name in re.findall(r"\\Figure\{(.+?)\}", text.read_text(encoding="utf-8")):
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(some, folder / f"{name}.pdf")
    shutil.copy(some, folder / "levers.pdf")
    return folder


def part(study: Study, rows: list[Row]) -> Part:
    return Part(
        study=study, rows=rows, tables=[], runs=100, seconds=754, memory=4_000_000_000, disk=500_000_000
    )


def typeset(
    folder: Path, parts: list[Part], pictures: Path
) -> tuple[subprocess.CompletedProcess[str], str, int]:
    """Typeset the paper in a folder; returns the process, its text on one line and the number of pages."""
    shutil.copytree(pictures, folder / "figures")
    there = folder / "the paper"
    there.mkdir()
    texts = {
        "values": paper.values(parts, ORIGIN),
        "studies": paper.studies(parts),
        "figures": paper.figures(parts),
        "references": paper.references(parts),
        "verdicts": paper.verdict_table([row for one in parts for row in one.rows]),
    }
    for name, text in texts.items():
        (there / f"{name}.tex").write_text(text, encoding="utf-8")
    command = ["bash", "scripts/typeset.sh", "paper/kvasir.tex", there]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        return done, "", 0
    read = subprocess.run(
        ["pdftotext", there / "kvasir.pdf", "-"], capture_output=True, text=True, check=True
    )
    return done, " ".join(read.stdout.split()), read.stdout.count("\f")


@needs_latex
def test_of_our_own_runs_it_has_twelve_pages_and_supposes_no_other_verdict(
    tmp_path: Path, studies: list[Study], pictures: Path
) -> None:
    parts = [
        part(study, read_csv(PROJECT / f"reference/laptop/claims/{study.id}.csv", study.id))
        for study in studies
    ]
    done, pages, number = typeset(tmp_path, parts, pictures)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "the text supposes" not in done.stdout, "a sentence of the paper tells of another verdict"
    assert 0 < number <= 12
    for one in parts:
        assert one.study.question.split()[-1] in pages
        for row in one.rows:
            assert row.id in pages
    assert "No section has been written" not in pages


@needs_latex
def test_without_a_value_each_sentence_gives_way_to_the_verdict(
    tmp_path: Path, studies: list[Study], pictures: Path
) -> None:
    parts = [
        part(study, [row_of(study.id, claim, failed("nothing has run"), set()) for claim in file.claims])
        for study in studies
        for file in [read_claims(PROJECT / "config" / "claims" / f"{study.id}.yaml")]
    ]
    done, pages, _ = typeset(tmp_path, parts, pictures)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "the text supposes direction for MIMIR-15" in done.stdout
    assert "The combiner saves more than the paper says" not in pages
    assert "here: no value" in pages


@needs_latex
def test_a_claim_that_does_not_exist_is_an_error(
    tmp_path: Path, studies: list[Study], pictures: Path
) -> None:
    rows = read_csv(PROJECT / "reference/laptop/claims/mimir.csv", "mimir")
    study = next(study for study in studies if study.id == "mimir")
    done, _, _ = typeset(tmp_path, [part(study, rows)], pictures)
    assert done.returncode != 0
    assert "no claim is called" in done.stdout


def test_every_study_has_a_section_and_no_section_holds_a_typed_result(studies: list[Study]) -> None:
    assert {path.stem for path in SECTIONS} == {study.id for study in studies}
    for path in (PROJECT / "paper" / "kvasir.tex", *SECTIONS):
        text = re.sub(r"%.*", "", path.read_text(encoding="utf-8").replace(r"\%", "PERCENT"))
        body = text.partition(r"\begin{document}")[2] or text
        typed = re.findall(r"\b[0-9][0-9.,]*\s*(?:PERCENT|times\b|~?J\b|W\b|s\b|MB\b)|\b0\.[0-9]+", body)
        typed = [one for one in typed if "textwidth" not in one]
        allowed = {"0.9"} if path.stem == "kvasir" else set()
        assert set(typed) <= allowed, f"{path.name}: {typed}"
