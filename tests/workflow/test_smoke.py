"""One whole run at scale smoke, and what happens to it when things change, fail or are killed.

Tests that only look share one checkout. One that makes something again has a copy, and makes what it looks at, no more.
"""

import csv
import itertools
import json
import os
import shutil
import signal
import stat
import time
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from harness.claims.compare import compare, read_results

from .checkout import PROJECT, Checkout

COMBINER = "runs/mimir/combiner"
TABLE = "results/smoke/tables/mimir/combiner.csv"
STUDIES = tuple(yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"])
SOME = [some for n in range(1, len(STUDIES)) for some in itertools.combinations(STUDIES, n)]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def run_files(checkout: Checkout, study: str = "*") -> dict[Path, int]:
    """All records with their times."""
    return {path: path.stat().st_mtime_ns for path in checkout.results().glob(f"runs/{study}/*/*/*/run.json")}


def measured(checkout: Checkout) -> list[Path]:
    """All records of measured runs; study mimir simulates caches in batches."""
    return [path for path in run_files(checkout, "mimir") if path.parents[2].name != "cache"]


def batches(checkout: Checkout, study: str) -> list[Path]:
    return list(checkout.results().glob(f"batches/{study}/*/batch.json"))


def test_everything_is_there(smoke: Checkout) -> None:
    results = smoke.results()
    assert (results / "report.html").stat().st_size > 100_000
    for figure in ("fig01", "fig02", "fig03", "fig04", "fig05", "fig06", "table1", "sweetspot"):
        for kind in ("pdf", "svg", "png"):
            assert (results / f"figures/mimir/{figure}.{kind}").stat().st_size > 5_000
    for figure in (results / "figures/eee").glob("*.svg"):
        assert figure.with_suffix(".pdf").stat().st_size > 2_000
        assert figure.with_suffix(".png").stat().st_size > 5_000
    assert len(list((results / "figures/eee").glob("*.svg"))) == 22
    for study in STUDIES:
        verdicts = rows(results / f"claims/{study}.csv")
        stated = yaml.safe_load((smoke.folder / f"config/claims/{study}.yaml").read_text())["claims"]
        assert [v["id"] for v in verdicts] == [claim["id"] for claim in stated]
        assert not [(v["id"], v["reason"]) for v in verdicts if v["verdict"] == "check failed"]
        if study in ("mimir", "eee"):
            assert not [v["id"] for v in verdicts if v["verdict"] == "not run"], "all experiments were run"
    assert not list(results.glob("**/.*.*")), "no scratch files stay"


def test_a_replay_of_packed_records_gives_the_same_numbers_and_runs_nothing(spare: Checkout) -> None:
    """Without programs: neither those that were compiled nor Hadoop are there any more."""
    chosen = ("scale=smoke", "studies=mimir,hpc")
    python = spare.folder / ".venv/bin/python"
    packed = spare.run(str(python), "scripts/archive.py", "packed", *chosen)
    assert packed.returncode == 0, packed.stdout
    again = spare.run(str(python), "scripts/archive.py", "again", *chosen)
    assert again.returncode == 0, again.stdout
    files = [path.relative_to(spare.folder / "packed") for path in (spare.folder / "packed").rglob("*.*")]
    assert files and all(
        (spare.folder / "packed" / f).read_bytes() == (spare.folder / "again" / f).read_bytes() for f in files
    )
    shutil.rmtree(spare.folder / "build")
    shutil.rmtree(spare.folder / "data")
    spare.snakemake(
        "--config", "replay=packed", *chosen, "--", "tables", "claims", "fig_mimir_3", "fig_hpc_2"
    )
    assert not (spare.folder / "build").exists() or not list((spare.folder / "build").rglob("bin/*"))
    found = compare(read_results(spare.results()), read_results(spare.folder / "results-replay/smoke"))
    assert found.exact > 10 and found.verdicts > 80
    assert {difference.kind for difference in found.differences} <= {"table"}, "those of other studies"
    tables = ("tables/mimir/combiner.csv", "tables/hpc/parameters.csv")
    replayed = [(spare.folder / "results-replay/smoke" / name).read_bytes() for name in tables]
    assert replayed == [(spare.results() / name).read_bytes() for name in tables], "measured numbers as well"
    same = spare.run(str(python), "scripts/agreement.py", "packed", *chosen)
    assert same.returncode == 0 and "unexpected" not in same.stdout, same.stdout
    refused = spare.snakemake("--config", "replay=packed", "scale=smoke", "studies=eee", "-n", ok=False)
    assert "studies=eee: packed/smoke holds no runs of eee: allowed: mimir, hpc" in refused
    with (spare.folder / "packed/smoke/records.tar.xz").open("ab") as file:
        file.write(b"more")
    shutil.rmtree(spare.folder / "results-replay")
    assert "fetch it again" in spare.snakemake("--config", "replay=packed", *chosen, "-n", ok=False)


def test_snakemakes_own_report_holds_figures_verdicts_and_report(smoke: Checkout, tmp_path: Path) -> None:
    archive = tmp_path / "report.zip"
    smoke.snakemake("--report", str(archive), "--", "results/smoke/report.html")
    with zipfile.ZipFile(archive) as made:
        names = [Path(name).name for name in made.namelist()]
        page = made.read("report/report.html").decode()
    figures = {path.name for path in (smoke.results() / "figures").rglob("*.svg")}
    verdicts = {path.name for path in (smoke.results() / "claims").glob("*.csv")}
    assert figures | verdicts | {"report.html"} <= set(names)
    for study in sorted(path.stem for path in (smoke.results() / "claims").glob("*.csv")):
        title = yaml.safe_load((smoke.folder / f"config/studies/{study}.yaml").read_text())["title"]
        assert title in page, f"category of {study}"
    assert "The paper: " in page and "at scale" in page


def test_every_run_has_numbers_or_reasons(smoke: Checkout) -> None:
    scale = yaml.safe_load((smoke.folder / "config/scales/smoke.yaml").read_text())
    for table in smoke.results().glob("tables/*/*.csv"):
        if table.stem.partition(".")[0] not in scale.get(table.parent.name, {}).get("leave_out", []):
            found = rows(table)
            assert found, table
            if "metric" in found[0] and "status" in found[0]:
                assert {row["status"] for row in found} <= {"ok", "not-run"}
                assert all(row["value"] or row["reason"] for row in found)


def test_counts_are_exact(smoke: Checkout) -> None:
    for name in ("combinability", "combiner", "skew", "staging", "realtext"):
        by_run: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows(smoke.results() / f"tables/mimir/{name}.csv"):
            if row["status"] == "ok":
                by_run.setdefault((row["point"], row["rep"]), {})[row["metric"]] = row["value"]
        assert by_run
        for metrics in by_run.values():
            assert metrics["words"] == metrics["words.expected"]
            assert metrics["keys"] == metrics["keys.expected"]
            assert metrics.get("coreutils.mismatches", "0.0") == "0.0"


def test_order_is_random_and_repetitions_are_interleaved(smoke: Checkout) -> None:
    found: list[dict[str, Any]] = [json.loads(path.read_text()) for path in run_files(smoke, "mimir")]
    found = [
        record
        for record in found
        if not any(metric["source"].startswith("simulated") for metric in record["metrics"])
    ]
    records = sorted(found, key=lambda record: record["outcome"]["started"])
    # Two go on at once, each with a start of its own, and runs of a text wait for it.
    started: dict[tuple[Any, ...], dict[int, list[datetime]]] = {}
    for record in records:
        who = record["identity"]
        text = tuple(who["factors"][name] for name in ("data", "words", "unique"))
        at = datetime.fromisoformat(record["outcome"]["started"])
        started.setdefault(text, {}).setdefault(who["rep"], []).append(at)
    for text, by_rep in started.items():
        for rep in sorted(by_rep)[:-1]:
            early = max(by_rep[rep]) - min(by_rep[rep + 1])
            assert early < timedelta(seconds=5), f"{text}: all repetitions {rep} ran before all of {rep + 1}"
    names = [record["identity"]["experiment"] for record in records if record["identity"]["rep"] == 1]
    assert len(set(itertools.pairwise(names))) > len(set(names)) * 2, "experiments are mixed"


def test_nothing_runs_twice(smoke: Checkout) -> None:
    assert "Nothing to be done" in smoke.snakemake()


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param(
            choice, id=",".join(choice), marks=[] if len(choice) in {1, len(STUDIES)} else pytest.mark.slow
        )
        for choice in (*SOME, STUDIES[::-1], ("mrev", "mimir", "nvm", "hpc", "eee"))
    ],
)
def test_choosing_other_studies_reruns_nothing(smoke: Checkout, choice: tuple[str, ...]) -> None:
    counts = smoke.planned("--config", f"studies={','.join(choice)}")
    assert (
        not {"run_point", "run_batch", "run_cell", "make_table", "draw_figure", "check_claims"}
        & counts.keys()
    )


