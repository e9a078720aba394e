"""The claims of study mrev against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cells_tables import write_tables
from cells_world import MAP_SHARE, PAPER, Change, Factors, Numbers, World
from judging import Judge, with_verdict

from harness.claims.check import check_claims
from harness.claims.files import read_claims
from harness.claims.model import Verdict

CLAIMS = Path(__file__).parents[3] / "config" / "claims" / "mrev.yaml"
IDS = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, *range(23, 35)]
HAVE = ("own-machines", "infiniband", "hdd", "datampi")
"""What the paper's own site has."""
ANALYTIC = {21, 22, 34}
TOOL = {23, 24, 27, 28, 29, 30, 31, 32}
"""Properties of the tool, literal wherever it runs."""
VARIANTS = {1, 2, 3, 7}
"""Claims about frameworks that nothing runs yet."""


def cached(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """Hardly anything is read from disk once the maps have ended."""
    if at > MAP_SHARE:
        values["disk", "read"] = 1e5


LAPTOP = World(nodes=(3, 5), disks=("ssd",), size=0.01, ungrouped=True, resample=cached)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(
        CLAIMS, lambda place, world: write_tables(place, "mrev", world), tmp_path_factory.mktemp("worlds")
    )


@pytest.mark.parametrize(
    ("lost", "claim"),
    [
        ("statistics.csv", 29),
        ("events.log", 30),
        ("log.txt", 30),
        ("graphs", 30),
        ("graphs", 31),
        ("trace.csv", 31),
    ],
)
def test_an_output_that_is_not_there_contradicts_its_claim(judge: Judge, lost: str, claim: int) -> None:
    assert judge.rows(World())[claim].verdict == "reproduced"
    assert judge.rows(World(lost=frozenset({lost})))[claim].verdict == "contradicted"


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"MREV-{number:02}" for number in IDS]


def test_where_the_paper_holds_every_claim_is_reproduced(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert with_verdict(rows, "reproduced") == set(IDS) - {23, 25}
    assert "value 13, accepted: = 14" in rows[23].reason  # RDMA-Hadoop's SSD optimisation is none of ours
    assert "value 6, accepted: = 12" in rows[25].reason  # half of the paper's variants are entries here


def test_on_a_laptop_times_give_directions_and_variants_are_not_run(judge: Judge) -> None:
    rows = judge.rows(LAPTOP)
    assert with_verdict(rows, "not run") == VARIANTS
    assert "this scale makes none of the runs" in rows[2].reason
    assert with_verdict(rows, "reproduced") == ANALYTIC | TOOL - {23, 32}
    assert with_verdict(rows, "not testable here") == {6, 8, 26}
    assert with_verdict(rows, "direction") == set(IDS) - ANALYTIC - TOOL - VARIANTS - {6, 8, 26} | {23, 32}


def test_emulated_hosts_of_the_papers_size_are_no_literal_check(judge: Judge) -> None:
    rows = judge.rows(World())
    assert with_verdict(rows, "reproduced") == ANALYTIC | TOOL - {23}
    assert "needs own-machines and infiniband" in rows[17].reason


@pytest.mark.parametrize("status", ["not-run", "failed"])
def test_tables_without_a_single_number_give_not_run(judge: Judge, status: str) -> None:
    rows = judge.rows(World(nodes=(3,), status=status))
    assert with_verdict(rows, "reproduced") == ANALYTIC
    assert with_verdict(rows, "not run") == set(IDS) - ANALYTIC
    assert "Hadoop is not built" in rows[5].reason


def slower_with_nodes(study: str, f: Factors, rep: int, found: Numbers) -> None:
    found["time.total"] = 100.0 * f["nodes"] + {"hadoop-uda": 1, "rdma-hadoop": 2}.get(f["framework"], 0)
    found["time.total"] *= 1.02 if f["framework"] == "hadoop-gbe" and rep > 1 else 1.0
    found["records"] = 1.3e9 + 1e6 * (f["framework"] == "hadoop-gbe")


@pytest.mark.parametrize(
    ("change", "number", "verdict", "said"),
    [
        (slower_with_nodes, 1, "contradicted", "accepted: < 1"),
        (slower_with_nodes, 2, "contradicted", "accepted: < 1"),
        (slower_with_nodes, 3, "contradicted", "accepted: < 1"),
        (slower_with_nodes, 5, "contradicted", "accepted: < 1 (in 0 of"),
        (slower_with_nodes, 7, "contradicted", "accepted: > 1"),
        (slower_with_nodes, 27, "contradicted", "accepted: = 1 (in"),
    ],
)
def test_a_claim_reads_what_is_in_the_tables(
    judge: Judge, change: Change, number: int, verdict: Verdict, said: str
) -> None:
    row = judge.rows(World(missing=(), disks=("hdd",), change=change), HAVE)[number]
    assert row.verdict == verdict
    assert said in row.reason


def test_traces_the_other_way_round_contradict_the_shapes(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), turned=True))
    assert {10, 14, 15, 18} <= with_verdict(rows, "contradicted")
    assert "waves of maps" in rows[18].explanation


