"""Wrong claim files, wrong SQL and broken tables: one clear message, exit code 1, no file under a final name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small import claim, run, timed, verdict, write_claims, write_table

from harness.claims.ahead import planned_tables, refuse_wrong_claims
from harness.claims.check import CheckError, bound, check_claims, tables_used
from harness.claims.database import build, discover
from harness.claims.files import all_checks, read_claims
from harness.claims.verdicts import Row, read_csv
from harness.core.errors import KvasirError
from harness.plan.planner import choose
from harness.results.tables import metric_table

PROJECT = Path(__file__).parents[3]


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/claims.py", *map(str, arguments)],
        cwd=PROJECT, env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def refused(folder: Path, **changes: Any) -> str:
    """The message for `claim(**changes)` beside a good one over a good table."""
    tables = write_table(folder / "tables", timed(0.4, 0.4, 0.4))
    claims = write_claims(folder / "s.yaml", claim(), claim(**{"id": "S-2", **changes}))
    try:
        file, known = read_claims(claims), discover(tables)
    except KvasirError as error:
        return str(error)
    database = build(tables_used(all_checks(file), known), file.metrics)
    for check in all_checks(file):
        try:
            bound(database, known, check)
        except CheckError as error:
            return f"{claims}: {error}"
    good, bad = check_claims(claims, tables, []).rows
    assert (good.verdict, bad.verdict) == ("reproduced", "check failed")
    return bad.reason


def judged_beside(folder: Path, **changes: Any) -> list[Row]:
    """The rows of a file with a good claim and `claim(**changes)`."""
    tables = write_table(folder / "tables", timed(0.4, 0.4, 0.4))
    claims = write_claims(folder / "s.yaml", claim(), claim(**{"id": "S-2", **changes}))
    return check_claims(claims, tables, []).rows


def refusal(claims: Path, tables: Path) -> str:
    with pytest.raises(KvasirError) as caught:
        check_claims(claims, tables, [])
    return str(caught.value)


def nothing_written(folder: Path, claims: Path, tables: Path) -> str:
    """What the command says when it refuses, after seeing that it left no file."""
    out = folder / "out"
    done = command(
        "--claims", claims, "--tables", tables, "--output", out / "s.csv", "--json", out / "s.json"
    )
    assert done.returncode == 1
    assert not out.exists() or not list(out.iterdir())
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error:") == 1
    return " ".join(done.stderr.split())


def test_the_command_says_one_thing_and_writes_nothing(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    path = tables / "s" / "e.csv"
    path.write_text(path.read_text()[:-5])
    good = write_claims(tmp_path / "s.yaml", claim())
    assert f"error: {path}: cut off" in nothing_written(tmp_path, good, tables)


WRONG: list[dict[str, Any]] = [
    {"check": "SELECT rntime AS value FROM s_e_runs"},
    {"check": "SELECT runtime AS value FROM s_f_runs"},
    {"check": "SELECT app AS value FROM s_e_runs"},
    {"check": "SELECT runtime AS value FROM s_e_runs WHERE"},
    {"direction": {"op": "<", "value": 1, "check": "SELECT rntime AS value FROM s_e_runs"}},
    {"figur": "fig01"},
    {"tier": "first"},
    {"needs": ["gpu"]},
]


@pytest.mark.parametrize("changes", WRONG)
def test_a_wrong_claim_takes_no_other_down(tmp_path: Path, changes: dict[str, Any]) -> None:
    good, bad = judged_beside(tmp_path, **changes)
    assert (good.id, good.verdict) == ("S-1", "reproduced")
    assert (bad.id, bad.verdict, bad.n) == ("S-2", "check failed", 0)
    assert bad.statement == good.statement
    assert bad.reason


def test_an_id_that_is_there_twice_is_no_verdict(tmp_path: Path) -> None:
    (row,) = judged_beside(tmp_path, id="S-1")
    assert (row.id, row.verdict) == ("S-1", "check failed")
    assert "claim S-1 is there 2 times" in row.reason


def test_a_wrong_tag_fails_the_claims_that_need_it(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    tags = {"long": {"meaning": "long runs", "check": "SELECT rntime AS value FROM s_e_runs"}}
    claims = write_claims(tmp_path / "s.yaml", claim(), claim(id="S-2", needs=["long"]), tags=tags)
    good, bad = check_claims(claims, tables, []).rows
    assert (good.verdict, bad.verdict) == ("reproduced", "check failed")
    assert bad.reason.startswith("tag long: check:")


@pytest.mark.parametrize(
    "text", ["claims: [", "", "- 1\n", "study: s\nclaims: 3\n", "study: s\nclaims: [1, {id: 2}]\n"]
)
def test_a_file_that_holds_no_claims_still_has_a_table(tmp_path: Path, text: str) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    (tmp_path / "s.yaml").write_text(text)
    out = tmp_path / "out" / "s.csv"
    done = command(
        "--claims",
        tmp_path / "s.yaml",
        "--tables",
        tables,
        "--output",
        out,
        "--json",
        out.with_suffix(".json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = read_csv(out)
    assert rows
    assert all(row.verdict == "check failed" and str(tmp_path / "s.yaml") in row.reason for row in rows)


def test_before_the_first_run_each_mistake_is_one_line(tmp_path: Path) -> None:
    planner = choose(["scale=smoke", "studies=mimir"], PROJECT / "config")
    refuse_wrong_claims(planner, PROJECT / "config" / "claims")
    text = (PROJECT / "config" / "claims" / "mimir.yaml").read_text()
    file = tmp_path / "mimir.yaml"
    file.write_text(
        text.replace("SELECT knm.runtime / knl.runtime", "SELECT knm.rntime / knl.runtime", 1)
        .replace("FROM mimir_combiner_runs", "FROM mimir_combine_runs", 1)
        .replace("FROM mimir_stages_runs", "FORM mimir_stages_runs", 1)
    )
    with pytest.raises(KvasirError) as caught:
        refuse_wrong_claims(planner, tmp_path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{file}: ") for line in lines)
    assert any("no table mimir_combine_runs" in line for line in lines)
    assert any("rntime" in line and "available: mimir_stages_runs(" in line for line in lines)
    file.write_text(text.replace("    figure: ", "    figur: ", 1))
    with pytest.raises(KvasirError, match=r"mimir.yaml: claims.0.figur: .*no such key is known"):
        refuse_wrong_claims(planner, tmp_path)
    file.write_text(text.replace("- id: MIMIR-15\n", "- id: MIMIR-99\n", 1))
    with pytest.raises(KvasirError, match="no claim MIMIR-15, which key_claim of study mimir names"):
        refuse_wrong_claims(planner, tmp_path)


@pytest.mark.parametrize("study", ["mimir", "eee", "mrev", "hpc"])
def test_planned_tables_have_the_columns_of_those_that_are_made(study: str) -> None:
    planner = choose(["scale=smoke"], PROJECT / "config")
    columns = {table.name: list(columns) for table, columns in planned_tables(planner, study).items()}
    for name, spec in planner.plan(study).tables.items():
        nothing = metric_table(spec.model_copy(update={"runs": {}, "not_run": []}))
        assert columns[f"{study}_{name}"] == nothing.columns


def test_a_claim_on_shuffled_bytes_is_a_check_of_counters(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PROJECT / "config", tmp_path / "config"))
    study = folder / "studies/hpc.yaml"
    of_a_figure = study.read_text().replace("[terasort, terasort.tasks]", "[terasort, terasort.counters]")
    study.write_text(of_a_figure)
    columns = planned_tables(choose(["scale=smoke"], folder), "hpc")
    (table,) = [table for table in columns if table.name == "hpc_terasort_counters"]
    assert [*columns[table]][-4:] == ["kind", "counter_group", "counter", "value"]

    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    lines = [
        f"p,{rep},{kind},REDUCE_SHUFFLE_BYTES,{2**62}" for rep in (1, 2, 3) for kind in ("all", "reduce")
    ]
    (tables / "s/e.counters.csv").write_text("\n".join(["point,rep,kind,counter,value", *lines, ""]))
    check = "SELECT value AS value FROM s_e_counters WHERE kind = 'all' AND counter = 'REDUCE_SHUFFLE_BYTES'"
    literal = {"op": "=", "value": 2.0**62, "tolerance": "none"}
    claims = write_claims(tmp_path / "s.yaml", claim(check=check, literal=literal, direction=[]))
    (row,) = check_claims(claims, tables, []).rows
    assert (row.verdict, row.value, row.n) == ("reproduced", 2.0**62, 3), row.reason


def test_a_wrong_column_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    message = refused(tmp_path, check="SELECT rntime AS value FROM s_e_runs")
    assert f"{tmp_path}/s.yaml: claim S-2: check:" in message
    assert "rntime" in message
    assert (
        "available: s_e_runs(study, experiment, point, rep, app, cap_w, cpu_mean, energy_pkg, runtime)"
        in message
    )


def test_a_metric_that_the_file_does_not_declare_is_no_column(tmp_path: Path) -> None:
    """The plan knows no metrics: a check that passed before the runs must not meet others afterwards."""
    rows = [row for rep in (1, 2, 3) for row in run("a", rep, runtime=(1, "measured:clock"), maps=(4, "log"))]
    named = "SELECT maps AS value FROM s_e_runs JOIN (SELECT rep, 7 AS maps FROM s_e_runs) USING (rep)"
    found = verdict(tmp_path, rows, check=named, literal={"op": "=", "value": 7, "tolerance": "none"})
    assert (found.verdict, found.value) == ("reproduced", 7)


def test_a_wrong_column_is_found_also_where_no_verdict_would_read_it(tmp_path: Path) -> None:
    direction = {"op": "<", "value": 1, "check": "SELECT rntime AS value FROM s_e_runs"}
    assert "claim S-2: direction 1:" in refused(tmp_path, direction=direction)


def test_a_table_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    message = refused(tmp_path, check="SELECT runtime AS value FROM s_f_runs")
    assert "claim S-2: check: no table s_f_runs; there are: s_e, s_e_runs" in message


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("SELECT runtime FROM s_e_runs", "gives columns runtime; expected value"),
        ("SELECT runtime AS value, rep FROM s_e_runs", "gives columns value, rep; expected value"),
        ("SELECT app AS value FROM s_e_runs", "Could not convert string 'a' to DOUBLE"),
        ("SELECT runtime AS value FROM s_e_runs WHERE", "Parser Error"),
        ("DROP TABLE s_e", "Only SELECT statements"),
        ("SELECT 1 AS value; SELECT 2 AS value", "expected one SELECT, found 2"),
        ("SELECT value FROM everything.s_e", "table names take no schema"),
        ("SELECT 1 AS value FROM read_csv('/etc/passwd')", "read_csv() is not allowed"),
        ("SELECT 1 AS value FROM '/etc/passwd'", "no table /etc/passwd"),
    ],
)
def test_sql_that_is_no_check(tmp_path: Path, check: str, words: str) -> None:
    message = refused(tmp_path, check=check)
    assert "claim S-2: check:" in message
    assert words in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"needs": ["gpu"]}, "claim S-2: needs ['gpu']: allowed are the tags ['big', 'long']"),
        ({"id": "S-1"}, "claim S-1 is there twice"),
        ({"weight": 3}, "weight: found 3: no such key is known here"),
        ({"tier": 9}, "tier: found 9"),
        ({"literal": {"op": "<", "value": 1}}, "literal.tolerance: found nothing: this key is required"),
        (
            {"literal": {"op": "between", "value": 1, "tolerance": "none"}},
            "takes ['high', 'low'], found ['value']",
        ),
        ({"literal": {"op": "between", "low": 2, "high": 1, "tolerance": "none"}}, "low 2 is above high 1"),
        ({"explain": {"maybe": "x"}}, "explain.maybe"),
    ],
)
def test_a_wrong_claim_file(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    message = refused(tmp_path, **changes)
    assert f"{tmp_path}/s.yaml: " in message
    assert words in message


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (5, "cut off: its last line does not end"),
        (0, "expected a header"),
        (None, "Expected Number of Columns"),
    ],
)
def test_a_table_that_is_cut_off(tmp_path: Path, cut: int | None, words: str) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    path = tables / "s" / "e.csv"
    text = path.read_text()
    path.write_text(text[: len(text) - cut] if cut else "\n" if cut == 0 else text[: text.rindex(",")] + "\n")
    message = refusal(write_claims(tmp_path / "s.yaml", claim()), tables)
    assert f"{path}: " in message
    assert words in message
    assert "make it again" in message or cut == 0


def test_an_empty_table_file(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", [])
    (tables / "s" / "e.csv").write_text("")
    assert "e.csv: cut off" in refusal(write_claims(tmp_path / "s.yaml", claim()), tables)


def test_binary_garbage_in_place_of_a_table(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", [])
    (tables / "s" / "e.csv").write_bytes(b"\xff\xfe\x00\x81\n\n")
    assert "e.csv: not a CSV table" in refusal(write_claims(tmp_path / "s.yaml", claim()), tables)


def test_a_word_in_a_column_of_numbers(tmp_path: Path) -> None:
    rows = timed(0.4, 0.4, 0.4)
    rows[0]["value"] = "fast"
    tables = write_table(tmp_path / "tables", rows)
    message = refusal(write_claims(tmp_path / "s.yaml", claim()), tables)
    assert "column value: found 'fast', expected DOUBLE" in message


def test_a_run_that_has_a_metric_twice(tmp_path: Path) -> None:
    tables = write_table(
        tmp_path / "tables", timed(0.4, 0.4, 0.4) + run("a", 1, runtime=(9.0, "measured:clock"))
    )
    message = refusal(write_claims(tmp_path / "s.yaml", claim()), tables)
    assert "run s/e/a_215W/1 has metric runtime twice" in message


def test_no_tables_and_no_claim_file(tmp_path: Path) -> None:
    write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    assert "no such folder" in refusal(write_claims(tmp_path / "s.yaml", claim()), tmp_path / "none")
    with pytest.raises(KvasirError, match="cannot be read"):
        read_claims(tmp_path / "none.yaml")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    tables = write_table(tmp_path / "tables", timed(0.4, 0.4, 0.4))
    (tmp_path / "out").write_text("a file where a folder should be")
    claims = write_claims(tmp_path / "s.yaml", claim())
    done = command("--claims", claims, "--tables", tables, "--output", tmp_path / "out" / "s.csv")
    assert done.returncode == 1
    assert "s.csv: cannot be written" in " ".join(done.stderr.split())


def test_arguments_that_go_together(tmp_path: Path) -> None:
    for arguments in ((), ("--claims", tmp_path / "s.yaml"), ("--output", "x", "--print", "y")):
        done = command(*arguments)
        assert done.returncode == 1
        assert "expected --claims, --tables and --output, or --print" in " ".join(done.stderr.split())
