"""The claims of study eee against made-up tables: all of them run, and say what the tables hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from eee_world import Change, Factors, Numbers, World, link_power, write_tables
from judging import Judge, with_verdict

from harness.claims.check import check_claims
from harness.claims.database import build, table_of
from harness.claims.files import read_claims
from harness.claims.model import Verdict

CLAIMS = Path(__file__).parents[3] / "config" / "claims" / "eee.yaml"
IDS = [*range(1, 69)]
PROXY = {67}
"""Judged by a stand-in whatever the size."""
PARADOX = {34}
"""The paper's own numbers disagree, whatever was run."""
ANALYTIC = {1, 2, 3, 4, 15, 21, 23, 26, 27, 59, 60, 68}
ANY_SIZE = {5, 6, 7, 8, 9, 18}
"""Claims about one link or about the order of energies, literal whatever the size of the jobs."""
ALL_SCENARIOS = {19, 20, 28, 29, 35, 36, 37, 38, 39, 40, 42, 43, 44, 54, 55, 56, 64}
THREE_SIZES = {33, 61, 62}
"""Claims that compare or name numbers of nodes."""
LOADED = {11, 13, 14, 16, 17, 22, 32, 33, 58, 61, 62, 63} | ALL_SCENARIOS
"""Claims about small jobs at 40 % CPU load."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(CLAIMS, write_tables, tmp_path_factory.mktemp("worlds"))


def test_all_claims_are_there_in_order() -> None:
    assert [claim.id for claim in read_claims(CLAIMS).claims] == [f"EEE-{number:02}" for number in IDS]
    assert len(IDS) == 68


def test_where_the_paper_holds_every_claim_is_reproduced(judge: Judge) -> None:
    rows = judge.rows(World())
    assert with_verdict(rows, "reproduced") == set(IDS) - PROXY - PARADOX
    assert with_verdict(rows, "paper inconsistent") == PARADOX
    assert with_verdict(rows, "direction") == PROXY


def test_with_less_data_than_the_paper_only_links_and_arithmetic_are_literal(judge: Judge) -> None:
    rows = judge.rows(World(size=0.1))
    literal = with_verdict(rows, "reproduced")
    assert literal == ANALYTIC | ANY_SIZE
    assert with_verdict(rows, "direction") == set(IDS) - literal - PARADOX


@pytest.mark.parametrize("metric", ["cpu.load", "cpu.load.arriving"])
def test_small_jobs_are_literal_only_at_the_paper_s_load(judge: Judge, metric: str) -> None:
    def idle(experiment: str, f: Factors, found: Numbers) -> None:
        if metric in found and f["load"] == 40 and f["nodes"] == 80:
            found[metric] = 0.14

    rows = judge.rows(World(change=idle))
    assert with_verdict(rows, "direction") - {66} == LOADED | PROXY
    assert "load-40" in rows[61].reason
    assert rows[66].verdict == ("direction" if metric == "cpu.load" else "reproduced")


def test_with_one_number_of_nodes_what_needs_six_scenarios_is_a_direction(judge: Judge) -> None:
    rows = judge.rows(World(nodes=(24,)))
    assert with_verdict(rows, "direction") == ALL_SCENARIOS | PROXY
    assert with_verdict(rows, "not testable here") == THREE_SIZES
    assert "six" in rows[35].reason
    assert "not run at this size" in rows[61].reason


@pytest.mark.parametrize("status", ["not-run", "failed"])
def test_tables_without_a_single_number_give_not_run(judge: Judge, status: str) -> None:
    rows = judge.rows(World(status=status))
    assert with_verdict(rows, "reproduced") == ANALYTIC
    assert with_verdict(rows, "not run") == set(IDS) - ANALYTIC - PARADOX
    assert "netsim is not built" in rows[19].reason


def test_one_empty_table_takes_only_its_claims(judge: Judge) -> None:
    rows = judge.rows(World(empty=frozenset({"load"})))
    assert with_verdict(rows, "not run") == {45, 46, 47, 48, 49, 50, 51, 52, 53, 57}


@pytest.mark.parametrize("factor", [1.05, 0.95])
def test_one_run_that_differs_is_found_whichever_way_it_does(judge: Judge, factor: float) -> None:
    def by_chance(experiment: str, f: Factors, found: Numbers) -> None:
        if experiment == "stall" and f["stall_us"] == 25:
            found["makespan"] *= factor

    assert judge.rows(World(reps=1))[22].verdict == "reproduced"
    row = judge.rows(World(change=by_chance))[22]
    assert row.verdict == "contradicted" and row.high == pytest.approx(5, abs=0.3)


def strict_sleep(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "link" and f["setting"] == "nopa":
        found["power.rel"] = link_power(f["load"] / 100, "nopa", abort=False)


def no_rise(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "latency":
        found["runtime.mean"] = found["makespan"] = 50.0


def fixed_jobs(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "scheduler":
        found["makespan"] = 1000.0 - f["load"]


def one_bad_scenario(experiment: str, f: Factors, found: Numbers) -> None:
    if f["setting"] == "12us10" and f["nodes"] == 80 and f["tcp"] == "tuned" and f["workload"] == "batch":
        found["makespan"] *= 1.5


def harmless(experiment: str, f: Factors, found: Numbers) -> None:
    if f["setting"].endswith("1ms1000"):
        found["makespan"] = found["runtime.mean"] = 50.0


def noise_at_five(experiment: str, f: Factors, found: Numbers) -> None:
    """Two settings that differ by less than the variability of Sec. III-C at 5 % load."""
    if experiment == "load" and f["load"] == 5 and f["setting"] in ("core:120us100", "core:1ms1000"):
        found["energy.total"], found["makespan"] = 1000.0, 500.0
        found["energy.total"] += 2 * (f["setting"] == "core:1ms1000")


def flat_stall(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "stall":
        found["energy.port.edge"] = 50.0


def deep_costs_the_same(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "load" and f["buffer"] == "deep" and f["setting"] == "core:1ms1000":
        found["makespan"] *= 1.2
        found["runtime.mean"] *= 1.25


def batch_rises_first(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "latency" and f["workload"] == "batch" and f["latency_us"] >= 100:
        found["runtime.mean"] = found["makespan"] = 200.0


def less_than_asked(experiment: str, f: Factors, found: Numbers) -> None:
    if experiment == "load" and f["load"] == 55:
        found["cpu.load.arriving"] = 0.41


def dear_long_hold(experiment: str, f: Factors, found: Numbers) -> None:
    if f["setting"] == "core:1ms1000":
        found["energy.total"] *= 2


def held_by_the_timer(experiment: str, f: Factors, found: Numbers) -> None:
    if f["buffer"] == "deep":
        found |= {"holds.trigger.core": 1e5, "holds.timer.core": 9e5}


def wrong(experiment: str, f: Factors, found: Numbers) -> None:
    """All of the above at once but the last, which touches other claims."""
    for change in (strict_sleep, no_rise, fixed_jobs, harmless, one_bad_scenario):
        change(experiment, f, found)


@pytest.mark.parametrize(
    ("change", "number", "verdict", "said"),
    [
        (wrong, 6, "reproduced", "54.49"),
        (wrong, 7, "direction", "accepted: 63 to 77"),
        (wrong, 11, "contradicted", "value 10000"),
        (wrong, 14, "reproduced", "median 1"),
        (wrong, 10, "contradicted", "accepted: > 0 (in 1 of 2 scenarios)"),
        (wrong, 29, "contradicted", "accepted: < 10 (in 46 of 48 scenarios)"),
        (wrong, 36, "contradicted", "accepted: 20 to 30"),
        (flat_stall, 18, "contradicted", "true in 18 of 27 cases"),
        (batch_rises_first, 12, "contradicted", "accepted: > 1"),
        (deep_costs_the_same, 48, "contradicted", "accepted: < 1"),
        (less_than_asked, 53, "direction", "needs load-sweep"),
        (dear_long_hold, 50, "contradicted", "accepted: < 1 (in 0 of 6 scenarios)"),
        (dear_long_hold, 52, "contradicted", "accepted: < 1 (in 0 of 4 scenarios)"),
        (held_by_the_timer, 31, "direction", "true in 6 of 18 cases"),
    ],
)
def test_a_claim_reads_what_is_in_the_tables(
    judge: Judge, change: Change, number: int, verdict: Verdict, said: str
) -> None:
    row = judge.rows(World(change=change))[number]
    assert row.verdict == verdict
    assert said in row.reason


@pytest.mark.parametrize(
    ("number", "by_three"),
    [(50, "contradicted"), (51, "contradicted"), (53, "reproduced"), (57, "reproduced")],
)
def test_an_order_within_the_variability_is_undecided(judge: Judge, number: int, by_three: Verdict) -> None:
    """One seed cannot tell settings apart that differ by less than 1 %; three that agree can."""
    one = judge.rows(World(reps=1, change=noise_at_five))[number]
    assert one.verdict == "undecided"
    assert "with a spread of 0.01" in one.reason
    assert judge.rows(World(change=noise_at_five))[number].verdict == by_three


def test_a_contradiction_is_explained(judge: Judge) -> None:
    assert "1,000 frames take" in judge.rows(World(change=wrong))[31].explanation


@pytest.mark.parametrize(
    ("failing", "verdict", "said"),
    [
        ((), "reproduced", "by the runs of 3 open choices it holds under 3"),
        (("strict",), "reproduced", "by the runs of 3 open choices it holds under 2, not under strict"),
        (("base",), "undecided", "by the runs of 3 open choices it holds under 2, not under base"),
        (("base", "random"), "undecided", "by the runs of 3 open choices it holds under 1, under strict"),
        (("base", "strict", "random"), "contradicted", "by the runs of 3 open choices it holds under 0"),
    ],
)
def test_only_what_all_open_choices_contradict_is_contradicted(
    judge: Judge, failing: tuple[str, ...], verdict: Verdict, said: str
) -> None:
    def dear(experiment: str, f: Factors, found: Numbers) -> None:
        if f["setting"] == "core:1ms1000" and f["variant"] in failing:
            found["energy.total"] *= 2

    rows = judge.rows(World(reps=1, change=dear, choices=("strict", "random")))
    assert rows[50].verdict == verdict
    assert rows[50].reason.endswith(said)
    assert "open choices" not in rows[9].reason
    assert rows[10].verdict == "reproduced" and "open choices" not in rows[10].reason


def test_the_same_tables_give_the_same_rows(judge: Judge) -> None:
    again = check_claims(CLAIMS, write_tables(judge.folder / "again", World()), [])
    assert {int(row.id.removeprefix("EEE-")): row for row in again.rows} == judge.rows(World())


def test_a_factor_with_fractions_is_not_rounded(tmp_path: Path) -> None:
    path = tmp_path / "eee" / "e.csv"
    path.parent.mkdir()
    head = "study,experiment,point,rep,order,status,reason,gap,metric,value,unit,source\n"
    path.write_text(head + "eee,e,a,1,1,ok,,16.5,runtime,1,s,simulated:netsim\n")
    found = build([table_of(path)], []).connection.execute("SELECT gap FROM raw.eee_e").fetchall()
    assert found == [(16.5,)]