def not_uniform(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """Frameworks differ in configuration, executions in their input; half of the bytes take the other network."""
    found["conf.digest"] += len(f["framework"])
    found["input.changed"] += rep
    found["net.bytes.gbe"] = 0.5 * found.get("net.bytes", 0)
    if "conf.block" in found:
        found["conf.block"] = 0


def upside_down(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """Memory falls while the load rises; nobody counts what disks do."""
    values["memory", "used"] = 3e10 - 1e9 * values["load", "1min"]
    del values["disk", "read"], values["disk", "written"], values["disk", "utilisation"]


@pytest.mark.parametrize("number", [12, 19, 23, 27, 29, 30, 31, 33])
def test_a_tool_without_the_property_is_told(judge: Judge, number: int) -> None:
    world = World(nodes=(3, 5), disks=("ssd",), change=not_uniform, resample=upside_down)
    row = judge.rows(world)[number]
    assert row.verdict == ("reproduced" if number == 31 else "contradicted"), row.reason


def by_turns(study: str, f: Factors, rep: int, found: Numbers) -> None:
    """5 nodes take longer in the first execution, less time in the others."""
    found["time.total"] = 120.0 if (f["nodes"] == 5) == (rep == 1) else 100.0


def test_times_that_executions_order_otherwise_are_undecided(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, change=by_turns))
    assert rows[5].verdict == "undecided", rows[5].reason


def test_clusters_of_other_sizes_are_no_repetitions(tmp_path: Path) -> None:
    checked = check_claims(CLAIMS, write_tables(tmp_path, "mrev", LAPTOP), ())
    of = {row.id: judged for row, judged in zip(checked.rows, checked.judged, strict=True)}
    for number in range(9, 21):
        assert all("5 nodes" in sample.label for sample in of[f"MREV-{number:02}"].observed.samples), number


def reads_alone(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """No disk is written to, and the network has more to do than any disk."""
    values["disk", "written"] = 0.0
    values["cpu", "user"], values["cpu", "system"], values["disk", "utilisation"] = 0.05, 0.0, 0.3
    for key in values:
        if key[0].startswith("net:"):
            values[key] = 6e7


def reads_and_writes(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """The network has much to do at the beginning alone."""
    values["cpu", "user"], values["cpu", "system"], values["disk", "utilisation"] = 0.05, 0.0, 0.3
    values["disk", "written"] = 1e6
    for key in values:
        if key[0].startswith("net:"):
            values[key] = 6e7 if at < 0.2 else 1e6


@pytest.mark.parametrize("number", [13, 16])
def test_reading_alone_and_a_busier_network_contradict(judge: Judge, number: int) -> None:
    good, bad = (
        judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, resample=resample))[number]
        for resample in (reads_and_writes, reads_alone)
    )
    assert (good.verdict, bad.verdict) == ("direction", "contradicted"), f"{good.reason}\n{bad.reason}"


def read_again(f: Factors, at: float, values: dict[tuple[str, str], float]) -> None:
    """Reduce tasks read all that they fetched from disk, and write ten times as much."""
    if at > MAP_SHARE:
        values["disk", "read"], values["disk", "written"] = 20e6, 200e6


def test_intermediate_results_that_disks_give_are_not_cached(judge: Judge) -> None:
    row = judge.rows(replace(LAPTOP, resample=read_again))[15]
    assert row.verdict == "contradicted", row.reason
    assert "(in 1 of 2 scenarios)" in row.reason


def unwatched(study: str, f: Factors, rep: int, found: Numbers) -> None:
    if f["benchmark"] != "terasort":
        found.pop("net.bytes")


def test_benchmarks_without_samples_are_told(judge: Judge) -> None:
    row = judge.rows(World(nodes=(3, 5), disks=("ssd",), size=0.01, change=unwatched))[28]
    assert row.verdict == "contradicted", row.reason


def test_one_empty_table_takes_only_its_claims(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), empty=frozenset({"mrev/resources"})))
    assert {9, 10, 11, 13, 14, 15, 16, 17, 18, 20} <= with_verdict(rows, "not run")
    assert rows[28].verdict == "contradicted"
    assert rows[33].verdict == "direction"


def test_one_execution_says_nothing_about_variability(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3,), disks=("ssd",), reps=1))
    assert (rows[8].verdict, rows[29].verdict) == ("not testable here", "not testable here")
    assert rows[29].reason == "every point was run once only"
