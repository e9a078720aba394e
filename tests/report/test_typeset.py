"""The write-up is typeset with the figures and claims of all studies."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.claims.check import failed
from harness.claims.files import read_claims
from harness.claims.verdicts import row_of
from harness.plan.planner import choose
from harness.report.latex import figure_list, values, verdict_table

PROJECT = Path(__file__).parents[2]
SNAPSHOTS = PROJECT / "tests" / "figures" / "snapshots"


def draw(study: str, figure: str, output: Path) -> None:
    """Write a figure as PDF: as it was drawn in the tests of figures, or one of the study's others."""
    there = [
        path
        for path in sorted((SNAPSHOTS / study).glob("*.svg"))
        if re.split(r"[-.]", path.name)[0] == figure
    ]
    picture = [*there, *sorted((SNAPSHOTS / study).glob("*.svg"))][0]
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["rsvg-convert", "--format=pdf", f"--output={output}", picture], check=True)


@pytest.mark.skipif(
    not shutil.which("latexmk"), reason="LaTeX is not installed (requirements-debian.txt, section paper)"
)
def test_all_figures_of_all_studies(tmp_path: Path) -> None:
    config = choose(["scale=laptop"], PROJECT / "config").config
    studies = list(config.studies.values())
    figures = [(study.id, figure.id) for study in studies for figure in study.figures]
    assert len(figures) > 50
    for study, figure in figures:
        draw(study, figure, tmp_path / "figures" / study / f"{figure}.pdf")
    rows = []
    for study in studies:
        file = read_claims(PROJECT / "config" / "claims" / f"{study.id}.yaml")
        rows += [row_of(study.id, claim, failed("nothing has run"), set()) for claim in file.claims]
    folder = tmp_path / "paper"
    folder.mkdir()
    parts = {
        "values": values(config, 773, rows),
        "verdicts": verdict_table(rows),
        "figures": figure_list(studies),
    }
    for name, text in parts.items():
        (folder / f"{name}.tex").write_text(text, encoding="utf-8")
    command = ["bash", "scripts/typeset.sh", "paper/kvasir.tex", folder]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    pages = subprocess.run(
        ["pdftotext", folder / "kvasir.pdf", "-"], capture_output=True, text=True, check=True
    ).stdout
    for number in range(1, len(figures) + 1):
        assert re.search(rf"\bFigure {number}: ", pages), f"figure {number} of {len(figures)}"
    for row in rows:
        assert row.id in pages
