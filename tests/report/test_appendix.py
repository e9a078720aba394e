"""The forms for reviewers: they tell of every study from plan, verdicts and records; the appendix fits on two pages."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.claims.check import failed
from harness.claims.files import read_claims
from harness.claims.verdicts import Row, row_of
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.report.adae import artifacts, contributions
from harness.report.appendix import claims, experiments, values
from harness.report.parts import Part
from harness.report.review import ALL, LOOPBACK, Timed, read_timed, table

PROJECT = Path(__file__).parents[2]
ORIGIN = {
    "scale": "laptop",
    "runs": {"ok": 1000, "failed": 2},
    "machines": ["A processor_1, 2 cores, 25 GB, Debian"],
    "began": "2026-11-26T10:00:00",
}

needs_latex = pytest.mark.skipif(
    not shutil.which("latexmk"), reason="LaTeX is not installed (requirements-debian.txt, section paper)"
)


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    planner = choose(["scale=laptop"], PROJECT / "config")
    made = []
    for study in planner.config.studies.values():
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
        tables = list(planner.plan(study.id).tables.values())
        sizes = {"memory": 4_000_000_000, "disk": 500_000_000}
        made.append(Part(study=study, rows=rows, tables=tables, runs=100, seconds=754, **sizes))
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
    part = Part(study=first.study, rows=without, tables=[], runs=1, seconds=1, memory=1, disk=1)
    with pytest.raises(KvasirError, match=f"no verdict on its key claim {first.study.key_claim}"):
        claims([part])


def test_every_experiment_is_a_task_with_its_points_and_repetitions(parts: list[Part]) -> None:
    lines = artifacts(parts, "laptop").splitlines()
    assert len(contributions(parts).splitlines()) == len(parts)
    tasks = [line for line in lines if line.startswith(r"\task")]
    assert len(tasks) == sum(len(part.tables) for part in parts) > 30
    for part in parts:
        for experiment in part.study.experiments.values():
            assert any(experiment.title.split("&")[0].split("%")[0].strip() in task for task in tasks)
    (stages,) = [task for task in tasks if "Cost of the stages" in task]
    assert "{app, platform, cap\\_w}" in stages and "5 repetitions each" in stages


def test_minutes_are_by_the_clock_or_not_there(parts: list[Part], tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    path.write_text(
        'step,command,seconds,machine,day,network\nx,make kick,301.5,"A, 2 cores",2026-11-26,loopback\n',
        encoding="utf-8",
    )
    (timed,) = read_timed(path)
    assert timed == Timed("x", "make kick", 301.5, "A, 2 cores", "2026-11-26", LOOPBACK)
    said = values(parts, ORIGIN, [timed])
    assert r"\newcommand{\KvKick}{6}" in said and r"\newcommand{\KvSetup}{unknown}" in said
    shown = table([timed])
    assert "| `make kick` | 1 min: one screen, PASS or FAIL | 5 min 02 s |" in shown
    assert "not timed" in shown and "By the clock on A, 2 cores, 2026-11-26." in shown
    assert "Without a network: `make kick`." in shown
    elsewhere = Timed("x", "make kick", 178.0, "B, 4 cores", "2026-11-27", ALL)
    assert r"\newcommand{\KvKick}{3 to 6}" in values(parts, ORIGIN, [timed, elsewhere])
    shown = table([timed, elsewhere])
    assert "| you | machine 1 | machine 2 |\n| --- | --- | --- | --- | --- |\n" in shown
    assert "PASS or FAIL | 5 min 02 s | 2 min 58 s |" in shown and "| not timed | not timed |" in shown
    assert "Machine 1, by the clock: A, 2 cores, 2026-11-26. Without a network: `make kick`.\n" in shown
    assert shown.endswith("Machine 2, by the clock: B, 4 cores, 2026-11-27.")
    path.write_text("step,command,seconds\n", encoding="utf-8")
    with pytest.raises(KvasirError, match="no column 'machine'"):
        read_timed(path)


@needs_latex
def test_the_description_is_typeset(parts: list[Part], tmp_path: Path) -> None:
    texts = {
        "values": values(parts, ORIGIN),
        "contributions": contributions(parts),
        "artifacts": artifacts(parts, "laptop"),
    }
    text, pages = typeset("adae", texts, tmp_path)
    assert pages <= 5
    for place in range(1, len(parts) + 1):
        assert f"Artifact A{place}:" in text
    assert "make reproduce STUDIES=eee SCALE=laptop" in text


def typeset(form: str, texts: dict[str, str], folder: Path) -> tuple[str, int]:
    """Typeset a form; returns its text on one line and the number of pages."""
    for name, text in texts.items():
        (folder / f"{name}.tex").write_text(text, encoding="utf-8")
    command = ["bash", "scripts/typeset.sh", f"paper/{form}.tex", str(folder)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    pages = subprocess.run(
        ["pdftotext", folder / f"{form}.pdf", "-"], capture_output=True, text=True, check=True
    )
    return " ".join(pages.stdout.split()), pages.stdout.count("\f")


@needs_latex
def test_it_has_two_pages_at_most(parts: list[Part], tmp_path: Path) -> None:
    texts = {
        "values": values(parts, ORIGIN),
        "claims": claims(parts),
        "experiments": experiments(parts, "laptop"),
    }
    text, pages = typeset("appendix", texts, tmp_path)
    assert pages <= 2
    for place in range(1, len(parts) + 1):
        assert f"(C{place})" in text and f"(E{place})" in text
    assert "2 human-minutes + 13 compute-minutes" in text