def test_report_of_one_study_has_all_that_is_there(spare: Checkout) -> None:
    spare.snakemake("--config", "studies=mimir")
    page = (spare.results() / "report.html").read_text()
    for study in STUDIES:
        assert rows(spare.results() / f"claims/{study}.csv")[0]["id"] in page


def test_a_changed_level_reruns_only_its_runs(smoke: Checkout) -> None:
    restore = smoke.edit("config/studies/mimir.yaml", "sample_ms: [100, 50, 5]", "sample_ms: [100, 50, 20]")
    try:
        counts = smoke.planned()
    finally:
        restore()
    assert counts["run_point"] == 4, "two data sets, two repetitions, one new period"
    assert "generate_text" not in counts and "build_engine" not in counts
    restore = smoke.edit("config/scales/smoke.yaml", "repetitions: 2", "repetitions: 3")
    try:
        more = smoke.planned()
    finally:
        restore()
    twice = [
        path for path in measured(smoke) if path.parent.name == "2" and not (path.parents[1] / "3").exists()
    ]
    assert more["run_point"] == len(twice), "one more repetition of each point that the scale repeats"


def test_a_change_in_the_engines_tests_reruns_nothing(smoke: Checkout) -> None:
    smoke.edit("src/engine/README.md", "# Kvasir engine", "# The Kvasir engine")
    smoke.edit("src/engine/tests/CMakeLists.txt", "\n", "\n# A remark.\n")
    assert "Nothing to be done" in smoke.snakemake()
    restore = smoke.edit("src/engine/include/kvasir/error.hpp", "#pragma once", "#pragma once  // once")
    try:
        counts = smoke.planned()
    finally:
        restore()
    assert counts["build_engine"] == 1 and counts["run_point"] == len(measured(smoke)), (
        "another program, other runs"
    )
    restore = smoke.edit("src/netsim/include/netsim/error.hpp", "#pragma once", "#pragma once  // once")
    try:
        counts = smoke.planned()
    finally:
        restore()
    assert counts["build_netsim"] == 1 and counts["run_batch"] == len(batches(smoke, "eee")) > 1
    assert "run_point" not in counts


