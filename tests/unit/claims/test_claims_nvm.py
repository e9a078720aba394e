"""The claims of study nvm against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import Judge, with_verdict
from nvm_world import LAPTOP, PAPER, Factors, Stages, World, in_memory, write_tables

from harness.claims.files import read_claims
from harness.claims.model import Verdict

CLAIMS = Path(__file__).parents[3] / "config" / "claims" / "nvm.yaml"
IDS = [*range(1, 22), 23, 24, 25, 26, 29, 30, *range(32, 42)]
HAVE = ("own-machines", "infiniband", "hdd", "sata-ssd")
"""What the slides' own site has."""
INCONSISTENT = {33, 36}
ARITHMETIC = {18, 41}
OURS = {5, 35, 38}
"""Properties of our own programs."""
RDMA = {*range(7, 18), 19, 20, 21, 23, 24, 25, 26, 29, 30, 39}
"""Claims that compare designs with the RDMA shuffle."""
OTHER_DATA = {20, 21}
"""Those about HiBench's sizes, for which the one size of the map phase's figures stands."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(CLAIMS, write_tables, tmp_path_factory.mktemp("worlds"))


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"NVM-{number:02}" for number in IDS]


def test_where_the_slides_hold_every_claim_is_reproduced(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert with_verdict(rows, "paper inconsistent") == INCONSISTENT
    assert with_verdict(rows, "reproduced") == set(IDS) - INCONSISTENT


def test_what_verdicts_rest_on(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert {number for number, row in rows.items() if row.basis == "implementation"} == OURS
    assert {number for number, row in rows.items() if row.basis == "arithmetic"} >= ARITHMETIC
    assert rows[9].basis == "measured"


def test_the_papers_own_numbers_are_held_against_each_other(judge: Judge) -> None:
    rows = judge.rows(PAPER, HAVE)
    assert "2.37 (Sort), 2.48 (TeraSort), 2.39 (spill cost)" in rows[33].reason
    assert "80 (GB and MB alike binary)" in rows[36].reason


def test_on_emulated_links_designs_with_rdma_give_directions(judge: Judge) -> None:
    rows = judge.rows(LAPTOP)
    assert with_verdict(rows, "not run") == {40}
    for number in RDMA:
        assert rows[number].verdict == "direction", (number, rows[number].reason)
        assert ("by a proxy, the data of Sort" in rows[number].reason) == (number in OTHER_DATA), number
    assert with_verdict(rows, "reproduced") == {6, 34, 37, *ARITHMETIC, *OURS}
    assert with_verdict(rows, "contradicted") == set()


def test_nothing_stands_for_an_rdma_shuffle_that_does_not_run(judge: Judge) -> None:
    rows = judge.rows(World(**{**vars(LAPTOP), "missing": ("rmr", "rmr-nvm", "homr")}))
    assert with_verdict(rows, "not testable here") >= RDMA
    assert "rmr-nvm: not built in yet" in rows[13].reason


def test_map_phases_are_compared_with_both_shuffles(judge: Judge) -> None:
    """RMR-NVM as fast as the slides say over RMR alone does not do where they name MR as well."""

    def fast(f: Factors, found: Stages) -> None:
        if f["framework"] == "mr":
            for stage in ("read", "map", "collect", "spill", "merge"):
                found[stage] *= 0.2

    rows = judge.rows(World(**{**vars(LAPTOP), "change": fast}))
    assert {8, 11, 12, 15} <= with_verdict(rows, "contradicted")
    assert {9, 10} <= with_verdict(rows, "direction")


def test_a_map_phase_that_gains_nothing_contradicts_what_says_so(judge: Judge) -> None:
    def slow(f: Factors, found: Stages) -> None:
        if in_memory(f["framework"]):
            found["spill"] += 60.0
            found["total"] += 60.0

    rows = judge.rows(World(**{**vars(LAPTOP), "change": slow}))
    assert {8, 9, 10, 11, 12, 15} <= with_verdict(rows, "contradicted")
    assert rows[34].verdict == "reproduced"


def test_a_speed_up_above_its_bound_contradicts_the_bound(judge: Judge) -> None:
    def fast(f: Factors, found: Stages) -> None:
        if in_memory(f["framework"]):
            for stage in ("read", "map", "collect", "spill", "merge"):
                found[stage] *= 0.2

    rows = judge.rows(World(**{**vars(LAPTOP), "change": fast}))
    assert rows[34].verdict == "contradicted" and "Read, map and collect were faster" in rows[34].explanation
    assert rows[7].verdict == "contradicted"


def test_spills_on_the_disk_contradict_that_there_are_none(judge: Judge) -> None:
    def spilling(f: Factors, found: Stages) -> None:
        found["disk_spill"] += 1e8
        found["disk_write"] += 1e8

    rows = judge.rows(World(**{**vars(LAPTOP), "change": spilling}))
    assert rows[6].verdict == rows[38].verdict == "contradicted"


def test_a_disk_whose_bytes_the_kernel_does_not_count_proves_nothing(judge: Judge) -> None:
    def unseen(f: Factors, found: Stages) -> None:
        found["disk_spill"] = found["disk_write"] = 0.0

    rows = judge.rows(World(**{**vars(LAPTOP), "change": unseen}))
    assert {6, 38} <= with_verdict(rows, "not testable here")
    assert "the kernel counts no writes" in rows[6].reason


@pytest.mark.parametrize(
    ("got", "verdict"), [(9.4, "reproduced"), (10.5, "direction"), (14.0, "contradicted")]
)
def test_a_delay_that_was_not_kept_shows(judge: Judge, got: float, verdict: Verdict) -> None:
    assert judge.rows(World(**{**vars(LAPTOP), "got": got}))[35].verdict == verdict


def test_the_sites_own_ssd_stands_for_one_that_cannot_be_throttled(judge: Judge) -> None:
    rows = judge.rows(World(**{**vars(LAPTOP), "disks": ("ssd",)}))
    for number in (1, 2, 3, 4, 9, 12, 13):
        assert rows[number].verdict == "direction", number
        assert "the site's own SSD" in rows[number].reason, number


def test_nothing_that_ended_well_is_not_run(judge: Judge) -> None:
    rows = judge.rows(World(**{**vars(LAPTOP), "status": "failed"}))
    assert with_verdict(rows, "reproduced") == ARITHMETIC
    assert with_verdict(rows, "paper inconsistent") == INCONSISTENT
    assert with_verdict(rows, "not run") == set(IDS) - ARITHMETIC - INCONSISTENT


def test_two_repetitions_decide_no_effect(judge: Judge) -> None:
    rows = judge.rows(World(**{**vars(LAPTOP), "reps": 2}))
    assert rows[9].verdict == rows[13].verdict == "undecided"
