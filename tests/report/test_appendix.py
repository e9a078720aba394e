"""The artifact appendix: it tells of every study from verdicts and records, and fits on two pages."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.claims.check import failed
from harness.claims.files import read_claims
from harness.claims.verdicts import Row, row_of
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.report.appendix import claims, experiments, values
from harness.report.parts import Part

PROJECT = Path(__file__).parents[2]
ORIGIN = {
    "scale": "laptop",
    "runs": {"ok": 1000, "failed": 2},
    "machines": ["A processor_1, 2 cores, 25 GB, Debian"],
    "began": "2026-11-26T10:00:00",
}


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    config = choose(["scale=laptop"], PROJECT / "config").config
    made = []
    for study in config.studies.values():
        file = read_claims(PROJECT / "config/claims" / f"{study.id}.yaml")
        rows = [row_of(study.id, claim, failed("nothing has run"), set()) for claim in file.claims]
        key = {
            "verdict": "reproduced",
            "value": 41.5,
            "low": 40.0,
            "high": 43.0,
            "n": 5,
            "source": "measured:clock",
        }
        rows = [
            Row.model_validate({**row.model_dump(), **key}) if row.id == study.key_claim else row
            for row in rows
        ]
        made.append(
            Part(study=study, rows=rows, runs=100, seconds=754, memory=4_000_000_000, disk=500_000_000)
        )
    return made


def test_it_names_every_study_with_claim_minutes_and_command(parts: list[Part]) -> None:
    told, done = claims(parts).splitlines(), experiments(parts, "laptop").splitlines()
    assert len(told) == len(done) == len(parts) >= 5
    for place, (part, claim, experiment) in enumerate(zip(parts, told, done, strict=True), 1):
        assert claim.startswith(rf"\claim{{C{place}}}") and claim.endswith(rf"{{reproduced}}{{E{place}}}")
        assert part.study.key_claim in claim and "41.5" in claim and "[40, 43] n=5" in claim
        assert f"STUDIES={part.study.id} SCALE=laptop" in experiment
        assert "{13}{4.0}{0.5}" in experiment, "12.6 minutes, GB of memory and disk"
        assert f"{{{len(part.rows)}}}" in experiment
    assert r"\newcommand{\KvRuns}{1002}" in values(parts, ORIGIN)
    assert r"\newcommand{\KvFailed}{2}" in values(parts, ORIGIN)


def test_a_study_without_a_verdict_on_its_key_claim_is_an_error(parts: list[Part]) -> None:
    first = parts[0]
    without = [row for row in first.rows if row.id != first.study.key_claim]
    part = Part(study=first.study, rows=without, runs=1, seconds=1, memory=1, disk=1)
    with pytest.raises(KvasirError, match=f"no verdict on its key claim {first.study.key_claim}"):
        claims([part])


@pytest.mark.skipif(
    not shutil.which("latexmk"), reason="LaTeX is not installed (requirements-debian.txt, section paper)"
)
def test_it_has_two_pages_at_most(parts: list[Part], tmp_path: Path) -> None:
    texts = {
        "values": values(parts, ORIGIN),
        "claims": claims(parts),
        "experiments": experiments(parts, "laptop"),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.tex").write_text(text, encoding="utf-8")
    command = ["bash", "scripts/typeset.sh", "paper/appendix.tex", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    pages = subprocess.run(
        ["pdftotext", tmp_path / "appendix.pdf", "-"], capture_output=True, text=True, check=True
    )
    assert pages.stdout.count("\f") <= 2
    text = " ".join(pages.stdout.split())
    for place in range(1, len(parts) + 1):
        assert f"(C{place})" in text and f"(E{place})" in text
    assert "2 human-minutes + 13 compute-minutes" in text
