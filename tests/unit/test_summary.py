"""What is said after a run, whatever it made."""

import subprocess
import sys
from pathlib import Path

import yaml

from harness.claims.verdicts import Row, write_csv

PROJECT = Path(__file__).parents[2]


def summary(folder: Path, *choices: str) -> subprocess.CompletedProcess[str]:
    """The ending of a run in a folder that has the configuration."""
    if not (folder / "config").exists():
        (folder / "config").symlink_to(PROJECT / "config")
    return subprocess.run(
        [sys.executable, PROJECT / "scripts/summary.py", *choices],
        cwd=folder, env={"PYTHONPATH": str(PROJECT / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_studies_without_verdicts_are_named(tmp_path: Path) -> None:
    done = summary(tmp_path, "scale=laptop", "studies=mimir,eee")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == [
        "no verdicts yet: mimir, eee",
        "runs:    0, of which 0 failed or timed out",
    ]
    assert "report:  none yet" in done.stdout
    row = Row(
        id="EEE-01", study="eee", tier=1, where="", statement="It sleeps.", verdict="not run", basis=None,
        reason="no runs", value=None, low=None, high=None, n=0, unit="", paper="", source="none", figure="",
        explanation="",
    )  # fmt: skip
    results = yaml.safe_load((PROJECT / "config/sites/local.yaml").read_text()).get("results", "results")
    write_csv([row], tmp_path / results / "laptop" / "claims" / "eee.csv")
    done = summary(tmp_path, "scale=laptop", "studies=mimir,eee")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no verdicts yet: mimir\n" in done.stdout
    assert "1 claims were not tested:\n    1  no runs\n" in done.stdout
    assert "EEE-01" not in done.stdout, "one screen"
    assert "EEE-01\tnot run\t-\tno runs" in summary(tmp_path, "--all", "scale=laptop", "studies=eee").stdout