def forget(checkout: Checkout, runs: list[Path]) -> None:
    """Delete records, and what is made from them: Snakemake does not miss a file whose consumers are up to date."""
    for run in runs:
        run.unlink()
    (checkout.folder / TABLE).unlink()


def test_killed_in_the_middle_loses_nothing_and_repeats_nothing(spare: Checkout) -> None:
    before = run_files(spare)
    gone = [path for path in before if COMBINER in str(path)]
    forget(spare, gone)
    # One run at a time: of each that goes on when it is killed there may be a record that Snakemake has not noted.
    process = spare.start("snakemake", "--cores", "1", TABLE)
    while sum(path.exists() for path in gone) < 2:
        assert process.poll() is None, "it ended before anything could be killed"
        time.sleep(0.02)
    family = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive, "what it started went with it"
    done = {path: path.stat().st_mtime_ns for path in gone if path.exists()}
    assert 0 < len(done) < len(gone), "killed in the middle"
    assert all(json.loads(path.read_text())["outcome"]["status"] == "ok" for path in done)

    again = spare.run("scripts/reproduce.sh", "", "", "2", TABLE, timeout=600)
    assert again.returncode == 0, again.stdout[-4000:]
    after = run_files(spare)
    assert after.keys() == before.keys(), "nothing is lost"
    # Of the last record Snakemake may not have taken note before it was killed; that run was still going for it.
    last = max(done, key=lambda path: done[path])
    kept = {**{path: at for path, at in before.items() if path not in gone}, **done}
    repeated = [path for path, at in kept.items() if after[path] != at and path != last]
    assert not repeated
    assert not list(spare.results().glob("runs/*/*/*/.*")), "no half run lies about"


