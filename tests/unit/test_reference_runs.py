"""The archive of our own runs: whole, of the studies as they are configured, and what the README says of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.claims.files import read_claims
from harness.claims.verdicts import read_csv
from harness.config.archive import PROVENANCE, read_provenance
from harness.plan.planner import Planner, choose
from harness.results.archive import VERDICTS, check_sums, unpack
from harness.results.layout import run_files

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "reference"
SCALES = sorted(path.parent.name for path in REFERENCE.glob(f"*/{PROVENANCE}"))


def test_there_is_one_of_scale_laptop() -> None:
    assert "laptop" in SCALES
    assert set(read_provenance(REFERENCE, "laptop").studies) == set(
        choose([], PROJECT / "config").config.studies
    )


@pytest.mark.parametrize("scale", SCALES)
def test_it_is_whole_and_holds_the_runs_that_are_planned(
    scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_sums(REFERENCE / scale)
    monkeypatch.chdir(tmp_path)
    for name in ("config", "src", "reference"):
        (tmp_path / name).symlink_to(PROJECT / name)
    planner: Planner = choose([f"scale={scale}", "replay=reference"])
    unpack(Path("reference"), scale, Path(planner.config.results))
    tables = planner.tables
    planned = {
        (runs.folder, rep) for t in tables for runs in t.runs.values() for rep in range(runs.repetitions)
    }
    assert len(run_files(tables)) == len(planned) > 100


@pytest.mark.parametrize("scale", SCALES)
def test_its_verdicts_are_on_the_claims_as_they_stand(scale: str) -> None:
    for study in read_provenance(REFERENCE, scale).studies:
        stated = read_claims(PROJECT / "config/claims" / f"{study}.yaml").claims
        found = read_csv(REFERENCE / scale / VERDICTS / f"{study}.csv", study)
        assert [row.id for row in found] == [claim.id for claim in stated]
        assert not [row.id for row in found if row.verdict == "check failed"]


def test_the_readme_shows_its_verdicts() -> None:
    command = [sys.executable, "scripts/readme.py", "--check"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
