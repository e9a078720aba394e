"""The figure of all studies: a line a change, our median with its range beside the paper's."""

import csv
import shutil
from pathlib import Path

import pytest
from drawing import ROOT, Job, assert_legible, draw_well, shown

from harness.claims.files import read_claims
from harness.claims.levers import COLUMNS, effects
from harness.claims.verdicts import read_csv, text_of
from harness.config.load import read_levers

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="no Rscript: run make setup")


def table(path: Path, studies: set[str]) -> Path:
    """Write the effects of our own runs of some studies."""
    files = [read_claims(file) for file in (ROOT / "config/claims").glob("*.yaml")]
    rows = [
        row for study in studies for row in read_csv(ROOT / f"reference/laptop/claims/{study}.csv", study)
    ]
    found = effects(
        read_levers(ROOT / "config/levers.yaml"),
        {claim.id: claim for file in files for claim in file.claims},
        {row.id: row for row in rows},
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        written.writeheader()
        written.writerows({name: text_of(value) for name, value in row.items()} for row in found)
    return path


def test_every_change_has_its_line_and_what_is_missing_is_named(tmp_path: Path) -> None:
    every = table(tmp_path / "every.csv", {"mimir", "eee", "mrev", "hpc", "nvm"})
    one = table(tmp_path / "one.csv", {"eee"})
    stems = {name: tmp_path / "drawn" / name for name in ("every", "one")}
    jobs = [
        Job("together/levers", {"levers": path}, stems[name])
        for name, path in (("every", every), ("one", one))
    ]
    draw_well(jobs, tmp_path)
    for stem in stems.values():
        assert_legible(stem, least=11)
        text = shown(stem)
        for lever in read_levers(ROOT / "config/levers.yaml").values():
            assert lever.label in text
    assert "Emulated links, limited to 25 and 250 Mbit/s" in shown(stems["every"])
    assert "measured:clock" in shown(stems["every"]) and "measured:clock" not in shown(stems["one"])
    assert "MIMIR-15" in shown(stems["one"]).partition("No value here")[2]