def test_simulations_that_are_there_stay_when_their_batch_is_made_again(spare: Checkout) -> None:
    before = run_files(spare, "eee")
    table = "results/smoke/tables/eee/coalescing.csv"
    made = [path for path in before if path.parents[2].name == "coalescing"]
    lost, failed = made[:2]
    lost.unlink()
    record = json.loads(failed.read_text())
    failed.write_text(json.dumps({**record, "outcome": {**record["outcome"], "status": "failed"}}))
    stamps = [path for path in batches(spare, "eee") if path.parent.name.startswith("coalescing_")]
    assert spare.run("python", "scripts/forget_failed.py").returncode == 0
    assert spare.planned(table)["run_batch"] == len(stamps) > 0
    spare.snakemake(table)
    after = run_files(spare, "eee")
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == {lost, failed}
    assert {row["status"] for row in rows(spare.folder / table)} == {"ok"}


def test_a_failing_run_is_recorded_and_gives_no_number(spare: Checkout) -> None:
    program = spare.folder / "build/programs/bin/group-by-key"
    kept = program.read_bytes()
    made = [TABLE, "results/smoke/figures/mimir/fig02.pdf", "results/smoke/claims/mimir.csv"]
    victim = spare.results() / COMBINER / "group-by-key_215W/1/run.json"
    forget(spare, [victim])
    program.write_text("#!/bin/sh\necho 'a disk on fire' >&2\nexit 3\n")
    try:
        spare.snakemake("--rerun-triggers", "mtime", "--", *made)
    finally:
        program.write_bytes(kept)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    outcome = json.loads(victim.read_text())["outcome"]
    assert outcome["status"] == "failed"
    assert "a disk on fire" in outcome["reason"]
    table = [
        row for row in rows(spare.folder / TABLE) if row["point"] == "group-by-key_215W" and row["rep"] == "1"
    ]
    assert [(row["status"], row["metric"], row["value"]) for row in table] == [("failed", "", "")]

    told = spare.run("python", "scripts/summary.py")
    assert told.returncode != 0 and "combiner/group-by-key_215W/1: failed" in told.stdout
    assert spare.run("python", "scripts/forget_failed.py").returncode == 0
    spare.snakemake(*made)
    assert json.loads(victim.read_text())["outcome"]["status"] == "ok"


def test_a_run_that_takes_too_long_is_recorded_as_timeout(spare: Checkout) -> None:
    program = spare.folder / "build/programs/bin/group-by-key"
    kept = program.read_bytes()
    restore = spare.edit("config/scales/smoke.yaml", "timeout_s: 120", "timeout_s: 2")
    target = "results/smoke/runs/mimir/combiner/group-by-key_215W/2/run.json"
    program.write_text("#!/bin/sh\nsleep 60\n")
    try:
        spare.snakemake(target)
        outcome = json.loads((spare.folder / target).read_text())["outcome"]
        assert (outcome["status"], outcome["reason"]) == ("timeout", "took longer than 2 s")
    finally:
        program.write_bytes(kept)
        restore()
    forget(spare, [spare.folder / target])
    spare.snakemake(target)
    assert json.loads((spare.folder / target).read_text())["outcome"]["status"] == "ok"


