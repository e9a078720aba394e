"""Two folders of results held against each other."""

import csv
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.claims.compare import Difference, compare, read_results
from harness.claims.verdicts import COLUMNS as CLAIM
from harness.core.errors import KvasirError

PROJECT = Path(__file__).parents[2]
TABLE = ["study", "experiment", "point", "rep", "order", "nodes", "metric", "value", "unit", "source"]
ROWS = [
    ["eee", "load", "a", "1", "7", "24", "makespan", "152.5", "s", "simulated:netsim"],
    ["eee", "load", "a", "1", "7", "24", "saving", "0.25", "1", "analytic"],
    ["eee", "load", "a", "1", "7", "24", "time.total", "1.5", "s", "measured:clock"],
]
VERDICT = {"id": "EEE-01", "study": "eee", "tier": "1", "verdict": "reproduced", "value": "3", "n": "1"}
Change = Callable[[list[list[str]], dict[str, str]], object]


def results(folder: Path, change: Change = lambda rows, verdict: None) -> Path:
    rows, verdict = [list(row) for row in [TABLE, *ROWS]], dict(VERDICT)
    change(rows, verdict)
    for name, lines in {
        "tables/eee/load.csv": rows,
        "tables/eee/load.trace.csv": [
            ["study", "t_s", "value", "source"],
            ["eee", "0", "1", "simulated:netsim"],
        ],
        "claims/eee.csv": [list(CLAIM), [verdict.get(name, "") for name in CLAIM]],
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    return folder


def differences(tmp_path: Path, change: Change) -> list[Difference]:
    one, other = results(tmp_path / "one"), results(tmp_path / "other", change)
    return compare(read_results(one), read_results(other)).differences


def test_what_a_clock_measures_and_the_order_of_runs_may_differ(tmp_path: Path) -> None:
    def change(rows: list[list[str]], verdict: dict[str, str]) -> None:
        rows[3][7] = "2.5"
        for row in rows[1:]:
            row[4] = "1"
        verdict["value"] = "4"

    one, other = results(tmp_path / "one"), results(tmp_path / "other", change)
    found = compare(read_results(one), read_results(other))
    assert (found.tables, found.exact, found.verdicts, found.differences) == (2, 3, 1, [])


@pytest.mark.parametrize(("row", "metric"), [(1, "makespan"), (2, "saving")])
def test_a_simulated_or_computed_number_may_not(tmp_path: Path, row: int, metric: str) -> None:
    def change(rows: list[list[str]], verdict: dict[str, str]) -> None:
        rows[row][7] += "1"

    (found,) = differences(tmp_path, change)
    kept, unit_and_source = ROWS[row - 1][7], " ".join(ROWS[row - 1][8:])
    assert found == Difference(
        "numbers", f"tables/eee/load.csv: eee load a 1 24 {metric} {unit_and_source}", kept, f"{kept}1"
    )


def test_a_number_that_only_one_has(tmp_path: Path) -> None:
    (found,) = differences(tmp_path, lambda rows, verdict: rows.pop(2))
    assert found == Difference(
        "numbers", "tables/eee/load.csv: eee load a 1 24 saving 1 analytic", "0.25", "none"
    )


def test_other_columns_and_missing_tables(tmp_path: Path) -> None:
    (found,) = differences(tmp_path, lambda rows, verdict: [row.insert(5, "gbe") for row in rows])
    assert (found.kind, found.where) == ("columns", "tables/eee/load.csv")
    (tmp_path / "other/tables/eee/load.csv").unlink()
    one, other = tmp_path / "one", tmp_path / "other"
    (found,) = compare(read_results(one), read_results(other)).differences
    assert found == Difference("table", "tables/eee/load.csv", "there", "missing")


def test_another_verdict(tmp_path: Path) -> None:
    (found,) = differences(tmp_path, lambda rows, verdict: verdict.update(verdict="contradicted", value="9"))
    assert found == Difference("verdict", "EEE-01", "reproduced, 3", "contradicted, 9")


def test_what_is_no_folder_of_results(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match="expected a folder results/<scale> with tables, found none"):
        read_results(tmp_path)
    table = results(tmp_path) / "tables/eee/load.csv"
    table.write_bytes(b'\xff\xfe\0a,b\n"')
    with pytest.raises(KvasirError, match=r"load\.csv: not a table of results"):
        read_results(tmp_path)


def test_the_command_ends_like_diff(tmp_path: Path) -> None:
    one, same = results(tmp_path / "one"), results(tmp_path / "same")
    other = results(tmp_path / "other", lambda rows, verdict: verdict.update(verdict="contradicted"))

    def run(*folders: Path) -> tuple[int, str]:
        command = [sys.executable, str(PROJECT / "scripts/compare.py"), *map(str, folders)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert run(one, same)[0] == 0
    code, said = run(one, other)
    assert code == 1 and "claims in both: 1, with another verdict: 1" in said and "EEE-01" in said
    code, said = run(one, tmp_path / "nowhere")
    assert code == 1 and "Traceback" not in said and "found none" in said
