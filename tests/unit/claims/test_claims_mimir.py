"""The claims of study mimir against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

import math

import pytest
from judging import Judge, with_verdict
from synthetic import CLAIMS, EMULATED, NO_CAP, NO_POWER, RAPL, Change, Numbers, World, write_tables

from harness.claims.check import check_claims
from harness.claims.files import read_claims
from harness.claims.model import Verdict
from harness.results.records import Identity

IDS = list(range(1, 58))
INCONSISTENT = {2, 7, 8, 25, 40}
ANALYTIC = {18, 21, 22, 23, 24}
COUNTS = {26, 27, 39, 42, 46, 47, 48, 49, 50, 51, 52, 53, 54, 56}
"""Claims about counts, memory, spreads and equality: literal at any size."""
PLATFORMS, KEYS = 5, 55
"""Two ranks against one say nothing about the paper's two chips, and with forty words each has some."""
CAPS = {6, 12, 13, 20, 57}
POWER = {1, 3, 4, 9, 10, 11, 14, 16, 17, 31, 36}
PROXY = {19, 32, 35, 37, 43, 44, 45}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(CLAIMS, write_tables, tmp_path_factory.mktemp("worlds"))


def test_simulated_misses_stand_in_for_counters_that_are_missing(judge: Judge) -> None:
    def uncounted(who: Identity, numbers: Numbers) -> None:
        numbers["cache.misses"] = None

    def nothing(who: Identity, numbers: Numbers) -> None:
        numbers["cache.misses"] = numbers["cache.ll.misses"] = None

    found = judge.rows(World(change=uncounted))[41]
    assert found.verdict == "direction" and "Valgrind simulates" in found.reason
    assert (found.basis, found.source) == ("simulated", "simulated:cachegrind")
    assert judge.rows(World(change=nothing))[41].verdict == "not testable here"


def test_what_the_paper_says_of_mimir_is_never_literal_on_the_engine(judge: Judge) -> None:
    of_mimir = {claim.id for claim in read_claims(CLAIMS).claims if "mimir" in claim.needs}
    rows = [row for row in judge.rows(World(), ("xeon-phi",)).values() if row.id in of_mimir]
    assert len(rows) == len(of_mimir) > 25
    assert {row.verdict for row in rows} <= {"direction", "paper inconsistent"}
    assert all("needs mimir" in row.reason for row in rows)


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"MIMIR-{number:02}" for number in IDS]


def test_where_the_paper_holds_every_claim_is_reproduced_or_inconsistent(judge: Judge) -> None:
    rows = judge.rows(World(), ("xeon-phi", "mimir"))
    assert with_verdict(rows, "paper inconsistent") == INCONSISTENT
    assert with_verdict(rows, "reproduced") == set(IDS) - INCONSISTENT


def test_on_a_small_machine_with_power_only_counts_and_arithmetic_are_literal(judge: Judge) -> None:
    rows = judge.rows(World(scale="laptop"))
    literal = with_verdict(rows, "reproduced")
    assert literal == COUNTS | ANALYTIC | {13, 14, 43, 44, 45, 57}
    assert with_verdict(rows, "not testable here") == {PLATFORMS, KEYS}
    assert with_verdict(rows, "direction") == set(IDS) - INCONSISTENT - literal - {PLATFORMS, KEYS}


def test_without_power_and_caps_the_reasons_are_those_of_the_tables(judge: Judge) -> None:
    rows = judge.rows(World(scale="laptop", power="", caps=False))
    assert with_verdict(rows, "reproduced") == COUNTS | ANALYTIC
    assert with_verdict(rows, "not testable here") == POWER | CAPS | {PLATFORMS, KEYS}
    assert {rows[number].reason for number in POWER} == {NO_POWER}
    assert all(NO_CAP in rows[number].reason for number in CAPS)
    for number in PROXY:
        assert rows[number].verdict == "direction"
        assert NO_POWER in rows[number].reason
        assert "by a proxy" in rows[number].reason


def test_emulated_power_is_shown_and_counts_for_nothing(judge: Judge) -> None:
    rows = judge.rows(World(scale="laptop", power=EMULATED))
    measured = judge.rows(World(scale="laptop", power="", caps=False))
    assert {number: row.verdict for number, row in rows.items()} == {
        number: row.verdict for number, row in measured.items()
    }
    for number in POWER | CAPS:
        assert EMULATED in rows[number].source
        assert rows[number].value is not None
        assert "only emulated" in rows[number].reason


@pytest.mark.parametrize("status", ["not-run", "failed"])
def test_tables_without_a_single_number_give_not_run(judge: Judge, status: str) -> None:
    rows = judge.rows(World(scale="laptop", status=status, caps=False))
    assert with_verdict(rows, "paper inconsistent") == INCONSISTENT
    assert with_verdict(rows, "reproduced") == ANALYTIC
    assert with_verdict(rows, "not run") == set(IDS) - INCONSISTENT - ANALYTIC


def test_the_same_tables_give_the_same_rows(judge: Judge) -> None:
    world = World(scale="laptop", power=RAPL)
    again = check_claims(CLAIMS, write_tables(judge.folder / "again", world), [])
    assert again.rows == judge.checked(world).rows


def slower_combiner(who: Identity, numbers: Numbers) -> None:
    if who.factors["app"] == "reduce-by-key":
        numbers["runtime"] = 400.0


def wrong_output(who: Identity, numbers: Numbers) -> None:
    if who.factors["app"] == "reduce-by-key" and who.rep == 2:
        numbers["output.checksum"] = 1.0