def test_a_cell_makes_only_the_runs_that_are_missing(spare: Checkout) -> None:
    table = "results/smoke/tables/hpc/wordcount.csv"
    cell = spare.results() / "cells/3n_ssd_ib"
    before = {path: path.stat().st_mtime_ns for path in cell.glob("runs/*/*/run.json")}
    assert len(before) >= 8 and (cell / "cell.json").is_file()
    victim = cell / "runs/hadoop-ipoib_wordcount/1/run.json"
    record = json.loads(victim.read_text())
    victim.write_text(json.dumps({**record, "outcome": {**record["outcome"], "status": "failed"}}))
    assert spare.run("python", "scripts/forget_failed.py").returncode == 0
    assert not victim.exists() and not (cell / "cell.json").exists()
    spare.snakemake(table)
    after = {path: path.stat().st_mtime_ns for path in cell.glob("runs/*/*/run.json")}
    assert after.keys() == before.keys()
    assert [path for path in after if after[path] != before[path]] == [victim]
    assert json.loads(victim.read_text())["outcome"]["status"] == "ok"
    times = {
        row["framework"]: float(row["value"])
        for row in rows(spare.folder / table)
        if row["metric"] == "time.total"
    }
    assert times.keys() == {"hadoop-ipoib", "engine-ipoib"} and min(times.values()) > 0


def test_a_new_claim_needs_no_code(spare: Checkout) -> None:
    claims = spare.folder / "config/claims/mimir.yaml"
    claims.write_text(claims.read_text() + NEW_CLAIM)
    spare.snakemake("claims")
    found = {row["id"]: row for row in rows(spare.results() / "claims/mimir.csv")}
    assert found["MIMIR-99"]["verdict"] == "reproduced"


def test_only_code_that_a_step_imports_makes_it_again(smoke: Checkout) -> None:
    restore = smoke.edit("src/harness/measure/series.py", '"""', '"""Changed. ')
    try:
        assert smoke.planned() == {}
    finally:
        restore()
    restore = smoke.edit("src/harness/claims/judge.py", '"""', '"""Changed. ')
    try:
        again = smoke.planned()
    finally:
        restore()
    assert again["check_claims"] == len(list(smoke.results().glob("claims/*.csv")))
    assert again["make_report"] == 1
    assert not {"make_table", "draw_figure", "run_point", "run_batch"} & set(again)


def test_a_claim_with_a_wrong_column_is_one_clear_error(smoke: Checkout) -> None:
    verdicts = smoke.results() / "claims/mimir.csv"
    before = verdicts.read_bytes()
    claims = smoke.folder / "config/claims/mimir.yaml"
    kept = claims.read_text()
    claims.write_text(kept + NEW_CLAIM.replace("avg(runtime)", "avg(runtiem)"))
    try:
        output = smoke.snakemake("claims", ok=False)
    finally:
        claims.write_text(kept)
    assert "config/claims/mimir.yaml: claim MIMIR-99: check:" in output
    assert "runtiem" in output and "Traceback" not in output
    assert "available: mimir_staging_runs(" in output
    assert verdicts.read_bytes() == before, "it ended before any job"


NEW_CLAIM = """
  - id: MIMIR-99
    tier: 3
    where: a test
    statement: Every run takes some time.
    kind: ordering
    paper: {text: more than 0}
    unit: s
    check: SELECT avg(runtime) AS value FROM mimir_staging_runs GROUP BY rep
    literal: {op: ">", value: 0, tolerance: none}
"""
