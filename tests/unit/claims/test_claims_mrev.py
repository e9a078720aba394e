"""The claims of study mrev against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from cells_world import PAPER, Change, Factors, Numbers, World, write_tables

from harness.claims.check import check_claims
from harness.claims.files import read_claims
from harness.claims.model import Verdict
from harness.claims.verdicts import Row

CLAIMS = Path(__file__).parents[3] / "config" / "claims" / "mrev.yaml"
IDS = [2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, *range(23, 35)]
HAVE = ("own-machines", "infiniband", "hdd", "datampi")
"""What the paper's own site has."""
ANALYTIC = {21, 22, 34}
TOOL = {23, 24, 27, 28, 29, 30, 31, 32}
"""Properties of the tool, literal wherever it runs."""
VARIANTS = {2, 3, 7}
"""Claims about frameworks that nothing runs yet."""
LAPTOP = World(nodes=(3, 5), disks=("ssd",), size=0.01, ungrouped=True)


class Judge:
    """Verdicts by worlds, each made and checked once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = cache(self._rows)

    def _rows(self, world: World, have: tuple[str, ...] = ()) -> dict[int, Row]:
        place = self.folder / str(len(list(self.folder.iterdir())))
        checked = check_claims(CLAIMS, write_tables(place, "mrev", world), have)
        return {int(row.id.removeprefix("MREV-")): row for row in checked.rows}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("worlds"))


def with_verdict(rows: dict[int, Row], verdict: Verdict) -> set[int]:
    return {number for number, row in rows.items() if row.verdict == verdict}


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"MREV-{number:02}" for number in IDS]
    assert len(IDS) == 32


def test_where_the_paper_holds_every_claim_is_reproduced(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert with_verdict(rows, "reproduced") == set(IDS) - {25}
    assert "value 6, accepted: = 12" in rows[25].reason  # half of the paper's variants are entries here


def test_on_a_laptop_times_give_directions_and_variants_are_not_run(judge: Judge) -> None:
    rows = judge.rows(LAPTOP)
    assert with_verdict(rows, "not run") == VARIANTS
    assert "no Hadoop with RDMA is built in yet" in rows[2].reason
    assert with_verdict(rows, "reproduced") == ANALYTIC | TOOL - {32}
    assert with_verdict(rows, "not testable here") == {6, 8, 26}
    assert with_verdict(rows, "direction") == set(IDS) - ANALYTIC - TOOL - VARIANTS - {6, 8, 26} | {32}


def test_emulated_hosts_of_the_papers_size_are_no_literal_check(judge: Judge) -> None:
    rows = judge.rows(World())
    assert with_verdict(rows, "reproduced") == ANALYTIC | TOOL
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


def test_one_empty_table_takes_only_its_claims(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3, 5), disks=("ssd",), empty=frozenset({"mrev/resources"})))
    assert {9, 10, 11, 13, 14, 15, 16, 17, 18, 20} <= with_verdict(rows, "not run")
    assert rows[28].verdict == "contradicted"
    assert rows[33].verdict == "direction"


def test_one_execution_says_nothing_about_variability(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(3,), disks=("ssd",), reps=1))
    assert (rows[8].verdict, rows[29].verdict) == ("not testable here", "not testable here")
    assert rows[29].reason == "every point was run once only"