def missed_words(who: Identity, numbers: Numbers) -> None:
    if who.factors["data"] == "4B5K":
        numbers["kv.after_combine"] = 1.0


def two_synchronisations(who: Identity, numbers: Numbers) -> None:
    if who.factors["data"] == "4B50M":
        numbers["barriers"] = 2.0


def early_exchanges(who: Identity, numbers: Numbers) -> None:
    if who.factors["data"] == "4B28M":
        numbers["combine.rate"] = 0.3


def level_left_branch(who: Identity, numbers: Numbers) -> None:
    if who.factors["data"] in ("4B72", "4B600", "4B5K"):
        noise = 1 + 0.01 * math.sin(7 * who.rep + sum(map(ord, str(who.factors["data"]))))
        numbers["runtime"] = 1e-8 * float(who.factors["words"] or 1) * noise
        numbers["cpu.total"] = numbers["runtime"]


def quick_few_words(who: Identity, numbers: Numbers) -> None:
    """Two ranks on one core: the clock says that 72 words are slow, the CPU time that they are quick."""
    if who.factors["data"] == "4B72":
        numbers["cpu.total"] = 1e-9 * float(who.factors["words"] or 1)


def one_exchange_costs(who: Identity, numbers: Numbers) -> None:
    if who.factors["data"] == "4B28M":
        numbers["overlap.map_aggregate"] = -1.0


def noisy(who: Identity, numbers: Numbers) -> None:
    numbers["runtime"] = 1.0 + 0.1 * who.rep


def no_second_combiner(who: Identity, numbers: Numbers) -> None:
    if who.factors["combine"] == "both":
        numbers["mem.kv"] = 1e12


def sampling_costs(who: Identity, numbers: Numbers) -> None:
    if who.factors["sample_ms"] == 5:
        numbers["runtime"] = 1.1 * (numbers["runtime"] or 0)
        numbers["cpu.total"] = 1.1 * (numbers["cpu.total"] or 0)


def text_from_disk(who: Identity, numbers: Numbers) -> None:
    """A fiftieth of a text of 64 million words, however often a run reads it."""
    numbers["disk.read"] = 0.02 * 7.5 * 64e6


def memory_for_balance(who: Identity, numbers: Numbers) -> None:
    if who.factors["balance"] == "repartition":
        numbers["mem.peak"] = 1e12


@pytest.mark.parametrize(
    ("change", "number", "verdict"),
    [
        (slower_combiner, 15, "contradicted"),
        (wrong_output, 49, "contradicted"),
        (missed_words, 54, "contradicted"),
        (two_synchronisations, 50, "contradicted"),
        (early_exchanges, 26, "contradicted"),
        (memory_for_balance, 52, "direction"),
        (level_left_branch, 28, "undecided"),
        (level_left_branch, 29, "undecided"),
        (quick_few_words, 28, "contradicted"),
        (quick_few_words, 29, "contradicted"),
        (one_exchange_costs, 50, "contradicted"),
        (noisy, 46, "contradicted"),
        (no_second_combiner, 48, "contradicted"),
        (sampling_costs, 43, "contradicted"),
        (text_from_disk, 56, "contradicted"),
    ],
)
def test_a_claim_reads_what_is_wrong_in_the_tables(
    judge: Judge, change, number: int, verdict: Verdict
) -> None:  # type: ignore[no-untyped-def]
    row = judge.rows(World(scale="laptop", change=change))[number]
    assert row.verdict == verdict


def test_variation_at_5_ms_counts_where_its_clock_is_exact(judge: Judge) -> None:
    def uneven(who: Identity, numbers: Numbers) -> None:
        if who.factors["sample_ms"] == 5:
            numbers["cpu.cv"] = 2 * (numbers["cpu.cv"] or 0)

    def blurred(who: Identity, numbers: Numbers) -> None:
        numbers["cpu.cv"] = None

    found = judge.rows(World(scale="laptop", power="", change=uneven))[44]
    assert found.verdict == "contradicted" and "(in 2 of 4 scenarios)" in found.reason
    assert judge.rows(World(scale="laptop", power="", change=blurred))[44].verdict == "not testable here"


SWEET_SPOT, BRANCHES = 28, (29, 30)
"""There is a sweet spot only where both of its branches are slower."""


@pytest.mark.parametrize(
    "change", [None, level_left_branch, quick_few_words, noisy, early_exchanges, sampling_costs]
)
def test_no_sweet_spot_beside_a_branch_that_is_not_slower(judge: Judge, change: Change | None) -> None:
    rows = judge.rows(World(scale="laptop", change=change))
    if rows[SWEET_SPOT].verdict in ("reproduced", "direction"):
        assert {rows[branch].verdict for branch in BRANCHES} <= {"reproduced", "direction"}
    if any(rows[branch].verdict == "contradicted" for branch in BRANCHES):
        assert rows[SWEET_SPOT].verdict in ("contradicted", "undecided")
        assert rows[33].verdict != "direction" or rows[SWEET_SPOT].verdict == "undecided"


def test_a_contradiction_names_the_data_set_and_the_mechanism(judge: Judge) -> None:
    checked = judge.checked(World(scale="laptop", change=early_exchanges))
    place = IDS.index(26)
    assert {sample.label for sample in checked.judged[place].observed.samples} == {"4B28M"}
    assert "An exchange during the map" in checked.rows[place].explanation
