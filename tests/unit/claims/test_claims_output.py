"""Verdict tables as files and on a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from rich.console import Console
from small import RATIO, claim, run, timed, write_claims, write_table
from test_claims_errors import command

from harness.claims.terminal import show
from harness.claims.verdicts import COLUMNS, Row, read_csv
from harness.core.errors import KvasirError


def made(folder: Path) -> tuple[Path, Path]:
    """A verdict table of two claims, one with an emulated number, as CSV and JSON."""
    rows = timed(0.4, 0.3, 0.35) + run("c", 1, energy_pkg=(7.0, "emulated:box"))
    second = claim(
        id="S-2", check="SELECT energy_pkg AS value FROM s_e_runs", paper={"text": 'say "5", or\n6'}
    )
    claims = write_claims(folder / "s.yaml", claim(check=f"{RATIO.format('runtime')} ORDER BY 1"), second)
    csv, json_ = folder / "out" / "s.csv", folder / "out" / "s.json"
    tables = write_table(folder / "tables", rows)
    done = command("--claims", claims, "--tables", tables, "--output", csv, "--json", json_, "--have=big")
    assert (done.returncode, done.stderr) == (0, "")
    return csv, json_


def test_the_csv_is_what_the_report_reads(tmp_path: Path) -> None:
    csv, _ = made(tmp_path)
    first, second = read_csv(csv, "s")
    assert (first.verdict, first.value, first.low, first.high, first.n) == ("reproduced", 0.35, 0.3, 0.4, 3)
    assert (second.verdict, second.source, second.paper) == (
        "not testable here", "emulated:box", 'say "5", or\n6',
    )  # fmt: skip


def test_the_json_holds_every_value(tmp_path: Path) -> None:
    csv, json_ = made(tmp_path)
    data = json.loads(json_.read_text())
    assert data["counts"] == {"reproduced": 1, "not testable here": 1}
    assert data["tags"] == ["big"]
    assert [value["value"] for value in data["claims"][0]["values"]] == [0.3, 0.35, 0.4]
    for row, entry in zip(read_csv(csv), data["claims"], strict=True):
        assert row == Row.model_validate({key: entry[key] for key in COLUMNS})


def test_printing_to_a_file_is_one_plain_line_a_claim(tmp_path: Path) -> None:
    csv, _ = made(tmp_path)
    done = command("--print", csv, "--print", csv)
    lines = done.stdout.splitlines()
    assert len(lines) == 8
    assert lines[0].split("\t")[:3] == ["S-1", "reproduced", "0.35 [0.3, 0.4] n=3"]
    assert lines[1].split("\t")[:3] == ["S-2", "not testable here", "7 (emulated)"]
    assert lines[2] == (
        "s: 2 claims: 1 reproduced, 0 direction, 0 undecided, 0 contradicted, 0 paper inconsistent, 1 not testable"
        " here, 0 not run"
    )
    assert lines[3] == (
        "s: 1 reproduced by runs (1 measured, 0 simulated); apart from these 0 as arithmetic of the paper and 0 as"
        " property of this implementation"
    )
    assert "\x1b" not in done.stdout


def test_printing_to_a_terminal_is_a_table(tmp_path: Path) -> None:
    csv, _ = made(tmp_path)
    screen = io.StringIO()
    show(read_csv(csv), Console(file=screen, force_terminal=True, color_system="standard", width=100))
    text = screen.getvalue()
    assert "Verdicts: study s" in text
    assert "\x1b[32mreproduced" in text
    assert "S-2" in text


def test_printing_what_is_no_table_of_verdicts(tmp_path: Path) -> None:
    csv, _ = made(tmp_path)
    csv.write_text(csv.read_text()[:-20])
    with pytest.raises(KvasirError, match="the table of verdicts is cut off"):
        read_csv(csv)
    done = command("--print", tmp_path / "none.csv")
    assert done.returncode == 1
    assert "none.csv: the table of verdicts cannot be read" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "emulated:box"},
        {"n": 0, "value": None},
        {"verdict": "not run", "reason": ""},
        {"verdict": "maybe"},
        {"n": 0},
    ],
)
def test_a_row_that_says_too_much_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    csv, _ = made(tmp_path)
    good = read_csv(csv)[0].model_dump()
    with pytest.raises(ValidationError):
        Row.model_validate({**good, **wrong})
